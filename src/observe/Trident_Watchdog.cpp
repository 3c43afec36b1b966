#include "observe/Trident_Watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "observe/detail/Trident_SideMessages.hpp"
#include "observe/detail/Trident_StandstillReport.hpp"

namespace Trident {
namespace {

using detail::SideTag;
using detail::StandstillAnswer;

constexpr double secondsBetweenLooks = 0.01;

// How long answers are waited for.
double grace(double timeout) { return std::max(1.0, std::min(timeout, 5.0)); }

int rankIn(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

[[noreturn]] void endWith(const std::string& report, MPI_Comm comm) {
  std::fputs(report.c_str(), stderr);
  std::fflush(stderr);
  if (comm != MPI_COMM_NULL) MPI_Abort(comm, 1);
  std::abort();
}

}  // namespace

double Watchdog::seconds() {
  static const double wanted = [] {
    const char* text = std::getenv("TRIDENT_TIMEOUT");
    if (text == nullptr || *text == '\0') return 0.0;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end != '\0' || !(value >= 0))
      throw std::invalid_argument(std::string("Trident: TRIDENT_TIMEOUT is \"") + text +
                                  "\"; allowed: seconds, 0 for none");
    return value;
  }();
  return wanted;
}

Watchdog& Watchdog::ofProcess() {
  static auto* watchdog = new Watchdog;
  return *watchdog;
}

Watchdog::Watched::Watched(MPI_Comm comm) {
  if (!on()) return;
  active_ = true;
  outer_ = std::exchange(ofProcess().comm_, comm);
}

Watchdog::Watched::~Watched() {
  if (active_) ofProcess().comm_ = outer_;
}

Watchdog::Wait::Wait(const Awaited& awaited) {
  if (!on()) return;
  active_ = true;
  outer_ = std::exchange(ofProcess().awaited_, awaited);
  ofProcess().progressed();
}

Watchdog::Wait::~Wait() {
  if (!active_) return;
  ofProcess().awaited_ = outer_;
  ofProcess().progressed();
}

void Watchdog::look() {
  const double now = MPI_Wtime();
  const std::int64_t steps = steps_.load(std::memory_order_relaxed);
  if (steps != stepsSeen_) {
    stepsSeen_ = steps;
    lastStep_ = now;
  }
  if (now - lastLook_ < secondsBetweenLooks) return;
  lastLook_ = now;
  if (comm_ != MPI_COMM_NULL) answerAlarms();
  if (now - lastStep_ > seconds() && now > deferredUntil_) raiseAlarm();
}

// True if a lower rank has raised the alarm too: it is the one to report.
bool Watchdog::answerAlarms() {
  bool deferred = false;
  char nothing = 0;
  const auto nextAlarm = [&] { return detail::takeOne(MPI_ANY_SOURCE, comm_, SideTag::alarm, &nothing, 1); };
  for (int raiser = nextAlarm(); raiser >= 0; raiser = nextAlarm()) {
    StandstillAnswer answer = detail::answerOf(awaited_, MPI_Wtime() - lastStep_);
    answer.posted = posted_.load();
    answer.served = served_.load();
    detail::sendAndForget(&answer, sizeof(answer), raiser, comm_, SideTag::answer);
    if (raiser > rankIn(comm_)) continue;
    deferred = true;
    deferredUntil_ = MPI_Wtime() + 2 * grace(seconds());
  }
  return deferred;
}

void Watchdog::raiseAlarm() {
  StandstillAnswer own = detail::answerOf(awaited_, MPI_Wtime() - lastStep_);
  own.posted = posted_.load();
  own.served = served_.load();
  if (comm_ == MPI_COMM_NULL) endWith(detail::standstillReport(0, seconds(), {own}), comm_);
  const int rank = rankIn(comm_);
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  std::vector<std::optional<StandstillAnswer>> answers(static_cast<std::size_t>(ranks));
  answers[static_cast<std::size_t>(rank)] = own;
  const char nothing = 0;
  for (int other = 0; other < ranks; ++other)
    if (other != rank) detail::sendAndForget(&nothing, 1, other, comm_, SideTag::alarm);
  int missing = ranks - 1;
  for (const double end = MPI_Wtime() + grace(seconds()); missing > 0 && MPI_Wtime() < end;) {
    StandstillAnswer answer;
    const int from = detail::takeOne(MPI_ANY_SOURCE, comm_, SideTag::answer, &answer, sizeof(answer));
    if (from >= 0) {
      answers[static_cast<std::size_t>(from)] = answer;
      --missing;
    }
    if (answerAlarms()) return;
    std::this_thread::yield();
  }
  endWith(detail::standstillReport(rank, seconds(), answers), comm_);
}

}  // namespace Trident
