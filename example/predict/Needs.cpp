#include "Needs.hpp"

#include <algorithm>

namespace Predict {

namespace {

/// Rows of B, with the entries counted by column block: shorter than the rows, and walked often.
struct BlockedRows {
  struct Part {
    int block;
    std::int64_t entries;
  };
  std::vector<std::size_t> rowPtr = {0};
  std::vector<Part> parts;

  BlockedRows(const Pattern& B, const Distribution& distribution, const GridBlocks& blocks) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(B.rows); ++row) {
      for (std::size_t e = B.rowPtr[row]; e < B.rowPtr[row + 1]; ++e) {
        const int rank = distribution.rankOfColumn[static_cast<std::size_t>(B.col[e])];
        const int block = blocks.columnBlock[static_cast<std::size_t>(distribution.nodeOf(rank))];
        // Columns ascend, and so do their blocks.
        if (parts.size() == rowPtr.back() || parts.back().block != block) parts.push_back({block, 0});
        ++parts.back().entries;
      }
      rowPtr.push_back(parts.size());
    }
  }

  template <class Visit>
  void forEachPart(int row, const Visit& visit) const {
    const auto r = static_cast<std::size_t>(row);
    for (std::size_t p = rowPtr[r]; p < rowPtr[r + 1]; ++p) visit(parts[p]);
  }
};

/// First index that a rank owns.
std::size_t firstOf(const std::vector<int>& ranks, int rank) {
  return static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

/// Goes through the row blocks of A, one at a time.
class NeedCounter {
 public:
  NeedCounter(const Problem& problem, const Distribution& distribution, const GridBlocks& blocks)
      : problem_(problem),
        distribution_(distribution),
        grid_(blocks.grid),
        rowsOfB_(problem.B, distribution, blocks),
        neededIn_(static_cast<std::size_t>(problem.B.rows), -1),
        ownedRows_(static_cast<std::size_t>(grid_.nodes()), 0) {
    const PerNode zero(static_cast<std::size_t>(grid_.nodes()), 0);
    for (Needs::From* from : {&needs_.owners, &needs_.tiles}) *from = {{zero, zero}, zero};
    needs_.askedRows = needs_.askedLists = zero;
    needs_.gatheredEntries = needs_.gatheredRows = zero;
  }

  Needs count() {
    for (int i = 0; i < grid_.rows; ++i) {
      readRowBlock(i);
      fetchRows(i);
      countRequests(i);
      for (const int node : owners_) ownedRows_[static_cast<std::size_t>(node)] = 0;
    }
    return needs_;
  }

 private:
  /// Lists the rows of B that row block i of A meets, and counts the multiplications by slice and column.
  void readRowBlock(int i) {
    const int slices = distribution_.ranksPerNode;
    const int ranksInRow = grid_.cols * slices;
    const auto columns = static_cast<std::size_t>(grid_.cols);
    std::vector<std::int64_t> work(columns * static_cast<std::size_t>(slices), 0);
    const std::size_t last = firstOf(distribution_.rankOfRow, (i + 1) * ranksInRow);
    needed_.clear();
    for (std::size_t row = firstOf(distribution_.rankOfRow, i * ranksInRow); row < last; ++row) {
      for (std::size_t e = problem_.A.rowPtr[row]; e < problem_.A.rowPtr[row + 1]; ++e) {
        const int k = problem_.A.col[e];
        if (neededIn_[static_cast<std::size_t>(k)] != i) needed_.push_back(k);
        neededIn_[static_cast<std::size_t>(k)] = i;
      }
      const auto slice = static_cast<std::size_t>(distribution_.rankOfRow[row] % slices);
      const Pattern& A = problem_.nonzeroA;
      for (std::size_t e = A.rowPtr[row]; e < A.rowPtr[row + 1]; ++e)
        rowsOfB_.forEachPart(A.col[e], [&](const BlockedRows::Part& part) {
          work[slice * columns + static_cast<std::size_t>(part.block)] += part.entries;
        });
    }
    needs_.multiplicationsMost =
        std::max(needs_.multiplicationsMost, *std::max_element(work.begin(), work.end()));
  }

  /// Fetches the listed rows to the nodes of grid row i.
  void fetchRows(int i) {
    const auto columns = static_cast<std::size_t>(grid_.cols);
    PerNode all(columns, 0), owned(columns, 0), inTile(columns, 0);
    owners_.clear();
    for (const int k : needed_) {
      const int owner = distribution_.nodeOf(distribution_.rankOfInner[static_cast<std::size_t>(k)]);
      const bool near = grid_.row(owner) == i;
      if (ownedRows_[static_cast<std::size_t>(owner)]++ == 0) owners_.push_back(owner);
      rowsOfB_.forEachPart(k, [&](const BlockedRows::Part& part) {
        const auto j = static_cast<std::size_t>(part.block);
        all[j] += part.entries;
        if (near) inTile[j] += part.entries;
        if (near && part.block == grid_.col(owner)) owned[j] += part.entries;
      });
    }
    std::int64_t rowsInTile = 0;
    for (int j = 0; j < grid_.cols; ++j) rowsInTile += ownedRows_[static_cast<std::size_t>(grid_.node(i, j))];
    const auto rows = static_cast<std::int64_t>(needed_.size());
    const auto blocks = static_cast<std::int64_t>(baseBlocksElsewhere(i).size());
    for (std::size_t j = 0; j < columns; ++j) {
      const auto v = static_cast<std::size_t>(grid_.node(i, static_cast<int>(j)));
      needs_.owners.traffic.entries[v] = all[j] - owned[j];
      needs_.owners.traffic.rowLengths[v] = rows - ownedRows_[v];
      needs_.owners.holders[v] = static_cast<std::int64_t>(owners_.size()) - (ownedRows_[v] > 0 ? 1 : 0);
      needs_.tiles.traffic.entries[v] = all[j] - inTile[j];
      needs_.tiles.traffic.rowLengths[v] = rows - rowsInTile;
      needs_.tiles.holders[v] = blocks;
      needs_.gatheredEntries[v] = all[j];
      needs_.gatheredRows[v] = rows;
    }
  }

  /// Base blocks of other grid rows that have needed rows.
  std::vector<int> baseBlocksElsewhere(int i) const {
    std::vector<int> found;
    for (const int owner : owners_)
      if (grid_.row(owner) != i) found.push_back(grid_.baseBlock(owner));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// Tiles are asked by the node of grid row i in their column.
  void countRequests(int i) {
    const auto addToRow = [this](int row, std::int64_t count, PerNode& sums) {
      for (int j = 0; j < grid_.cols; ++j) sums[static_cast<std::size_t>(grid_.node(row, j))] += count;
    };
    for (const int owner : owners_)
      if (grid_.row(owner) != i)
        addToRow(grid_.row(owner), ownedRows_[static_cast<std::size_t>(owner)], needs_.askedRows);
    for (const int block : baseBlocksElsewhere(i)) addToRow(grid_.rowBlock(block), 1, needs_.askedLists);
  }

  const Problem& problem_;
  const Distribution& distribution_;
  Trident::NodeGrid grid_;
  BlockedRows rowsOfB_;
  std::vector<int> neededIn_;  // the last row block that met a row of B
  std::vector<int> needed_;    // rows of B that the present row block meets
  std::vector<int> owners_;    // nodes that own some of them
  PerNode ownedRows_;          // how many
  Needs needs_;
};

}  // namespace

Needs countNeeds(const Problem& problem, const Distribution& distribution, const GridBlocks& blocks) {
  return NeedCounter(problem, distribution, blocks).count();
}

}  // namespace Predict
