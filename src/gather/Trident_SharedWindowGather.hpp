#ifndef TRIDENT_SHARED_WINDOW_GATHER_HPP
#define TRIDENT_SHARED_WINDOW_GATHER_HPP

#include <algorithm>
#include <vector>

#include "exchange/Trident_Channel.hpp"
#include "gather/Trident_GatherLayout.hpp"
#include "gather/Trident_TileGather.hpp"
#include "topology/Trident_SharedWindow.hpp"

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

  /// The window must hold windowBytes(layout). All references must outlive the gather.
  SharedWindowGather(SharedWindow& window, const GatherLayout& layout, const BroughtRows<Types>& brought)
      : window_(window), layout_(layout), brought_(brought) {
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
    rowPtr_[0] = 0;  // by all ranks: the same word
    for (int s = t; s < layout_.round(t).batchEnd; ++s)
      for (const PartPlace& place : layout_.round(s).parts)
        if (place.receive >= 0) writeRowPointers(s, place, brought_.lengths[place.receive]);
  }

  Landing<Types> landing(std::size_t f) override {
    const auto [t, part] = layout_.placeOfReceive(f);
    const std::int64_t entry = layout_.round(t).firstEntry + layout_.round(t).parts[part].firstEntry;
    return {columns_ + entry, values_ + entry};
  }

  // The ranks meet when the batch is complete: nothing is read before.
  GatheredTile<Types> assemble(int t) override {
    const RoundPlace& round = layout_.round(t);
    if (const PartPlace* own = layout_.ownPart(t)) copyOwn(t, *own);
    const bool endsBatch = t + 1 == round.batchEnd;
    if (endsBatch) window_.synchronise();

    const auto rows = static_cast<std::size_t>(layout_.mostRows()) + 1;
    const auto entries = static_cast<std::size_t>(layout_.mostEntries());
    return {round.firstRow,
            round.rows,
            endsBatch,
            typename Types::ConstOffsets(rowPtr_, rows),
            typename Types::ConstOrdinals(columns_, entries),
            typename Types::ConstValues(values_, entries)};
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  void copyOwn(int t, const PartPlace& place) {
    const PackedRows<Types>& own = brought_.own[t];
    const std::int64_t to = layout_.round(t).firstEntry + place.firstEntry;
    std::copy_n(own.columns.data(), place.entries, columns_ + to);
    std::copy_n(own.values.data(), place.entries, values_ + to);
    writeRowPointers(t, place, own.rowLengths);
  }

  void writeRowPointers(int t, const PartPlace& place, const typename Types::ConstOrdinals& lengths) {
    const RoundPlace& round = layout_.round(t);
    auto end = static_cast<std::size_t>(round.firstEntry + place.firstEntry);
    std::size_t* rowEnd = rowPtr_ + round.firstRow + place.firstRow + 1;
    for (std::int64_t row = 0; row < place.rows; ++row) {
      end += static_cast<std::size_t>(lengths(row));
      rowEnd[row] = end;
    }
  }

  SharedWindow& window_;
  const GatherLayout& layout_;
  const BroughtRows<Types>& brought_;
  std::size_t* rowPtr_;
  Scalar* values_;
  Ordinal* columns_;
};

}  // namespace Trident

#endif
