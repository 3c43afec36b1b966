#include "topology/Trident_Topology.hpp"

#include <map>
#include <sstream>
#include <stdexcept>

#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

std::vector<int> parseSizes(const std::string& text) {
  std::vector<int> sizes;
  std::istringstream in(text + ',');  // so that a comma at the end ends an empty word, which is refused
  std::string word;
  while (std::getline(in, word, ',')) {
    std::size_t used = 0;
    int size = 0;
    try {
      size = std::stoi(word, &used);
    } catch (const std::exception&) {
      size = 0;
    }
    while (used < word.size() && word[used] == ' ') ++used;
    if (size <= 0 || used != word.size())
      throw std::invalid_argument("Trident: ranks per node are \"" + text +
                                  "\"; they must be one positive number or a comma-separated list of them "
                                  "(\"trident: ranks per node\" or TRIDENT_RANKS_PER_NODE)");
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<int> forcedNodes(const std::vector<int>& sizes, int ranks) {
  std::vector<int> nodeOf;
  for (int node = 0; static_cast<int>(nodeOf.size()) < ranks; ++node) {
    const int size = sizes[static_cast<std::size_t>(node) % sizes.size()];
    for (int k = 0; k < size && static_cast<int>(nodeOf.size()) < ranks; ++k) nodeOf.push_back(node);
  }
  return nodeOf;
}

std::vector<int> realNodes(MPI_Comm comm, int ranks) {
  int rank = 0;
  checkMpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  MPI_Comm shared = MPI_COMM_NULL;
  checkMpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared),
           "MPI_Comm_split_type");
  int lowest = rank;
  checkMpi(MPI_Bcast(&lowest, 1, MPI_INT, 0, shared), "MPI_Bcast");
  MPI_Comm_free(&shared);
  std::vector<int> label(static_cast<std::size_t>(ranks));
  checkMpi(MPI_Allgather(&lowest, 1, MPI_INT, label.data(), 1, MPI_INT, comm), "MPI_Allgather");
  return label;
}

}  // namespace

Topology::Topology(const std::vector<int>& nodeOfRank) {
  std::map<int, int> number;
  for (int rank = 0; rank < static_cast<int>(nodeOfRank.size()); ++rank) {
    const int next = static_cast<int>(number.size());
    const int node = number.emplace(nodeOfRank[rank], next).first->second;
    if (node == next) ranksOf_.emplace_back();
    nodeOf_.push_back(node);
    sliceOf_.push_back(static_cast<int>(ranksOf_[node].size()));
    ranksOf_[node].push_back(rank);
  }
}

Topology Topology::forced(int ranks, const std::string& sizes) {
  return Topology(forcedNodes(parseSizes(sizes), ranks));
}

Topology Topology::discover(MPI_Comm comm) {
  int ranks = 0;
  checkMpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  return Topology(realNodes(comm, ranks));
}

}  // namespace Trident
