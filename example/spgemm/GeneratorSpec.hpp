#ifndef TRIDENT_SPGEMM_GENERATORSPEC_HPP
#define TRIDENT_SPGEMM_GENERATORSPEC_HPP

#include <cstdint>
#include <functional>
#include <string>

#include "io/Trident_Generators.hpp"

namespace Spgemm {

/// A square matrix that can be made by row range.
struct GeneratedMatrix {
  std::int64_t rows = 0;
  std::function<Trident::IO::RowBlock(std::int64_t firstRow, std::int64_t lastRow)> makeRows;
};

/// Reads "er:n=100000,d=10,seed=1", "rmat:scale=14,d=8,seed=1", "stencil7:48" or "stencil27:48,32,16".
/// Throws std::invalid_argument saying what was found and what is allowed.
GeneratedMatrix parseGenerator(const std::string& text);

}  // namespace Spgemm

#endif
