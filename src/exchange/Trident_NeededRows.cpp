#include "exchange/Trident_NeededRows.hpp"

#include <algorithm>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"
#include "topology/Trident_SharedWindow.hpp"

namespace Trident {

NeededRows::NeededRows(Channel& channel, const NodeGrid& grid, const IndexSpace& inner,
                       const std::vector<std::int64_t>& columnIds)
    : inner_(inner), bits_(static_cast<std::size_t>(inner.size() / 64 + 1), 0) {
  Context& context = channel.context();
  const auto need = [this](std::int64_t id) { bits_[id >> 6] |= std::uint64_t{1} << (id & 63); };
  for (const std::int64_t id : columnIds) need(id);
  if (grid.cols == 1) {
    const int own = grid.baseBlock(context.node());
    for (std::int64_t id = inner.blockStart(own); id < inner.blockStart(own + 1); ++id) need(id);
  }
  uniteNode(context);
  if (grid.cols > 1) uniteGridRow(channel, grid);

  std::int64_t sum = 0;
  beforeWord_.reserve(bits_.size());
  for (const std::uint64_t word : bits_) {
    beforeWord_.push_back(sum);
    sum += __builtin_popcountll(word);
  }
}

namespace {

/// The union's own window: B's lies in another.
class UnionWindow : public SharedWindow {
 public:
  using SharedWindow::SharedWindow;
};

}  // namespace

// In memory that the node's ranks share, one copy a node. By messages where they share none, or /dev/shm is
// full.
void NeededRows::uniteNode(Context& context) {
  const int ranks = context.topology().ranksOn(context.node());
  if (ranks == 1) return;
  auto& window = context.attached<UnionWindow>();
  const auto words = static_cast<std::int64_t>(bits_.size());
  if (!window.reserve(words * static_cast<std::int64_t>(sizeof(std::uint64_t)))) {
    uniteByMessages(context);
    return;
  }
  auto* const shared = reinterpret_cast<std::uint64_t*>(window.data());
  const int k = context.slice();
  std::fill(shared + words * k / ranks, shared + words * (k + 1) / ranks, std::uint64_t{0});
  window.synchronise();
  for (std::int64_t w = 0; w < words; ++w)
    if (bits_[w] != 0) __atomic_fetch_or(shared + w, bits_[w], __ATOMIC_RELAXED);
  window.synchronise();
  std::copy_n(shared, words, bits_.data());
}

void NeededRows::uniteByMessages(const Context& context) {
  // The check does not know that std::uint64_t is MPI_UINT64_T whatever it is a typedef of.
  // NOLINTNEXTLINE(mpi-type-mismatch)
  checkMpi(watchedAllreduce(MPI_IN_PLACE, bits_.data(), static_cast<int>(bits_.size()), MPI_UINT64_T, MPI_BOR,
                            context.nodeComm(), "which rows are needed"),
           "MPI_Allreduce");
}

// The nodes' first ranks tell each other; a node's bits cross Gi once for each other node of the row.
void NeededRows::uniteGridRow(Channel& channel, const NodeGrid& grid) {
  const Context& context = channel.context();
  if (context.slice() == 0) {
    const auto words = static_cast<std::int64_t>(bits_.size());
    std::vector<std::uint64_t> others(static_cast<std::size_t>(words * (grid.cols - 1)));
    Channel::Requests requests;
    std::uint64_t* next = others.data();
    for (int j = 0; j < grid.cols; ++j) {
      if (j == grid.col(context.node())) continue;
      const int peer = context.topology().rankAt(grid.node(grid.row(context.node()), j), 0);
      const Route route{peer, Phase::setup, Kind::request};
      channel.receive(next, words, sizeof(std::uint64_t), route, requests);
      channel.send(bits_.data(), words, sizeof(std::uint64_t), route, requests);
      next += words;
    }
    Channel::wait(requests);
    for (std::size_t w = 0; w < others.size(); ++w) bits_[w % bits_.size()] |= others[w];
  }
  // As above: std::uint64_t is MPI_UINT64_T.
  // NOLINTNEXTLINE(mpi-type-mismatch)
  checkMpi(watchedBroadcast(bits_.data(), static_cast<int>(bits_.size()), MPI_UINT64_T, 0, context.nodeComm(),
                            "which rows are needed"),
           "MPI_Bcast");
}

std::int64_t NeededRows::before(std::int64_t id) const {
  const auto word = static_cast<std::size_t>(id >> 6);
  return beforeWord_[word] + __builtin_popcountll(bits_[word] & ((std::uint64_t{1} << (id & 63)) - 1));
}

std::int64_t NeededRows::count(std::int64_t first, std::int64_t end) const {
  return before(end) - before(first);
}

std::int64_t NeededRows::position(std::int64_t id) const {
  return before(id) - before(inner_.blockStart(inner_.pieceAt(id).block));
}

}  // namespace Trident
