#ifndef TRIDENT_SHARED_WINDOW_GATHER_HPP
#define TRIDENT_SHARED_WINDOW_GATHER_HPP

#include <algorithm>
#include <map>
#include <vector>

#include "exchange/Trident_Channel.hpp"
#include "gather/Trident_GatherLayout.hpp"
#include "gather/Trident_SharedWindow.hpp"
#include "gather/Trident_TileGather.hpp"

namespace Trident {

/// The gather without an Allgatherv: slices are received straight into one window that the node's ranks
/// share, so a node holds one copy of B(r,j) (DESIGN, section 5). Host memory only.
template <class Types>
class SharedWindowGather : public TileGather<Types> {
 public:
  static GatherSizes sizes() {
    return {static_cast<std::int64_t>(sizeof(std::size_t)),
            static_cast<std::int64_t>(sizeof(Scalar) + sizeof(Ordinal))};
  }

  /// Window bytes that the largest batch of a layout needs.
  static std::int64_t windowBytes(const GatherLayout& layout) {
    return (layout.mostRows() + 1) * sizes().row + layout.mostEntries() * sizes().entry;
  }

  /// The window must hold windowBytes(layout). `own` is this rank's slice of the node's tile of B. All
  /// references must outlive the gather.
  SharedWindowGather(SharedWindow& window, const GatherLayout& layout, int slice, const TileSlice<Types>& own)
      : window_(window), layout_(layout), slice_(slice), own_(own) {
    auto* base = window.data();
    rowPtr_ = reinterpret_cast<std::size_t*>(base);
    base += (layout.mostRows() + 1) * static_cast<std::int64_t>(sizeof(std::size_t));
    values_ = reinterpret_cast<Scalar*>(base);
    base += layout.mostEntries() * static_cast<std::int64_t>(sizeof(Scalar));
    columns_ = reinterpret_cast<Ordinal*>(base);
  }

  int batchEnd(int t) const override { return layout_.round(t).batchEnd; }
  int batches() const override { return layout_.batches(); }

  // Nobody may write into the window while a slower rank of the node still multiplies the last batch.
  void open(int t) override {
    if (t > 0) window_.synchronise();
    if (slice_ == 0) rowPtr_[0] = 0;
  }

  Landing<Types> landing(int t, int ownerSlice) override {
    const PartPlace& place = layout_.round(t).parts[ownerSlice];
    auto& lengths = lengths_[t];
    lengths.emplace_back(ownerSlice, std::vector<Ordinal>(static_cast<std::size_t>(place.part.rows)));
    const std::int64_t entry = layout_.round(t).firstEntry + place.firstEntry;
    return {lengths.back().second.data(), columns_ + entry, values_ + entry};
  }

  GatheredTile<Types> assemble(int t) override {
    const RoundPlace& round = layout_.round(t);
    if (round.isOwn) copyOwn(t);
    for (const auto& [ownerSlice, lengths] : lengths_[t]) writeRowPointers(t, ownerSlice, lengths.data());
    lengths_.erase(t);
    window_.synchronise();

    const auto rows = static_cast<std::size_t>(layout_.mostRows()) + 1;
    const auto entries = static_cast<std::size_t>(layout_.mostEntries());
    return {round.firstRow,
            round.rows,
            t + 1 == round.batchEnd,
            typename Types::ConstOffsets(rowPtr_, rows),
            typename Types::ConstOrdinals(columns_, entries),
            typename Types::ConstValues(values_, entries)};
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  void copyOwn(int t) {
    const RoundPlace& round = layout_.round(t);
    const PartPlace& place = round.parts[slice_];
    const std::int64_t from = own_.firstEntry[round.own.firstPiece];
    const std::int64_t to = round.firstEntry + place.firstEntry;
    std::copy_n(own_.columns.data() + from, place.entries, columns_ + to);
    std::copy_n(own_.values.data() + from, place.entries, values_ + to);
    writeRowPointers(t, slice_, own_.rowLengths.data() + own_.firstRow[round.own.firstPiece]);
  }

  void writeRowPointers(int t, int ownerSlice, const Ordinal* lengths) {
    const RoundPlace& round = layout_.round(t);
    const PartPlace& place = round.parts[ownerSlice];
    auto end = static_cast<std::size_t>(round.firstEntry + place.firstEntry);
    std::size_t* rowEnd = rowPtr_ + round.firstRow + place.firstRow + 1;
    for (std::int64_t row = 0; row < place.part.rows; ++row) {
      end += static_cast<std::size_t>(lengths[row]);
      rowEnd[row] = end;
    }
  }

  SharedWindow& window_;
  const GatherLayout& layout_;
  int slice_;
  const TileSlice<Types>& own_;
  std::size_t* rowPtr_;
  Scalar* values_;
  Ordinal* columns_;

  // Row lengths of the parts this rank receives, by round, until they have become row pointers. The inner
  // vectors do not move while messages land in them: a part's storage is the vector's heap block.
  std::map<int, std::vector<std::pair<int, std::vector<Ordinal>>>> lengths_;
};

}  // namespace Trident

#endif
