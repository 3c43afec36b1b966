#include "Cases.hpp"

#include <functional>
#include <stdexcept>
#include <utility>

namespace Bench {

namespace {

using namespace Trident;

constexpr std::uint64_t seed = 1;

Matrix square(IO::RowBlock rows) {
  Matrix matrix{std::move(rows), 0};
  matrix.columnCount = matrix.rowCount();
  return matrix;
}

Matrix stencil27(std::int64_t n) { return square(IO::stencil27(n, n, n, 0, n * n * n)); }

Case erdosRenyi() {
  constexpr std::int64_t n = 100000;
  return {"er100k", "A*A, er:n=100000,d=10", true, square(IO::erdosRenyi(n, 10, seed, 0, n)), {}};
}

Case stencil27Square() { return {"stencil27", "A*A, stencil27:48", true, stencil27(48), {}}; }

Case stencil7Square() {
  constexpr std::int64_t n = 64;
  return {"stencil7", "A*A, stencil7:64", false, square(IO::stencil7(n, n, n, 0, n * n * n)), {}};
}

Case rmat() {
  constexpr int scale = 14;
  return {"rmat14", "A*A, rmat:scale=14,d=8", false, square(IO::rmat(scale, 8, seed, 0, 1 << scale)), {}};
}

Case aggregation() {
  constexpr std::int64_t aggregate = 27;
  Case result{"aggregate", "A*P, stencil27:48, P aggregates 27 rows", false, stencil27(48), {}};
  const std::int64_t rows = result.A.rowCount();
  result.B = {IO::aggregation(rows, aggregate, 0, rows), (rows + aggregate - 1) / aggregate};
  result.square = false;
  return result;
}

const std::vector<std::pair<std::string, std::function<Case()>>>& makers() {
  static const std::vector<std::pair<std::string, std::function<Case()>>> all = {
      {"er100k", erdosRenyi}, {"stencil27", stencil27Square}, {"stencil7", stencil7Square},
      {"rmat14", rmat},       {"aggregate", aggregation},
  };
  return all;
}

}  // namespace

std::vector<std::string> caseNames() {
  std::vector<std::string> names;
  for (const auto& maker : makers()) names.push_back(maker.first);
  return names;
}

Case makeCase(const std::string& name) {
  for (const auto& maker : makers())
    if (maker.first == name) return maker.second();
  throw std::invalid_argument("no case is named " + name);
}

}  // namespace Bench
