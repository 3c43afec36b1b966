#ifndef TRIDENT_AMG_RANDOM_NUMBERS_HPP
#define TRIDENT_AMG_RANDOM_NUMBERS_HPP

#include <Teuchos_Comm.hpp>
#include <Tpetra_Map.hpp>
#if __has_include(<Tpetra_Details_Random.hpp>)
#include <Tpetra_Details_Random.hpp>
#endif
#include <cstdlib>

namespace Amg {

/// Lets Tpetra's random vectors begin anew, before a set-up that is compared with another: smoothers estimate
/// eigenvalues from them. MueLu seeds std::rand() at each set-up, which is all that Trilinos 13.2 needs;
/// later ones go on with one sequence as long as the process runs. No communication.
inline void restartRandomNumbers(const Teuchos::Comm<int>& comm) {
#if __has_include(<Tpetra_Details_Random.hpp>)
  std::srand(1);
  Tpetra::Details::Static_Random_XorShift64_Pool<Tpetra::Map<>::execution_space>::resetPool(comm.getRank());
#else
  static_cast<void>(comm);
#endif
}

}  // namespace Amg

#endif
