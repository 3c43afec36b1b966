#include "observe/detail/Trident_StandstillReport.hpp"

#include <cstdio>
#include <cstring>

namespace Trident {
namespace detail {
namespace {

// "(i=0, r=2, k=1)" of a tile of A, "(r=2, j=0, k=1)" of one of B.
std::string tileOf(const Awaited& awaited) {
  if (awaited.r < 0) return "";
  const std::string r = "r=" + std::to_string(awaited.r);
  const std::string tile =
      awaited.i >= 0 ? "i=" + std::to_string(awaited.i) + ", " + r : r + ", j=" + std::to_string(awaited.j);
  return " (" + tile + ", k=" + std::to_string(awaited.k) + ')';
}

std::string lineOf(int rank, const std::optional<StandstillAnswer>& answer) {
  const std::string who = "Trident:   rank " + std::to_string(rank);
  if (!answer) return who + " does not answer: it computes, is in a call that is not Trident's, or is gone\n";
  if (!answer->waits) return who + " waits for nothing\n";
  std::string text = who + " waits for " + answer->what.data() + tileOf(answer->awaited);
  if (answer->awaited.from >= 0) text += " from rank " + std::to_string(answer->awaited.from);
  std::array<char, 128> rest{};
  std::snprintf(rest.data(), rest.size(), ", %.1f s without progress; requests posted %lld, served %lld\n",
                answer->seconds, static_cast<long long>(answer->posted),
                static_cast<long long>(answer->served));
  return text + rest.data();
}

// "3 -> 5 -> 3", or nothing.
std::string cycleOf(const std::vector<std::optional<StandstillAnswer>>& answers) {
  const auto next = [&answers](int rank) {
    const auto& answer = answers[static_cast<std::size_t>(rank)];
    return answer && answer->waits ? answer->awaited.from : -1;
  };
  for (int start = 0; start < static_cast<int>(answers.size()); ++start) {
    std::string text = std::to_string(start);
    int rank = next(start);
    for (std::size_t step = 0; step < answers.size() && rank >= 0 && rank != start; ++step) {
      text += " -> " + std::to_string(rank);
      rank = next(rank);
    }
    if (rank == start) return text + " -> " + std::to_string(start);
  }
  return "";
}

}  // namespace

StandstillAnswer answerOf(const Awaited& awaited, double seconds) {
  StandstillAnswer answer;
  answer.waits = awaited.what[0] != '\0';
  answer.awaited = awaited;
  answer.seconds = seconds;
  std::strncpy(answer.what.data(), awaited.what, answer.what.size() - 1);
  return answer;
}

std::string standstillReport(int raiser, double timeout,
                             const std::vector<std::optional<StandstillAnswer>>& answers) {
  std::array<char, 128> head{};
  std::snprintf(head.data(), head.size(), "Trident: no progress for %g s (TRIDENT_TIMEOUT) on rank %d:\n",
                timeout, raiser);
  std::string report = head.data();
  for (std::size_t rank = 0; rank < answers.size(); ++rank)
    report += lineOf(static_cast<int>(rank), answers[rank]);
  const std::string cycle = cycleOf(answers);
  report += cycle.empty() ? "Trident:   no ranks wait for each other in a cycle\n"
                          : "Trident:   cycle: " + cycle + '\n';
  return report + "Trident: the job is ended; a larger TRIDENT_TIMEOUT gives it more time\n";
}

}  // namespace detail
}  // namespace Trident
