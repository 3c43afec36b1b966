#ifndef TRIDENT_TEST_TILED_PRODUCT_HPP
#define TRIDENT_TEST_TILED_PRODUCT_HPP

// Products of the engine without Tpetra: matrices of any distribution, and what a product must promise.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "multiply/Trident_Prediction.hpp"
#include "multiply/Trident_TiledProduct.hpp"
#include "reference/Trident_Reference.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident::EngineTest {

using Device = Kokkos::DefaultHostExecutionSpace::device_type;

// How one dimension lies on the ranks: consecutive global indices, some ranks without any.
inline std::vector<std::int64_t> spread(std::int64_t size, int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 0);
  for (std::int64_t i = 0; i < size; ++i) {
    auto rank = static_cast<std::size_t>(random()) % counts.size();
    if (seed % 2 == 1 && rank == counts.size() / 2) rank = 0;  // an empty rank
    ++counts[rank];
  }
  return counts;
}

template <class Scalar>
Reference::Matrix<Scalar> randomMatrix(std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                       unsigned seed) {
  std::mt19937 random(seed);
  Reference::Matrix<Scalar> matrix;
  for (std::int64_t e = 0; e < entries && rows * columns > 0; ++e)
    matrix.row[static_cast<std::int64_t>(random()) % rows][static_cast<std::int64_t>(random()) % columns] =
        static_cast<Scalar>(static_cast<int>(random() % 9) - 4);
  return matrix;
}

inline Reference::Matrix<double> scaled(Reference::Matrix<double> matrix, double factor) {
  for (auto& [i, row] : matrix.row)
    for (auto& [j, value] : row) value *= factor + static_cast<double>((i + j) % 3);
  return matrix;
}

struct Setting {
  std::string nodes;
  NodeGrid grid;
  GatherKind gather;
  LocalKind local;
  int roundsPerBatch;
  int roundsAhead;
  std::int64_t maxMessageBytes;
  TileFilter filter = TileFilter::whole;
  TileSource source = TileSource::tiles;
};

template <class Types>
class Harness {
 public:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;
  using Matrix = Reference::Matrix<Scalar>;

  Harness(const Setting& setting, std::int64_t m, std::int64_t k, std::int64_t n, unsigned seed)
      : context_(Context::of(MPI_COMM_WORLD, setting.nodes)),
        rows_(spread(m, context_.topology().ranks(), seed)),
        inner_(spread(k, context_.topology().ranks(), seed + 1)),
        columns_(spread(n, context_.topology().ranks(), seed + 2)),
        spacesHeld_(new ProductSpaces{
            IndexSpace(context_.topology(), setting.grid, rows_, BlockOrder::bySlice),
            IndexSpace(context_.topology(), setting.grid, inner_,
                       setting.source == TileSource::tiles ? BlockOrder::bySlice : BlockOrder::byRank),
            IndexSpace(context_.topology(), setting.grid, columns_, BlockOrder::byRank)}),
        spaces_(*spacesHeld_) {
    plan_.grid = setting.grid;
    plan_.gather = setting.gather;
    plan_.local = setting.local;
    plan_.roundsPerBatch = setting.roundsPerBatch;
    plan_.roundsAhead = setting.roundsAhead;
    plan_.maxMessageBytes = setting.maxMessageBytes;
    plan_.filter = setting.filter;
    plan_.source = setting.source;
  }

  Plan& plan() { return plan_; }
  ProductReport& report() { return report_; }

