#ifndef TRIDENT_BENCH_TABLE_HPP
#define TRIDENT_BENCH_TABLE_HPP

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "Timing.hpp"

namespace Bench {

/// The limits that issue 2 sets.
constexpr double mostHostOverHypre = 1.5;
constexpr double leastTpetraOverTrident = 3.0;

/// Quotient of two times; of the medians, and of the minima.
struct Ratio {
  double ofMedians = 0;
  double ofMinima = 0;
};

/// Ratios of one case; empty where one of the two was not run.
struct Ratios {
  std::string name;
  bool accepted = false;
  std::optional<Ratio> hostOverHypre;  ///< over the faster of hypre's two products
  std::optional<Ratio> tpetraOverTrident;
  std::optional<Ratio> kokkosKernelsOverHost;

  /// Whether the limits are kept, by the medians. A ratio that was not measured keeps none.
  bool kept() const;
};

Ratios ratiosOf(const Case& problem, const std::vector<Series>& all);

void printSeries(std::ostream& out, const Case& problem, const std::vector<Series>& all);
void printRatios(std::ostream& out, const std::vector<Ratios>& all);

}  // namespace Bench

#endif
