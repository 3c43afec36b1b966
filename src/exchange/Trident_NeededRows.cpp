#include "exchange/Trident_NeededRows.hpp"

#include "topology/Trident_Mpi.hpp"

namespace Trident {

NeededRows::NeededRows(const Context& context, const NodeGrid& grid, const IndexSpace& inner,
                       const std::vector<std::int64_t>& columnIds)
    : inner_(inner), bits_(static_cast<std::size_t>(inner.size() / 64 + 1), 0) {
  const auto need = [this](std::int64_t id) { bits_[id >> 6] |= std::uint64_t{1} << (id & 63); };
  for (const std::int64_t id : columnIds) need(id);
  const int own = grid.baseBlock(context.node());
  for (std::int64_t id = inner.blockStart(own); id < inner.blockStart(own + 1); ++id) need(id);
  // The check does not know that std::uint64_t is MPI_UINT64_T whatever it is a typedef of.
  // NOLINTNEXTLINE(mpi-type-mismatch)
  checkMpi(MPI_Allreduce(MPI_IN_PLACE, bits_.data(), static_cast<int>(bits_.size()), MPI_UINT64_T, MPI_BOR,
                         context.nodeComm()),
           "MPI_Allreduce");

  std::int64_t sum = 0;
  beforeWord_.reserve(bits_.size());
  for (const std::uint64_t word : bits_) {
    beforeWord_.push_back(sum);
    sum += __builtin_popcountll(word);
  }
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
