#include "Timing.hpp"

#include <algorithm>
#include <ctime>
#include <stdexcept>

namespace Bench {

namespace {

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double Series::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Series::minimum() const { return *std::min_element(seconds.begin(), seconds.end()); }

std::vector<Series> measure(const Contenders& contenders, int repeat, Clock clock) {
  std::vector<Series> all;
  for (const auto& contender : contenders) {
    contender->multiply();
    all.push_back({contender->name(), contender->finish(), {}});
  }
  for (int r = 0; r < repeat; ++r)
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      const double start = now(clock);
      contenders[k]->multiply();
      all[k].seconds.push_back(now(clock) - start);
      const Outcome outcome = contenders[k]->finish();
      if (outcome.entries != all[k].outcome.entries || outcome.sumOfSquares != all[k].outcome.sumOfSquares)
        throw std::runtime_error(all[k].name + ": two repetitions differ");
    }
  return all;
}

}  // namespace Bench
