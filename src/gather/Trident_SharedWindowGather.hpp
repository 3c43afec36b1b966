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
    rowPtr_ = reinterpret_cast<std::size_t*>(base);
    base += (layout.mostRows() + 1) * static_cast<std::int64_t>(sizeof(std::size_t));
    values_ = reinterpret_cast<Scalar*>(base);
    base += layout.mostEntries() * static_cast<std::int64_t>(sizeof(Scalar));
    columns_ = reinterpret_cast<Ordinal*>(base);
  }

  ~SharedWindowGather() override { set(SharedWindow::released, SharedWindow::lastStep); }

  int batchEnd(int t) const override { return layout_.round(t).batchEnd; }
  int batches() const override { return layout_.batches(); }

  // Nobody may write into the window while a slower rank of the node still multiplies the last batch, or the
  // last product.
  void open(int t) override {
    set(SharedWindow::released, opened_);
    const std::int64_t wanted = opened_ == 0 ? SharedWindow::stepOf(use_ - 1, SharedWindow::lastStep)
                                             : SharedWindow::stepOf(use_, opened_);
    awaitNode(SharedWindow::released, wanted, t);
    ++opened_;
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

  // What a rank has landed it says in a counter: nobody waits for those that are not needed yet.
  GatheredTile<Types> assemble(int t) override {
    const RoundPlace& round = layout_.round(t);
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
            typename Types::ConstOffsets(rowPtr_, rows),
            typename Types::ConstOrdinals(columns_, entries),
            typename Types::ConstValues(values_, entries),
            readable,
            t + 1 == layout_.rounds()};
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

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
  const Context& context_;
  Waiting& waiting_;
  BroughtRows<Types> brought_;
  bool everyRound_;
  std::int64_t use_;
  std::int64_t opened_ = 0;  // batches
  std::size_t* rowPtr_;
  Scalar* values_;
  Ordinal* columns_;
};

}  // namespace Trident

#endif