  std::vector<BlockOfRows<Types>> multiply(const Matrix& a, const Matrix& b) {
    TiledProduct<Types> product(context_, plan_, spacesHeld_);
    auto C = product.multiply(ownRows(a, rows_, spaces_.inner, inner_, usedColumns(a)),
                              ownRows(b, inner_, spaces_.columns, columns_, allColumns(columns_)),
                              neededOfOwner(a));
    RankTally tally = product.tally();
    tally.rows = rows_[context_.rank()];
    tally.inner = inner_[context_.rank()];
    for (const auto& block : C) tally.C.push_back(static_cast<std::int64_t>(block.columns.extent(0)));
    std::vector<std::int64_t> sums = tallyByNode(context_, tally);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM,
                  context_.comm());
    report_ = product.report();
    addPrediction(plan_, tally, sums, {sizeof(Ordinal), sizeof(Ordinal) + sizeof(Scalar)}, report_);
    return C;
  }

  // A product, recorded, and again with other values, for which nothing but values may travel.
  void expectValuesOnly(const Matrix& a, const Matrix& b, const Matrix& a2, const Matrix& b2) {
    TiledProduct<Types> product(context_, plan_, spacesHeld_);
    product.record();
    const NeededOfOwner owner = neededOfOwner(a);
    const auto rowsOfA = [&](const Matrix& x) {
      return ownRows(x, rows_, spaces_.inner, inner_, usedColumns(x));
    };
    const auto rowsOfB = [&](const Matrix& x) {
      return ownRows(x, inner_, spaces_.columns, columns_, allColumns(columns_));
    };
    expectRows(product.multiply(rowsOfA(a), rowsOfB(b), owner), Reference::product(a, b, true));
    const Ledger first = product.report().ledger;
    for (const auto& [x, y] : {std::pair(a2, b2), std::pair(a, b2)}) {
      expectRows(product.multiplyValuesUnagreed(rowsOfA(x), rowsOfB(y)), Reference::product(x, y, true));
      const Ledger& again = product.report().ledger;
      for (int p = 0; p < phaseCount; ++p) {
        const auto phase = static_cast<Phase>(p);
        const std::int64_t asked = again.bytesReceived(phase, Link::Gi, Kind::request);
        EXPECT_EQ(again.bytesReceived(phase, Link::Gi),
                  again.bytesReceived(phase, Link::Gi, Kind::values) + asked);
        EXPECT_EQ(again.bytesReceived(phase, Link::Gi, Kind::values),
                  first.bytesReceived(phase, Link::Gi, Kind::values));
        if (plan_.engine == EngineKind::automatic) {
          EXPECT_EQ(asked, 0);
        }
      }
      MPI_Barrier(context_.comm());
    }
  }

  void expectRows(const std::vector<BlockOfRows<Types>>& C, const Matrix& expected) const {
    const std::int64_t first = firstOf(rows_, context_.rank());
    for (std::int64_t i = 0; i < rows_[context_.rank()]; ++i) {
      std::map<std::int64_t, Scalar> row;
      for (const auto& block : C)
        for (std::size_t e = block.rowPtr(i); e < block.rowPtr(i + 1); ++e) {
          EXPECT_TRUE(row.emplace(globalOf(block.firstColumn + block.columns(e)), block.values(e)).second);
          EXPECT_LT(e > block.rowPtr(i) ? block.columns(e - 1) : Ordinal(-1), block.columns(e));
        }
      const auto wanted = expected.row.find(first + i);
      EXPECT_EQ(row, wanted == expected.row.end() ? (std::map<std::int64_t, Scalar>()) : wanted->second);
    }
  }

  void expectLedgerAsPredicted() const {
    for (int p = 0; p < phaseCount; ++p) {
      const auto phase = static_cast<Phase>(p);
      // Requests, for rows of tiles or for tiles, are the one thing that is not predicted.
      const std::int64_t asked = report_.ledger.bytesReceived(phase, Link::Gi, Kind::request);
      const std::int64_t tiles =
          report_.ledger.bytesReceived(phase, Link::Gi) - (phase == Phase::setup ? 0 : asked);
      std::int64_t ofNode = 0;
      MPI_Allreduce(&tiles, &ofNode, 1, MPI_INT64_T, MPI_SUM, context_.nodeComm());
      EXPECT_EQ(ofNode, report_.predictedGiBytes[p][context_.node()]) << name(phase);
    }
    std::int64_t difference = report_.ledger.bytesSent(Link::Gi) - report_.ledger.bytesReceived(Link::Gi);
    MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPI_INT64_T, MPI_SUM, context_.comm());
    EXPECT_EQ(difference, 0) << "bytes sent and not received";
  }

 protected:
  static std::int64_t firstOf(const std::vector<std::int64_t>& counts, int rank) {
    return std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
  }

  std::int64_t globalOf(std::int64_t columnId) const {
    const Piece& piece = spaces_.columns.pieceAt(columnId);
    return firstOf(columns_, piece.rank) + piece.firstLocal + columnId - piece.start;
  }

  static std::vector<std::int64_t> allColumns(const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> columns(
        static_cast<std::size_t>(firstOf(counts, static_cast<int>(counts.size()))));
    std::iota(columns.begin(), columns.end(), std::int64_t{0});
    return columns;
  }

  // Global columns that a rank's rows of A have.
  std::vector<std::int64_t> usedColumns(const Matrix& a, int rank) const {
    std::set<std::int64_t> columns;
    for (std::int64_t i = firstOf(rows_, rank); i < firstOf(rows_, rank + 1); ++i)
      if (const auto row = a.row.find(i); row != a.row.end())
        for (const auto& [k, value] : row->second) columns.insert(k);
    return {columns.begin(), columns.end()};
  }
  std::vector<std::int64_t> usedColumns(const Matrix& a) const { return usedColumns(a, context_.rank()); }

  NeededOfOwner neededOfOwner(const Matrix& a) const {
    return NeededOfOwner(context_.topology(), plan_.grid, inner_[context_.rank()], consumersOf(a));
  }

  RowConsumers consumersOf(const Matrix& a) const {
    RowConsumers consumers;
    const std::int64_t first = firstOf(inner_, context_.rank());
    for (int rank = 0; rank < context_.topology().ranks(); ++rank)
      for (const std::int64_t k : usedColumns(a, rank))
        if (rank != context_.rank() && k >= first && k < first + inner_[context_.rank()]) {
          consumers.rows.push_back(k - first);
          consumers.ranks.push_back(rank);
        }
    return consumers;
  }

  // Local columns are numbered as `used` lists them.
  LocalRows<Types> ownRows(const Matrix& matrix, const std::vector<std::int64_t>& counts,
                           const IndexSpace& space, const std::vector<std::int64_t>& columnCounts,
                           const std::vector<std::int64_t>& used) const {
    const std::int64_t first = firstOf(counts, context_.rank());
    std::vector<std::size_t> rowPtr{0};
    std::vector<Ordinal> columns;
    std::vector<Scalar> values;
    for (std::int64_t i = 0; i < counts[context_.rank()]; ++i) {
      const auto row = matrix.row.find(first + i);
      if (row != matrix.row.end())
        for (const auto& [j, value] : row->second) {
          columns.push_back(
              static_cast<Ordinal>(std::lower_bound(used.begin(), used.end(), j) - used.begin()));
          values.push_back(value);
        }
      rowPtr.push_back(columns.size());
    }
    std::vector<std::int64_t> ids;
    for (const std::int64_t j : used)
      for (const Piece& piece : space.pieces()) {
        const std::int64_t begin = firstOf(columnCounts, piece.rank) + piece.firstLocal;
        if (j >= begin && j < begin + piece.count) ids.push_back(piece.start + j - begin);
      }
    return {copied<typename Types::Offsets>(rowPtr), copied<typename Types::Ordinals>(columns),
            copied<typename Types::Values>(values), copied<typename Types::Ids>(ids)};
  }

  template <class View, class T>
  static View copied(const std::vector<T>& from) {
    auto view = allocate<View>("copied", static_cast<std::int64_t>(from.size()));
    std::copy(from.begin(), from.end(), view.data());
    return view;
  }

  Context& context_;
  std::vector<std::int64_t> rows_, inner_, columns_;
  std::shared_ptr<const ProductSpaces> spacesHeld_;
  const ProductSpaces& spaces_;
  Plan plan_;
  ProductReport report_;
};

}  // namespace Trident::EngineTest

#endif
