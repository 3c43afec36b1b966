#include "detail/Trident_Settlement.hpp"

#include <algorithm>
#include <map>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace detail {
namespace {

// Above the tags of the tile exchange.
constexpr int tagOfAskedColumns = 1000;

// The first number is the greatest, the others are sums. One element of `type` is the whole vector, so that
// MPI cannot cut it.
void combine(void* in, void* inOut, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const auto size = static_cast<std::size_t>(bytes) / sizeof(std::int64_t);
  const auto* from = static_cast<const std::int64_t*>(in);
  auto* to = static_cast<std::int64_t*>(inOut);
  for (int c = 0; c < *count; ++c, from += size, to += size) {
    to[0] = std::max(to[0], from[0]);
    for (std::size_t x = 1; x < size; ++x) to[x] += from[x];
  }
}

}  // namespace

void Settlement::settle(MPI_Comm comm) {
  std::vector<std::int64_t> all{longestRow, failures, entries, columns, otherColumns};
  all.insert(all.end(), askers.begin(), askers.end());
  all.insert(all.end(), extra.begin(), extra.end());

  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  checkMpi(MPI_Op_create(combine, 1, &op), "MPI_Op_create");
  checkMpi(MPI_Type_contiguous(static_cast<int>(all.size()), MPI_INT64_T, &vector), "MPI_Type_contiguous");
  checkMpi(MPI_Type_commit(&vector), "MPI_Type_commit");
  const int code = watchedAllreduce(MPI_IN_PLACE, all.data(), 1, vector, op, comm, "the settlement of C");
  MPI_Type_free(&vector);
  MPI_Op_free(&op);
  checkMpi(code, "MPI_Allreduce");

  longestRow = all[0];
  failures = all[1];
  entries = all[2];
  columns = all[3];
  otherColumns = all[4];
  auto next = all.begin() + 5;
  std::copy_n(next, askers.size(), askers.begin());
  std::copy_n(next + static_cast<std::ptrdiff_t>(askers.size()), extra.size(), extra.begin());
}

AskedColumns exchangeAskedColumns(const Context& context, const AskedColumns& asked, std::int64_t askers) {
  std::vector<MPI_Request> sends;
  for (std::size_t first = 0; first < asked.owners.size();) {
    std::size_t end = first;
    while (end < asked.owners.size() && asked.owners[end] == asked.owners[first]) ++end;
    sends.emplace_back(MPI_REQUEST_NULL);
    checkMpi(MPI_Isend(asked.locals.data() + first, static_cast<int>(end - first), MPI_INT32_T,
                       asked.owners[first], tagOfAskedColumns, context.comm(), &sends.back()),
             "MPI_Isend");
    first = end;
  }
  std::map<int, std::vector<std::int32_t>> heard;  // by rank, whoever comes first
  for (std::int64_t a = 0; a < askers; ++a) {
    MPI_Status status;
    checkMpi(watchedProbe(tagOfAskedColumns, context.comm(), "the columns asked of it", status), "MPI_Probe");
    int count = 0;
    checkMpi(MPI_Get_count(&status, MPI_INT32_T, &count), "MPI_Get_count");
    auto& locals = heard[status.MPI_SOURCE];
    locals.resize(static_cast<std::size_t>(count));
    checkMpi(MPI_Recv(locals.data(), count, MPI_INT32_T, status.MPI_SOURCE, tagOfAskedColumns, context.comm(),
                      MPI_STATUS_IGNORE),
             "MPI_Recv");
  }
  checkMpi(waitForAll(sends, {"the owners of columns"}), "MPI_Waitall");

  AskedColumns asking;
  for (const auto& [rank, locals] : heard) {
    asking.owners.insert(asking.owners.end(), locals.size(), rank);
    asking.locals.insert(asking.locals.end(), locals.begin(), locals.end());
  }
  return asking;
}

}  // namespace detail
}  // namespace Trident
