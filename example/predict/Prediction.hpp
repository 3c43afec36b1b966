#ifndef TRIDENT_PREDICT_PREDICTION_HPP
#define TRIDENT_PREDICT_PREDICTION_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/Trident_CostModel.hpp"

namespace Predict {

/// One number a node.
using PerNode = std::vector<std::int64_t>;

/// What the nodes receive over Gi in one phase.
struct PhaseTraffic {
  PerNode entries;
  PerNode rowLengths;
};

/// The phases of a product, in order, as trident-spgemm --json names them.
enum Phase { convertA, convertB, multiplyA, multiplyB, mapBackC, phaseCount };
constexpr std::array<const char*, phaseCount> phaseNames = {"convert_a", "convert_b", "multiply_a",
                                                            "multiply_b", "map_back_c"};

/// What one candidate is expected to cost.
struct Prediction {
  bool tpetra = false;  ///< Tpetra's own algorithm, not a member of the family as Trident runs it
  Trident::CandidateCosts costs;
  double seconds = 0;
  /// By phase; empty lists where a phase was not counted node by node.
  std::array<PhaseTraffic, phaseCount> phases;
  PerNode requestBytes;  ///< bitmaps of needed rows; where tiles are asked for them, counts and ids too

  /// "owners", "tiles", or for Tpetra "ranks".
  std::string source() const { return tpetra ? "ranks" : costs.fromOwners ? "owners" : "tiles"; }
  std::string filter() const { return Trident::name(costs.filter); }
};

/// How products are run.
struct Setting {
  bool chain = false;        ///< operands lie in tiles already, and C stays there
  bool sharedWindow = true;  ///< ranks of a node read one copy of B's tiles; else each gathers its own
};

/// All candidates on one number of nodes and of ranks a node.
struct Case {
  int nodes = 1;
  int ranksPerNode = 1;
  std::vector<Prediction> predictions;
  std::size_t best = 0;
};

/// What is multiplied.
struct Sizes {
  double rows = 0, inner = 0, cols = 0;
  double entriesA = 0, entriesB = 0, entriesC = 0;
  double multiplications = 0;
};

/// Bytes of the wire and of memory.
constexpr std::int64_t entryBytes = 12;        ///< a column and a value, on the wire and in memory
constexpr std::int64_t rowLengthBytes = 4;     ///< on the wire
constexpr std::int64_t requestedRowBytes = 4;  ///< the id of a row that is asked of a tile
constexpr std::int64_t countBytes = 8;         ///< how many rows are asked for
constexpr std::int64_t tpetraRowBytes = 8;     ///< a row that Tpetra fetches
constexpr std::int64_t rowPointerBytes = 8;    ///< in memory
constexpr int arraysATransfer = 3;             ///< row lengths, columns and values are a message each

/// The divisor pairs of N, from N x 1 to 1 x N.
std::vector<Trident::NodeGrid> gridsOf(int nodes);

/// Filter and source of the candidates on every grid.
struct Member {
  bool needed;
  bool fromOwners;
};

/// In a chain the operands lie in tiles, and nothing is fetched from 1D owners.
std::vector<Member> membersOf(bool chain);

/// Bytes of requests that a node receives whatever the sparsity: bitmaps and counts, not ids.
std::int64_t fixedRequestBytes(const Trident::CandidateCosts& costs, int ranksPerNode, std::int64_t rowsOfB);

/// Messages that a rank receives over Gi. `messagesOfB` are those that depend on the sparsity: rows of B and
/// lists of ids that are asked for.
double messagesOf(const Trident::CandidateCosts& costs, bool chain, double messagesOfB);

/// Times and the best candidate.
void rank(Case& which, const Trident::Machine& machine);

}  // namespace Predict

#endif
