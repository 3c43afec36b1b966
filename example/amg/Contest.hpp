#ifndef TRIDENT_AMG_CONTEST_HPP
#define TRIDENT_AMG_CONTEST_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "Options.hpp"
#include "Types.hpp"

namespace Amg {

/// What is timed, in seconds; the products are sums over the levels.
enum Timed : int { setup, jacobi, timesP, timesAP, triple, products, timedCount };
constexpr std::array<const char*, timedCount> timedNames{
    "set-up", "  (I - omega D^-1 A) P", "  A*P", "  R*(A*P)", "  R*A*P", "  all products"};
using Seconds = std::array<double, timedCount>;

/// One level of a hierarchy. Fewer ranks than all after repartitioning.
struct LevelSize {
  std::int64_t rows = 0, entries = 0;
  int ranks = 0;
};

/// One of the two contenders.
struct Outcome {
  Seconds first{};           ///< medians of the set-ups, of the slowest rank each
  Seconds second{};          ///< of second set-ups with other values, if something is reused
  int iterations = 0;        ///< of CG, -1 if it did not converge
  int secondIterations = 0;  ///< on the other values
  std::vector<LevelSize> levels;
};

struct Outcomes {
  Outcome stock, trident;

  bool agree() const {
    return stock.iterations == trident.iterations && stock.secondIterations == trident.secondIterations;
  }
};

/// Sets MueLu up with Tpetra's products and with Trident's, `options.repeat` times in turns, and solves with
/// each. Collective.
Outcomes contest(const Problem& problem, const Options& options);

}  // namespace Amg

#endif
