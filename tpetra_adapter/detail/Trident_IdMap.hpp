#ifndef TRIDENT_ID_MAP_HPP
#define TRIDENT_ID_MAP_HPP

#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "detail/Trident_TpetraTypes.hpp"
#include "layout/Trident_IndexSpace.hpp"

namespace Trident {
namespace detail {

/// What every rank tells about its part of a map.
struct MapPart {
  std::int64_t count;
  std::int64_t first;        ///< its first global index
  std::int64_t consecutive;  ///< 1 if its global indices are consecutive
};

template <class Map>
MapPart partOf(const Map& map) {
  const std::int64_t count = localSize(map);
  return {count, count > 0 ? static_cast<std::int64_t>(map.getGlobalElement(0)) : 0,
          consecutiveOnThisRank(map) ? 1 : 0};
}

/// Translates between the global indices of a one-to-one Tpetra map and the ids of an index space.
///
/// If every rank's indices are consecutive (all uniform and most other maps) both ways are arithmetic on what
/// the ranks have told each other. Otherwise ids travel along an importer: the one that the matrix already
/// holds, if its source is this map.
template <class Types>
class IdMap {
 public:
  using map_type = typename Types::map_type;
  using import_type = typename Types::import_type;
  using LO = typename Types::local_ordinal_type;
  using GO = typename Types::global_ordinal_type;

  /// `parts[r]` is rank r's part of `map`; all references must outlive this object.
  IdMap(const Teuchos::RCP<const map_type>& map, const std::vector<MapPart>& parts, const IndexSpace& space)
      : map_(map), parts_(parts), space_(space) {
    consecutive_ =
        std::all_of(parts.begin(), parts.end(), [](const MapPart& part) { return part.consecutive == 1; });
    if (!consecutive_) return;
    for (const Piece& piece : space.pieces())
      if (piece.count > 0)
        runs_.push_back({parts[piece.rank].first + piece.firstLocal, piece.count, piece.start});
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.global < b.global; });
  }

  /// Whether every rank's indices are consecutive.
  bool consecutive() const { return consecutive_; }

  /// Ids of the indices of a column map, by local column; -1 where the map lacks the index. `importer` is one
  /// from this map to `columnMap`, or null if there is none to use. Collective if the map is not consecutive
  /// everywhere.
  std::vector<std::int64_t> idsOf(const Teuchos::RCP<const map_type>& columnMap,
                                  const Teuchos::RCP<const import_type>& importer) const {
    const std::int64_t columns = localSize(*columnMap);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(columns), -1);
    if (!consecutive_) {
      importIds(columnMap, importer, ids);
      return ids;
    }
    auto run = runs_.begin();
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t global = columnMap->getGlobalElement(static_cast<LO>(c));
      if (run == runs_.end() || !run->holds(global)) run = find(global);
      if (run != runs_.end()) ids[c] = run->id + (global - run->global);
    }
    return ids;
  }

  /// Global indices of ids that other ranks own. Collective if the map is not consecutive everywhere.
  std::vector<GO> globalsOf(const std::vector<std::int64_t>& ids) const {
    std::vector<GO> globals;
    globals.reserve(ids.size());
    if (!consecutive_) return importGlobals(ids);
    for (const std::int64_t id : ids) {
      const Piece& piece = space_.pieceAt(id);
      globals.push_back(static_cast<GO>(parts_[piece.rank].first + piece.firstLocal + (id - piece.start)));
    }
    return globals;
  }

 private:
  // Consecutive global indices with consecutive ids.
  struct Run {
    std::int64_t global;
    std::int64_t count;
    std::int64_t id;
    bool holds(std::int64_t index) const { return index >= global && index < global + count; }
  };
  using Vector = Tpetra::Vector<GO, LO, GO, typename Types::node_type>;

  typename std::vector<Run>::const_iterator find(std::int64_t global) const {
    auto run = std::upper_bound(runs_.begin(), runs_.end(), global,
                                [](std::int64_t value, const Run& r) { return value < r.global; });
    if (run == runs_.begin()) return runs_.end();
    --run;
    return run->holds(global) ? run : runs_.end();
  }

  void importIds(const Teuchos::RCP<const map_type>& columnMap,
                 const Teuchos::RCP<const import_type>& importer, std::vector<std::int64_t>& ids) const {
    Vector own(map_);
    const int rank = map_->getComm()->getRank();
    for (const int p : space_.piecesOf(rank)) {
      const Piece& piece = space_.pieces()[p];
      for (std::int64_t l = 0; l < piece.count; ++l)
        own.replaceLocalValue(static_cast<LO>(piece.firstLocal + l), static_cast<GO>(piece.start + l));
    }
    Vector wanted(columnMap);
    wanted.putScalar(GO(-1));
    Teuchos::RCP<const import_type> import = importer;
    if (import.is_null()) import = Teuchos::rcp(new import_type(map_, columnMap));
    wanted.doImport(own, *import, Tpetra::INSERT);
    const auto values = wanted.getData();
    for (std::size_t c = 0; c < ids.size(); ++c) ids[c] = static_cast<std::int64_t>(values[c]);
  }

  // The owners are asked through an importer between contiguous maps that number indices by rank, which needs
  // no directory.
  std::vector<GO> importGlobals(const std::vector<std::int64_t>& ids) const {
    std::vector<std::int64_t> firstOf(1, 0);
    for (const MapPart& part : parts_) firstOf.push_back(firstOf.back() + part.count);
    std::vector<GO> numbers;
    for (const std::int64_t id : ids) {
      const Piece& piece = space_.pieceAt(id);
      numbers.push_back(static_cast<GO>(firstOf[piece.rank] + piece.firstLocal + (id - piece.start)));
    }
    const auto comm = map_->getComm();
    const auto total = static_cast<Tpetra::global_size_t>(firstOf.back());
    const auto byRank =
        Teuchos::rcp(new map_type(total, static_cast<std::size_t>(localSize(*map_)), 0, comm));
    const auto asked = Teuchos::rcp(new map_type(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                                 Teuchos::ArrayView<const GO>(numbers), 0, comm));
    Vector own(byRank);
    for (std::int64_t l = 0; l < localSize(*map_); ++l)
      own.replaceLocalValue(static_cast<LO>(l), map_->getGlobalElement(static_cast<LO>(l)));
    Vector answer(asked);
    answer.doImport(own, import_type(byRank, asked), Tpetra::INSERT);
    const auto values = answer.getData();
    return std::vector<GO>(values.begin(), values.end());
  }

  Teuchos::RCP<const map_type> map_;
  const std::vector<MapPart>& parts_;
  const IndexSpace& space_;
  bool consecutive_ = false;
  std::vector<Run> runs_;  // by global index
};

}  // namespace detail
}  // namespace Trident

#endif
