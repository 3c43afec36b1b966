#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "Problems.hpp"
#include "io/Trident_MatrixFile.hpp"

namespace Amg {

namespace {

/// Number of each vertex in the largest connected component, or -1 outside it, and the size of that.
struct Component {
  std::vector<std::int64_t> numberOf;
  std::int64_t size = 0;
};

Component largestComponent(const Trident::IO::TripletMatrix& graph) {
  std::vector<std::int64_t> parent(static_cast<std::size_t>(graph.rows));
  std::iota(parent.begin(), parent.end(), std::int64_t(0));
  const auto root = [&parent](std::int64_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (std::size_t k = 0; k < graph.row.size(); ++k) parent[root(graph.row[k])] = root(graph.col[k]);
  std::vector<std::int64_t> members(parent.size(), 0);
  for (std::int64_t v = 0; v < graph.rows; ++v) ++members[root(v)];
  const std::int64_t largest = std::max_element(members.begin(), members.end()) - members.begin();

  Component component;
  component.numberOf.assign(parent.size(), -1);
  for (std::int64_t v = 0; v < graph.rows; ++v)
    if (root(v) == largest) component.numberOf[v] = component.size++;
  return component;
}

}  // namespace

Problem graphLaplacian(const Comm& comm, const std::string& file) {
  const auto graph = Trident::IO::readMatrixFile(file, Trident::IO::symmetricDuplicatesOf("max"));
  if (graph.rows != graph.cols || graph.symmetry == "general")
    throw std::runtime_error(file + ": a graph's Laplacian needs a symmetric matrix");
  const Component component = largestComponent(graph);
  const auto map = Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(component.size), 0, comm));

  std::vector<double> degree(static_cast<std::size_t>(component.size), 0);
  std::vector<std::size_t> entries(degree.size(), 1);
  for (std::size_t k = 0; k < graph.row.size(); ++k) {
    const std::int64_t i = component.numberOf[graph.row[k]];
    if (i < 0 || graph.row[k] == graph.col[k]) continue;
    degree[i] += std::abs(graph.value[k]);
    ++entries[i];
  }
  const double shift = 1e-3 * std::accumulate(degree.begin(), degree.end(), 0.0) / double(component.size);

  Problem problem;
  problem.name = "Laplacian of " + file;
  problem.A = Teuchos::rcp(new Matrix(map, *std::max_element(entries.begin(), entries.end())));
  const auto insert = [&](std::int64_t row, std::int64_t col, double value) {
    const auto column = static_cast<GlobalOrdinal>(col);
    problem.A->insertGlobalValues(static_cast<GlobalOrdinal>(row), 1, &value, &column);
  };
  for (std::int64_t i = 0; i < component.size; ++i)
    if (map->isNodeGlobalElement(static_cast<GlobalOrdinal>(i))) insert(i, i, degree[i] + shift);
  for (std::size_t k = 0; k < graph.row.size(); ++k) {
    const std::int64_t i = component.numberOf[graph.row[k]];
    if (i < 0 || graph.row[k] == graph.col[k] || !map->isNodeGlobalElement(static_cast<GlobalOrdinal>(i)))
      continue;
    insert(i, component.numberOf[graph.col[k]], -std::abs(graph.value[k]));
  }
  problem.A->fillComplete();
  return problem;
}

}  // namespace Amg
