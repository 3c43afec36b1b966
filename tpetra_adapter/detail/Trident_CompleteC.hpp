#ifndef TRIDENT_COMPLETE_C_HPP
#define TRIDENT_COMPLETE_C_HPP

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "detail/Trident_ResultRows.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace detail {

/// What C holds already, in the order in which one rank's state overrules another's.
enum class StateOfC { clean, inserted, graph, unfilledGraph };

/// Local.
template <class Matrix>
StateOfC stateOf(const Matrix& C) {
  if (C.isGloballyIndexed()) return StateOfC::inserted;
  if (!C.isLocallyIndexed()) return StateOfC::clean;
  const auto rows = C.getLocalMatrixDevice().graph.row_map.extent(0);
  return rows == 0 && localSize(*C.getRowMap()) > 0 ? StateOfC::unfilledGraph : StateOfC::graph;
}

/// What C's caller wants done with the product, and the maps it gets.
template <class Types>
struct ResultMaps {
  using map_type = typename Types::map_type;
  Teuchos::RCP<const map_type> domain;
  Teuchos::RCP<const map_type> range;
  bool computeGlobalConstants = true;

  /// The one that the product's context hangs on: whoever keeps the product keeps it.
  Teuchos::RCP<const Teuchos::Comm<int>> comm = {};

  /// C gets an importer though all its columns turn out to be at home, as Tpetra's C has one where a factor
  /// has: MueLu's rebalancing takes a matrix without for one that shares its domain map with its rows.
  bool importsAnyway = false;

  const char* errorPrefix = detail::errorPrefix();
};

/// Sets a graph's global constants, which Tpetra can only compute, by two all-reduces.
template <class Graph>
class GlobalConstants : private Graph {
 public:
  static void set(Graph& graph, const Settlement& settled) {
    graph.*(&GlobalConstants::globalNumEntries_) = static_cast<Tpetra::global_size_t>(settled.entries);
    graph.*(&GlobalConstants::globalMaxNumRowEntries_) =
        static_cast<Tpetra::global_size_t>(settled.longestRow);
    graph.*(&GlobalConstants::haveGlobalConstants_) = true;
  }
};

/// C's column map and the importer to it, from what all ranks know by now. Tpetra would ask for the owners of
/// all columns, and for what is exported, in half a dozen collectives; here one is left, in the map.
template <class Types>
Teuchos::RCP<const typename Types::import_type> importerOfC(
    const ResultRows<Types>& rows, const Teuchos::RCP<const typename Types::map_type>& domainMap,
    const Settlement& settled, const AskedColumns& asking) {
  const typename Types::map_type& domain = *domainMap;
  using LO = typename Types::local_ordinal_type;
  using GO = typename Types::global_ordinal_type;
  std::vector<GO> globals;
  globals.reserve(static_cast<std::size_t>(localSize(domain)) + rows.otherGlobals.size());
  for (std::int64_t l = 0; l < localSize(domain); ++l)
    globals.push_back(domain.getGlobalElement(static_cast<LO>(l)));
  globals.insert(globals.end(), rows.otherGlobals.begin(), rows.otherGlobals.end());
  const auto columnMap = Teuchos::rcp(new typename Types::map_type(
      static_cast<Tpetra::global_size_t>(settled.columns), Teuchos::ArrayView<const GO>(globals),
      domain.getIndexBase(), domain.getComm()));

  std::vector<int> owners = rows.others.owners;
  const std::vector<LO> exported(asking.locals.begin(), asking.locals.end());
  return Teuchos::rcp(new typename Types::import_type(domainMap, columnMap, Teuchos::ArrayView<int>(owners),
                                                      Teuchos::ArrayView<const LO>(exported),
                                                      Teuchos::ArrayView<const int>(asking.owners)));
}

/// Gives a C without a graph the product's, as Tpetra leaves it: column map fitted to the domain map,
/// importer, sorted rows, fill complete. `asking` are this rank's columns that others have. Collective.
template <class Types>
void fillNewC(const ResultRows<Types>& rows, const ResultMaps<Types>& maps, const Settlement& settled,
              const AskedColumns& asking, typename Types::matrix_type& C) {
  Teuchos::RCP<const typename Types::map_type> columnMap = maps.domain;
  Teuchos::RCP<const typename Types::import_type> importer;
  if (settled.otherColumns > 0 || maps.importsAnyway) {
    importer = importerOfC<Types>(rows, maps.domain, settled, asking);
    columnMap = importer->getTargetMap();
  }
  const auto constants = Teuchos::rcp(new Teuchos::ParameterList);
  constants->set("compute global constants", false);
  C.replaceColMap(columnMap);
  C.setAllValues(rows.rowPtr, rows.columns, rows.values);
  C.expertStaticFillComplete(maps.domain, maps.range, importer, Teuchos::null, constants);
  using graph_type = typename Types::matrix_type::crs_graph_type;
  if (maps.computeGlobalConstants)
    GlobalConstants<graph_type>::set(const_cast<graph_type&>(*C.getCrsGraph()), settled);
}

