#include "topology/Trident_Context.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

// The contexts of one communicator, by the topology asked for.
using Holder = std::map<std::string, std::unique_ptr<Context>>;

// Never destroyed: MPI may be finalized by the destructor of some static object that outlives ours.
std::mutex& cacheMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

// In order of creation, which is the same on all ranks that share contexts.
std::vector<Holder*>& liveHolders() {
  static auto* live = new std::vector<Holder*>;
  return *live;
}

int freeHolder(MPI_Comm, int, void* value, void*) {
  auto* holder = static_cast<Holder*>(value);
  auto& live = liveHolders();
  live.erase(std::remove(live.begin(), live.end(), holder), live.end());
  delete holder;
  return MPI_SUCCESS;
}

// MPI_Finalize frees MPI_COMM_SELF first, while everything else still works: the last moment at which
// communicators and windows hanging on communicators that nobody frees can be given back.
int freeAll(MPI_Comm, int, void*, void*) {
  auto& live = liveHolders();
  for (auto holder = live.rbegin(); holder != live.rend(); ++holder) (*holder)->clear();
  return MPI_SUCCESS;
}

int holderKey() {
  static const int key = [] {
    int holders = MPI_KEYVAL_INVALID;
    checkMpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freeHolder, &holders, nullptr),
             "MPI_Comm_create_keyval");
    int atEnd = MPI_KEYVAL_INVALID;
    checkMpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freeAll, &atEnd, nullptr),
             "MPI_Comm_create_keyval");
    checkMpi(MPI_Comm_set_attr(MPI_COMM_SELF, atEnd, nullptr), "MPI_Comm_set_attr");
    return holders;
  }();
  return key;
}

Topology topologyOf(MPI_Comm comm, const std::string& forced) {
  if (forced.empty()) return Topology::discover(comm);
  int ranks = 0;
  checkMpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  return Topology::forced(ranks, forced);
}

int sharingRanks(MPI_Comm comm) {
  MPI_Comm shared = MPI_COMM_NULL;
  checkMpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared), "MPI_Comm_split_type");
  int ranks = 1;
  checkMpi(MPI_Comm_size(shared, &ranks), "MPI_Comm_size");
  MPI_Comm_free(&shared);
  return ranks;
}

}  // namespace

Context& Context::of(MPI_Comm comm, const std::string& forced) {
  const std::lock_guard<std::mutex> lock(cacheMutex());
  const int key = holderKey();
  void* value = nullptr;
  int found = 0;
  checkMpi(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  if (found == 0) {
    auto holder = std::make_unique<Holder>();
    value = holder.get();
    checkMpi(MPI_Comm_set_attr(comm, key, value), "MPI_Comm_set_attr");
    liveHolders().push_back(holder.release());
  }
  std::unique_ptr<Context>& context = (*static_cast<Holder*>(value))[forced];
  if (!context) context = std::make_unique<Context>(comm, forced);
  return *context;
}

Context::Context(MPI_Comm comm, const std::string& forced) : topology_(topologyOf(comm, forced)) {
  checkMpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  checkMpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  checkMpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  checkMpi(MPI_Comm_split(comm_, node(), slice(), &nodeComm_), "MPI_Comm_split");
  checkMpi(MPI_Comm_set_errhandler(nodeComm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  ranksOnMachine_ = sharingRanks(comm_);
  const int sharing = sharingRanks(nodeComm_) == topology_.ranksOn(node()) ? 1 : 0;
  int all = 0;
  checkMpi(MPI_Allreduce(&sharing, &all, 1, MPI_INT, MPI_MIN, nodeComm_), "MPI_Allreduce");
  sharesMemory_ = all == 1;
}

Context::~Context() {
  attached_.clear();
  if (nodeComm_ != MPI_COMM_NULL) MPI_Comm_free(&nodeComm_);
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

}  // namespace Trident
