#ifndef TRIDENT_TEST_REUSE_HPP
#define TRIDENT_TEST_REUSE_HPP

#include <string>

#include "TestModes.hpp"
#include "detail/Trident_KeptProduct.hpp"

// What the tests of products of the same patterns share.

namespace Trident::Test {

/// New values; stored zeros stay zeros, so that the product's pattern stays.
inline void revalueKeepingZeros(Matrix& a, unsigned seed) {
  const auto local = a.getLocalMatrixHost();
  for (LO lid = 0; lid < static_cast<LO>(local.numRows()); ++lid) {
    for (size_t e = local.graph.row_map(lid); e < local.graph.row_map(lid + 1); ++e) {
      const GO column = a.getColMap()->getGlobalElement(local.graph.entries(e));
      if (local.values(e) != 0) local.values(e) = valueAt(a.getRowMap()->getGlobalElement(lid), column, seed);
    }
  }
}

/// Multiplies with a report. Collective.
inline ProductReport reported(const Matrix& a, const Matrix& b, const Op& op, Matrix& c,
                              const Params& params) {
  const auto report = Teuchos::rcp(new ProductReport);
  params->set("trident: report", report);
  multiply(a, b, op, c, params);
  return *report;
}

/// What is wrong with the ledger of a values-only product on this rank, given its first product's: only
/// values travel, and of them as many as before, 8 bytes an entry.
inline std::string wrongLedger(const ProductReport& report, const ProductReport& first) {
  if (!report.valuesOnly) return "not values only";
  std::string wrong;
  for (int p = 0; p < phaseCount; ++p) {
    const auto phase = static_cast<Phase>(p);
    for (const Link link : {Link::Gi, Link::Li}) {  // in a node, the Allgatherv gathers patterns too
      const auto sent = report.ledger.bytesSent(phase, link, Kind::values);
      const auto received = report.ledger.bytesReceived(phase, link, Kind::values);
      // Requests for tiles are what one engine adds to anything.
      const bool asks = report.plan.engine == EngineKind::requests;
      const auto asked = asks ? report.ledger.bytesSent(phase, link, Kind::request) : 0;
      const auto heard = asks ? report.ledger.bytesReceived(phase, link, Kind::request) : 0;
      const bool others = link == Link::Gi && (sent + asked != report.ledger.bytesSent(phase, link) ||
                                               received + heard != report.ledger.bytesReceived(phase, link));
      const bool asBefore = sent == first.ledger.bytesSent(phase, link, Kind::values) &&
                            received == first.ledger.bytesReceived(phase, link, Kind::values);
      const bool eightBytes = link == Link::Li || received == 8 * first.ledger.entriesReceived(phase, link);
      const bool entries =
          report.ledger.entriesReceived(phase, link) == first.ledger.entriesReceived(phase, link);
      const auto where = std::string(link == Link::Gi ? " over Gi" : " over Li") + " in phase " +
                         Trident::name(phase) + "; ";
      if (others) wrong += "more than values" + where;
      if (!asBefore) wrong += "other values than before" + where;
      if (!eightBytes) wrong += "not 8 bytes an entry" + where;
      if (!entries) wrong += "other entries counted than before" + where;
    }
  }
  return wrong;
}

/// The product in a graph with more entries: what the product lacks is zero.
inline Expected within(Expected expected, const ReferenceMatrix& graph) {
  for (const auto& [i, row] : graph.row) {
    for (const auto& [j, value] : row) {
      expected.product.row[i].emplace(j, 0);
      expected.bound.row[i].emplace(j, 0);
    }
  }
  return expected;
}

using Types = detail::TpetraTypes<Scalar, LO, GO, Matrix::node_type>;

inline const char* const gridsOfFourNodes[] = {"4x1", "2x2", "1x4"};

/// The error's type on every rank, and that its text is the same on all; "nothing" if there was none.
template <class Call>
std::string errorEverywhere(const Comm& comm, const Call& call, const std::string& part) {
  std::string text = "nothing";
  try {
    call();
  } catch (const std::invalid_argument& error) {
    text = std::string("invalid_argument: ") + error.what();
  } catch (const std::runtime_error& error) {
    text = std::string("runtime_error: ") + error.what();
  }
  const auto texts = textsOfAllRanks(mpiComm(comm), text);
  for (const auto& other : texts) {
    if (other != texts[0]) return "ranks differ: " + texts[0] + " | " + other;
  }
  if (text.find(part) == std::string::npos) return '"' + part + "\" is not in: " + text;
  return text.substr(0, text.find(':'));
}

/// A sample whose product C keeps, made on a 2x2 grid.
class ReuseEnds : public EightRanks {
 protected:
  void SetUp() override {
    EightRanks::SetUp();
    sample = std::make_unique<Sample>(comm);
    c = sample->newC();
    multiplyInto(*sample->a, "2x2");
    graph = sample->expected().product;
  }

  /// Multiplies into C; whether that sent values only.
  bool multiplyInto(const Matrix& a, const char* grid, bool reuse = true) {
    const auto params = topologyParams("2", grid);
    params->set("trident: reuse", reuse);
    return reported(a, *sample->b, {}, *c, params).valuesOnly;
  }

  void expectProductOf(const Matrix& a) {
    EXPECT_EQ(differenceToReference(*c, within(expectedProduct(a, *sample->b, {}), graph)), "");
    EXPECT_EQ(brokenPromises(*c, sample->maps), "");
  }

  /// A product of other values is made with what C keeps.
  void expectReused(const char* grid = "2x2") {
    revalueKeepingZeros(*sample->a, ++seed_);
    EXPECT_TRUE(multiplyInto(*sample->a, grid));
    expectProductOf(*sample->a);
  }

  /// A without every third of the entries in the rows of this rank, or all ranks (-1).
  Teuchos::RCP<Matrix> thinnedA(int rank) const {
    auto pattern = gathered(*sample->a);
    const auto mine = sample->maps.row;
    int number = 0;
    for (auto& [i, row] : pattern.row) {
      const bool here = mine->isNodeGlobalElement(static_cast<GO>(i));
      if (!here || (rank >= 0 && comm->getRank() != rank)) continue;
      for (auto entry = row.begin(); entry != row.end();)
        entry = ++number % 3 == 0 ? row.erase(entry) : std::next(entry);
    }
    const auto& a = *sample->a;
    const auto thin = matrixOf(pattern, {a.getRowMap(), a.getDomainMap(), a.getRangeMap()});
    revalue(*thin, 31);
    return thin;
  }

  std::unique_ptr<Sample> sample;
  Teuchos::RCP<Matrix> c;
  ReferenceMatrix graph;

 private:
  unsigned seed_ = 500;
};

}  // namespace Trident::Test

#endif