/// Finds the entries of a product in a graph that C has already.
template <class Types>
class GraphOfC {
 public:
  using LO = typename Types::local_ordinal_type;
  using GO = typename Types::global_ordinal_type;
  using value_type = typename Types::impl_scalar_type;

  GraphOfC(const typename Types::matrix_type& C, const typename Types::map_type& domain,
           const std::vector<GO>& otherGlobals)
      : C_(C), columnMap_(*C.getColMap()) {
    const std::int64_t own = localSize(domain);
    for (std::int64_t l = 0; l < own; ++l) globals_.push_back(domain.getGlobalElement(static_cast<LO>(l)));
    globals_.insert(globals_.end(), otherGlobals.begin(), otherGlobals.end());
    for (const GO global : globals_) columnInC_.push_back(columnMap_.getLocalElement(global));
  }

  /// The place of each of the product's entries in C's graph. Throws std::runtime_error naming the first
  /// entry that the graph lacks. C is not touched.
  std::vector<std::int64_t> placesFor(const ResultRows<Types>& rows) const {
    const auto local = C_.getLocalMatrixHost();
    const auto& graph = local.graph;
    std::vector<std::int64_t> places;
    places.reserve(rows.columns.extent(0));
    std::vector<std::int64_t> placeOf(static_cast<std::size_t>(localSize(columnMap_)), -1);
    const auto count = static_cast<std::int64_t>(rows.rowPtr.extent(0)) - 1;
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::size_t e = graph.row_map(i); e < graph.row_map(i + 1); ++e)
        placeOf[graph.entries(e)] = static_cast<std::int64_t>(e);
      for (std::size_t e = rows.rowPtr(i); e < rows.rowPtr(i + 1); ++e) {
        const LO column = columnInC_[rows.columns(e)];
        places.push_back(column == Teuchos::OrdinalTraits<LO>::invalid() ? std::int64_t{-1}
                                                                         : placeOf[column]);
        if (places.back() < 0) refuse(i, globals_[rows.columns(e)]);
      }
      for (std::size_t e = graph.row_map(i); e < graph.row_map(i + 1); ++e) placeOf[graph.entries(e)] = -1;
    }
    return places;
  }

 private:
  [[noreturn]] void refuse(std::int64_t row, GO column) const {
    std::ostringstream text;
    text << "Trying to insert a new entry (" << C_.getRowMap()->getGlobalElement(static_cast<LO>(row)) << ','
         << column
         << ") into a static graph: C has a graph already, which must hold every entry of op(A)*op(B)";
    throw std::runtime_error(text.str());
  }

  const typename Types::matrix_type& C_;
  const typename Types::map_type& columnMap_;
  std::vector<GO> globals_;  // of the product's local columns
  std::vector<LO> columnInC_;
};

/// The values of a C whose fill is active, in the order of its local matrix. If its storage is not optimized,
/// that is a copy which fillComplete() makes anew from C's rows. Local.
template <class Types>
void overwriteValues(const typename Types::tile_types::Values& values, typename Types::matrix_type& C) {
  using LO = typename Types::local_ordinal_type;
  using Scalar = typename Types::scalar_type;
  const auto local = C.getLocalMatrixHost();
  if (C.isStorageOptimized()) {
    std::copy_n(values.data(), values.extent(0), local.values.data());
    return;
  }
  for (LO i = 0; i < static_cast<LO>(local.numRows()); ++i) {
    const auto first = local.graph.row_map(i);
    C.replaceLocalValues(i, static_cast<LO>(local.graph.row_map(i + 1) - first),
                         reinterpret_cast<const Scalar*>(values.data() + first),
                         local.graph.entries.data() + first);
  }
}

/// Puts values into a C that keeps its graph. Collective.
template <class Types>
void putValues(const typename Types::tile_types::Values& values, const ResultMaps<Types>& maps,
               typename Types::matrix_type& C) {
  auto& graph = const_cast<typename Types::matrix_type::crs_graph_type&>(*C.getCrsGraph());
  Settlement constants;
  const bool had = graph.haveGlobalConstants();
  if (had) {
    constants.entries = static_cast<std::int64_t>(graph.getGlobalNumEntries());
    constants.longestRow = static_cast<std::int64_t>(graph.getGlobalMaxNumRowEntries());
  }
  if (!C.isFillActive()) C.resumeFill();
  overwriteValues<Types>(values, C);
  const auto unchanged = Teuchos::rcp(new Teuchos::ParameterList);
  unchanged->set("No Nonlocal Changes", true);
  unchanged->set("compute global constants", !had && maps.computeGlobalConstants);
  C.fillComplete(maps.domain, maps.range, unchanged);
  if (had) GlobalConstants<typename Types::matrix_type::crs_graph_type>::set(graph, constants);
}

