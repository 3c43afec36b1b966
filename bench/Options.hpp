#ifndef TRIDENT_BENCH_OPTIONS_HPP
#define TRIDENT_BENCH_OPTIONS_HPP

#include <optional>
#include <string>
#include <vector>

#include "Timing.hpp"

namespace Bench {

struct Options {
  std::vector<std::string> cases;  ///< empty: all
  std::vector<std::string> only;   ///< contenders; empty: all
  int repeat = 7;
  Clock clock = Clock::wall;
  bool check = false;
};

/// Exit status if the program is to end here: 0 after --help, 2 for a bad command line.
std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options);

}  // namespace Bench

#endif
