#ifndef TRIDENT_BENCH_TIMING_HPP
#define TRIDENT_BENCH_TIMING_HPP

#include <string>
#include <vector>

#include "Contender.hpp"

namespace Bench {

enum class Clock { wall, cpu };

/// What one contender took, in seconds, one number a repetition.
struct Series {
  std::string name;
  Outcome outcome;
  std::vector<double> seconds;

  double median() const;
  double minimum() const;
};

/// Runs each contender once to warm up and `repeat` times for the record. The repetitions are interleaved, so
/// that a load that comes and goes hits all contenders alike. Throws std::runtime_error if a repetition gives
/// another result than the first.
std::vector<Series> measure(const Contenders& contenders, int repeat, Clock clock);

}  // namespace Bench

#endif