/// The product's values in C's graph, zero where the product has none.
template <class Types>
typename Types::tile_types::Values inPlaces(const std::vector<std::int64_t>& places,
                                            const typename Types::tile_types::Values& values,
                                            std::size_t entriesOfC) {
  const typename Types::tile_types::Values placed("Trident::C::placed", entriesOfC);
  for (std::size_t e = 0; e < places.size(); ++e) placed(places[e]) += values(e);
  return placed;
}

/// Values only: C keeps its graph. Throws on every rank if one rank's graph lacks an entry, before any value
/// is changed. Returns the places of the product's entries. Collective.
template <class Types>
std::vector<std::int64_t> replaceValuesOfC(const ResultRows<Types>& rows, const ResultMaps<Types>& maps,
                                           MPI_Comm comm, typename Types::matrix_type& C) {
  std::vector<std::int64_t> places;
  typename Types::tile_types::Values values;
  onAllRanksOrNone(comm, maps.errorPrefix, [&] {
    places = GraphOfC<Types>(C, *maps.domain, rows.otherGlobals).placesFor(rows);
    values = inPlaces<Types>(places, rows.values, C.getLocalMatrixHost().values.extent(0));
  });
  putValues<Types>(values, maps, C);
  return places;
}

/// The product's entries inserted into C, or summed into the graph it has; the caller completes it. Throws on
/// every rank if one rank's graph lacks an entry, before any value is changed, or if one rank's C has no room
/// for its entries, when other ranks may have inserted theirs. Collective.
template <class Types>
void insertIntoC(const ResultRows<Types>& rows, const ResultMaps<Types>& maps, MPI_Comm comm,
                 typename Types::matrix_type& C) {
  using LO = typename Types::local_ordinal_type;
  using GO = typename Types::global_ordinal_type;
  using Scalar = typename Types::scalar_type;
  onAllRanksOrNone(comm, maps.errorPrefix, [&] {
    if (C.isLocallyIndexed()) GraphOfC<Types>(C, *maps.domain, rows.otherGlobals).placesFor(rows);
  });
  const std::string noRoom = std::string(maps.errorPrefix) + "C has no room for the entries of op(A)*op(B): ";
  onAllRanksOrNone(comm, noRoom, [&] {
    if (!C.isFillActive()) C.resumeFill();
    std::vector<GO> columns;
    const std::int64_t own = localSize(*maps.domain);
    for (std::int64_t i = 0; i + 1 < static_cast<std::int64_t>(rows.rowPtr.extent(0)); ++i) {
      columns.clear();
      for (std::size_t e = rows.rowPtr(i); e < rows.rowPtr(i + 1); ++e) {
        const LO column = rows.columns(e);
        columns.push_back(column < own ? maps.domain->getGlobalElement(column)
                                       : rows.otherGlobals[column - own]);
      }
      const auto* values = reinterpret_cast<const Scalar*>(rows.values.data() + rows.rowPtr(i));
      const Teuchos::ArrayView<const GO> columnView(columns);
      const Teuchos::ArrayView<const Scalar> valueView(values, static_cast<Teuchos_Ordinal>(columns.size()));
      const GO row = C.getRowMap()->getGlobalElement(static_cast<LO>(i));
      if (C.isLocallyIndexed())
        C.sumIntoGlobalValues(row, columnView, valueView);
      else
        C.insertGlobalValues(row, columnView, valueView);
    }
  });
}

/// The columns of this rank that other ranks' rows of C have. Point to point.
template <class Types>
AskedColumns askingOf(const ResultRows<Types>& rows, const Settlement& settled, const Context& context) {
  if (settled.otherColumns == 0) return {};
  return exchangeAskedColumns(context, rows.others, settled.askers[context.rank()]);
}

/// What all ranks know when C is completed.
struct Completion {
  const Settlement& settled;
  StateOfC state;  ///< of C on the rank whose state overrules the others'
  const Context& context;
  AskedColumns& asking;  ///< filled in for a C that is new
};

/// The product's rows become C's, in whatever way C's state wants. If C keeps a graph of its own, returns the
/// places of the product's entries there. Collective.
template <class Types>
std::vector<std::int64_t> completeC(const ResultRows<Types>& rows, bool fillComplete,
                                    const ResultMaps<Types>& maps, const Completion& completion,
                                    typename Types::matrix_type& C) {
  const MPI_Comm comm = completion.context.comm();
  if (fillComplete && completion.state == StateOfC::clean) {
    completion.asking = askingOf(rows, completion.settled, completion.context);
    fillNewC(rows, maps, completion.settled, completion.asking, C);
  } else if (fillComplete && completion.state == StateOfC::graph) {
    return replaceValuesOfC(rows, maps, comm, C);
  } else {
    insertIntoC(rows, maps, comm, C);
    if (fillComplete) C.fillComplete(maps.domain, maps.range);
  }
  return {};
}

}  // namespace detail
}  // namespace Trident

#endif
