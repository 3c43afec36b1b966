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

  /// Window bytes that a layout needs.
  static std::int64_t windowBytes(const GatherLayout& layout) {
    return rowPtrBytes(layout) + layout.batchesAtATime() * layout.mostEntries() * sizes().entry;
  }

  /// The window must hold windowBytes(layout). All references must outlive the gather. On all ranks of the
  /// node alike.
  SharedWindowGather(SharedWindow& window, const GatherLayout& layout, const GatherParts<Types>& parts)
      : window_(window),
        layout_(layout),
        context_(parts.channel.context()),
        waiting_(parts.waiting),
        brought_(parts.brought),
        everyRound_(parts.everyRound),
        use_(window.nextUse()) {
    auto* base = window.data();
    const std::int64_t batches = layout.batchesAtATime();
    rowPtr_ = reinterpret_cast<std::size_t*>(base);
    base += rowPtrBytes(layout);
    values_ = reinterpret_cast<Scalar*>(base);
    base += batches * layout.mostEntries() * static_cast<std::int64_t>(sizeof(Scalar));
    columns_ = reinterpret_cast<Ordinal*>(base);
  }

  ~SharedWindowGather() override { set(SharedWindow::released, SharedWindow::lastStep); }

  int batchEnd(int t) const override { return layout_.round(t).batchEnd; }
  int batches() const override { return layout_.batches(); }
  int batch(int t) const override { return layout_.round(t).batch; }
  int batchesAhead() const override { return layout_.batchesAtATime() - 1; }

  // Nobody may write into the window while a slower rank of the node still multiplies what lies there: an
  // earlier batch, or the last of the product before.
  void open(int t) override {
    const int batch = layout_.round(t).batch;
    if (batchesAhead() == 0) set(SharedWindow::released, batch);
    const int before = batch - batchesAhead();  // batches that must be done with
    awaitNode(SharedWindow::released,
              batch == 0 ? SharedWindow::stepOf(use_ - 1, SharedWindow::lastStep)
                         : SharedWindow::stepOf(use_, std::max(before, 0)),
              t);
    rowPtrOf(t)[0] = 0;  // by all ranks: the same word
    for (int s = t; s < layout_.round(t).batchEnd; ++s)
      for (const PartPlace& place : layout_.round(s).parts)
        if (place.receive >= 0) writeRowPointers(s, place, brought_.lengths[place.receive]);
  }

  Landing<Types> landing(std::size_t f) override {
    const auto [t, part] = layout_.placeOfReceive(f);
    const std::int64_t entry = firstEntryOf(t) + layout_.round(t).parts[part].firstEntry;
    return {columns_ + entry, values_ + entry};
  }

  // What a rank has landed it says in a counter: nobody waits for those that are not needed yet.
  GatheredTile<Types> assemble(int t) override {
    const RoundPlace& round = layout_.round(t);
    if (batchesAhead() > 0) set(SharedWindow::released, round.batch);  // what came before is multiplied
    if (const PartPlace* own = layout_.ownPart(t)) copyOwn(t, *own);
    set(SharedWindow::landed, t + 1);
    const bool endsBatch = t + 1 == round.batchEnd;
    const bool readable = endsBatch || everyRound_;
    if (readable) awaitNode(SharedWindow::landed, SharedWindow::stepOf(use_, t + 1), t);

    const auto rows = static_cast<std::size_t>(layout_.mostRows()) + 1;
    const auto entries = static_cast<std::size_t>(layout_.mostEntries());
    return {round.firstRow,
            round.rows,
            endsBatch,
            typename Types::ConstOffsets(rowPtrOf(t), rows),
            typename Types::ConstOrdinals(columns_ + firstEntryOfBatch(t), entries),
            typename Types::ConstValues(values_ + firstEntryOfBatch(t), entries),
            readable,
            layout_.endsPanel(t)};
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  // Values follow the row pointers and may want more alignment.
  static std::int64_t rowPtrBytes(const GatherLayout& layout) {
    constexpr auto step = static_cast<std::int64_t>(std::max(alignof(Scalar), alignof(std::size_t)));
    return (layout.batchesAtATime() * (layout.mostRows() + 1) * sizes().row + step - 1) / step * step;
  }

  // Batches that are there at a time lie one behind the other.
  std::int64_t placeOf(int t) const { return layout_.round(t).batch % layout_.batchesAtATime(); }
  std::size_t* rowPtrOf(int t) const { return rowPtr_ + placeOf(t) * (layout_.mostRows() + 1); }
  std::int64_t firstEntryOfBatch(int t) const { return placeOf(t) * layout_.mostEntries(); }
  std::int64_t firstEntryOf(int t) const { return firstEntryOfBatch(t) + layout_.round(t).firstEntry; }

  void set(SharedWindow::Counter which, std::int64_t step) {
    window_.counter(context_.slice(), which)
        .store(SharedWindow::stepOf(use_, step), std::memory_order_release);
  }

  void awaitNode(SharedWindow::Counter which, std::int64_t wanted, int t) {
    const int ranks = context_.topology().ranksOn(context_.node());
    int behind = 0;
    const auto all = [&] {
      while (behind < ranks && window_.counter(behind, which).load(std::memory_order_acquire) >= wanted)
        ++behind;
      return behind == ranks;
    };
    if (all()) return;
    const auto late = [&] { return context_.topology().rankAt(context_.node(), behind); };
    TraceTag tag;
    tag.round = t;
    tag.from = late();
    waiting_.until("wait node", {"the ranks of its node", tag.from}, tag, [&] {
      if (all()) return true;
      if (Watchdog::on()) Watchdog::ofProcess().waitsFor(late());
      return false;
    });
  }

  void copyOwn(int t, const PartPlace& place) {
    TraceTag tag;
    tag.round = t;
    const TraceSpan span("gather", tag);
    const PackedRows<Types>& own = brought_.own[t];
    const std::int64_t to = firstEntryOf(t) + place.firstEntry;
    std::copy_n(own.columns.data(), place.entries, columns_ + to);
    std::copy_n(own.values.data(), place.entries, values_ + to);
    writeRowPointers(t, place, own.rowLengths);
  }

  void writeRowPointers(int t, const PartPlace& place, const typename Types::ConstOrdinals& lengths) {
    const RoundPlace& round = layout_.round(t);
    auto end = static_cast<std::size_t>(round.firstEntry + place.firstEntry);
    std::size_t* rowEnd = rowPtrOf(t) + round.firstRow + place.firstRow + 1;
    for (std::int64_t row = 0; row < place.rows; ++row) {
      end += static_cast<std::size_t>(lengths(row));
      rowEnd[row] = end;
    }
  }

  SharedWindow& window_;
  const GatherLayout& layout_;
  const Context& context_;
  Waiting& waiting_;
  BroughtRows<Types> brought_;
  bool everyRound_;
  std::int64_t use_;
  std::size_t* rowPtr_;
  Scalar* values_;
  Ordinal* columns_;
};

}  // namespace Trident

#endif
