#ifndef TRIDENT_SPGEMM_AGREEMENT_HPP
#define TRIDENT_SPGEMM_AGREEMENT_HPP

#include <mpi.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace Spgemm {

/// An error that every rank throws with the same text, so that one rank can print it and all can leave.
class AgreedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collective. Throws AgreedError on every rank when `error` is not empty on any; the lowest such rank's text
/// is taken.
void agree(MPI_Comm comm, const std::string& error);

/// Collective. Runs `work`, which must not communicate, on every rank; an exception of one becomes an
/// AgreedError of all.
template <class Work>
void together(MPI_Comm comm, Work&& work) {
  std::string error;
  try {
    work();
  } catch (const std::bad_alloc&) {
    error = "out of memory";
  } catch (const std::exception& e) {
    error = e.what();
    if (error.empty()) error = "failure without a text";
  }
  agree(comm, error);
}

int rankIn(MPI_Comm comm);
int sizeOf(MPI_Comm comm);

std::int64_t sumOverRanks(MPI_Comm comm, std::int64_t value);
std::int64_t maxOverRanks(MPI_Comm comm, std::int64_t value);
double maxOverRanks(MPI_Comm comm, double value);

/// One value of each rank, on every rank.
std::vector<std::int64_t> gatherFromRanks(MPI_Comm comm, std::int64_t value);

/// The sum of each entry over the ranks, on every rank.
std::vector<std::int64_t> sumOverRanks(MPI_Comm comm, std::vector<std::int64_t> values);

}  // namespace Spgemm

#endif
