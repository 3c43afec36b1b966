#ifndef TRIDENT_IO_MATRIXMARKETHEADER_HPP
#define TRIDENT_IO_MATRIXMARKETHEADER_HPP

#include <cstdint>
#include <string>

#include "io/Trident_TextInput.hpp"

namespace Trident::IO {

enum class Field { real, integer, complex, pattern };
enum class Symmetry { general, symmetric, skew, hermitian };

/// The word of the MatrixMarket banner.
const char* nameOf(Field field);
const char* nameOf(Symmetry symmetry);

/// Banner and size line of a MatrixMarket file.
struct MatrixHeader {
  bool array = false;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries =
      0;  ///< stored entries that the file declares; for arrays what the dimensions ask for
};

/// Reads up to and including the size line. Oddities that are let through go to `notes`.
/// Throws std::runtime_error for anything that is no MatrixMarket matrix header, or whose numbers do not fit
/// int64.
MatrixHeader readMatrixHeader(const std::string& path, LineReader& lines, Notes& notes);

/// Moves to the next line that is neither blank nor a comment; both may stand anywhere below the banner.
bool nextContentLine(LineReader& lines);

}  // namespace Trident::IO

#endif
