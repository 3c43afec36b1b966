#ifndef TRIDENT_IO_ARGUMENTS_HPP
#define TRIDENT_IO_ARGUMENTS_HPP

#include <cstring>
#include <vector>

namespace Trident::IO {

/// A command line, divided: Kokkos gets what is meant for it and nothing else, for it would answer --help
/// too. Both lists begin with the program's name; Kokkos' ends with a null pointer that it may count on.
struct Arguments {
  std::vector<char*> own, kokkos;

  Arguments(int argc, char** argv) {
    kokkos.push_back(argv[0]);
    for (int k = 0; k < argc; ++k)
      (std::strncmp(argv[k], "--kokkos-", 9) == 0 ? kokkos : own).push_back(argv[k]);
    kokkos.push_back(nullptr);
  }

  int ownCount() const { return static_cast<int>(own.size()); }
  int kokkosCount() const { return static_cast<int>(kokkos.size()) - 1; }
};

}  // namespace Trident::IO

#endif
