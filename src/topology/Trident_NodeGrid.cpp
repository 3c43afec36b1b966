#include "topology/Trident_NodeGrid.hpp"

#include <numeric>
#include <ostream>
#include <regex>
#include <stdexcept>

namespace Trident {

int NodeGrid::rounds() const { return std::lcm(rows, cols); }

int NodeGrid::baseBlock(int node) const {
  const int perRowBlock = rounds() / rows;
  return row(node) * perRowBlock + col(node) * perRowBlock / cols;
}

NodeGrid NodeGrid::nearlySquare(int nodes) {
  NodeGrid best{nodes, 1};
  for (int cols = 1; cols * cols <= nodes; ++cols)
    if (nodes % cols == 0) best = NodeGrid{nodes / cols, cols};
  return best;
}

NodeGrid NodeGrid::parse(const std::string& text, int nodes) {
  std::smatch part;
  const std::regex form("\\s*([0-9]{1,6})\\s*[xX]\\s*([0-9]{1,6})\\s*");
  NodeGrid grid;
  if (std::regex_match(text, part, form)) {
    grid = NodeGrid{std::stoi(part[1]), std::stoi(part[2])};
    if (static_cast<long long>(grid.rows) * grid.cols == nodes && grid.rows > 0) return grid;
  }
  throw std::invalid_argument("Trident: \"trident: grid\" is \"" + text +
                              "\"; it must be \"RxC\" with R times C = " + std::to_string(nodes) +
                              ", the number of nodes");
}

std::ostream& operator<<(std::ostream& out, const NodeGrid& grid) {
  return out << grid.rows << 'x' << grid.cols;
}

}  // namespace Trident
