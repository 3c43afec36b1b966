#ifndef TRIDENT_STANDSTILL_REPORT_HPP
#define TRIDENT_STANDSTILL_REPORT_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/Trident_Watchdog.hpp"

namespace Trident {
namespace detail {

/// What one rank says of itself when the job stands still. Plain data, sent as bytes.
struct StandstillAnswer {
  bool waits = false;  ///< for something of Trident's
  Awaited awaited;     ///< its text is in `what`
  double seconds = 0;  ///< without progress
  std::int64_t posted = 0;
  std::int64_t served = 0;
  std::array<char, 64> what{};
};

StandstillAnswer answerOf(const Awaited& awaited, double seconds);

/// The report of rank `raiser`: a line for each rank, and the cycle of ranks that wait for each other, if
/// there is one. Pure.
std::string standstillReport(int raiser, double timeout,
                             const std::vector<std::optional<StandstillAnswer>>& answers);

}  // namespace detail
}  // namespace Trident

#endif
