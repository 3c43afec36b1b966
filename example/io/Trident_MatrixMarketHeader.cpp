#include "io/Trident_MatrixMarketHeader.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace Trident::IO {

namespace {

constexpr Field allFields[] = {Field::real, Field::integer, Field::complex, Field::pattern};
constexpr Symmetry allSymmetries[] = {Symmetry::general, Symmetry::symmetric, Symmetry::skew,
                                      Symmetry::hermitian};

std::string lowerCase(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

Field parseField(const std::string& path, const std::string& word, bool array) {
  const std::string name = word == "double" ? "real" : word;
  const auto* field = std::find_if(std::begin(allFields), std::end(allFields),
                                   [&](Field candidate) { return name == nameOf(candidate); });
  if (field == std::end(allFields) || (array && *field == Field::pattern))
    fail(path, 1, "unknown field " + quoted(word),
         array ? "real, double, integer, complex" : "real, double, integer, complex, pattern");
  return *field;
}

Symmetry parseSymmetry(const std::string& path, const std::string& word) {
  const auto* symmetry = std::find_if(std::begin(allSymmetries), std::end(allSymmetries),
                                      [&](Symmetry candidate) { return word == nameOf(candidate); });
  if (symmetry == std::end(allSymmetries))
    fail(path, 1, "unknown symmetry " + quoted(word), "general, symmetric, skew-symmetric, hermitian");
  return *symmetry;
}

void readBanner(const std::string& path, LineReader& lines, MatrixHeader& header, Notes& notes) {
  const char* form = "\"%%MatrixMarket matrix coordinate|array field symmetry\" on line 1";
  lines.next();
  std::vector<std::string> words;
  for (const std::string_view word : splitWords(lines.line())) words.push_back(lowerCase(word));
  if (words.empty() || (words[0] != "%%matrixmarket" && words[0] != "%matrixmarket"))
    fail(path, 1, "missing banner", form);
  if (words[0][1] != '%') notes.add("banner with a single %", 1);
  if (words.size() != 5) fail(path, 1, "banner needs 5 words, found " + std::to_string(words.size()), form);
  if (words[1] != "matrix") fail(path, 1, "object " + quoted(words[1]) + " not supported", "matrix");
  header.array = words[2] == "array";
  if (!header.array && words[2] != "coordinate")
    fail(path, 1, "unknown format " + quoted(words[2]), "coordinate, array");
  header.field = parseField(path, words[3], header.array);
  header.symmetry = parseSymmetry(path, words[4]);
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex) {
    notes.add("hermitian without complex values, read as symmetric", 1);
    header.symmetry = Symmetry::symmetric;
  }
}

/// Values that an array file must hold; of symmetric matrices only the lower triangle is stored.
std::int64_t arrayLength(const MatrixHeader& header) {
  const std::int64_t n = header.rows;
  if (header.symmetry == Symmetry::general) return n * header.cols;
  const std::int64_t belowDiagonal = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  return header.symmetry == Symmetry::skew ? belowDiagonal : belowDiagonal + n;
}

void readSizeLine(const std::string& path, LineReader& lines, MatrixHeader& header) {
  const std::size_t needed = header.array ? 2 : 3;
  const char* form = header.array ? "rows columns" : "rows columns entries";
  if (!nextContentLine(lines)) fail(path, lines.number(), "size line missing", form);
  const std::size_t at = lines.number();
  const std::vector<std::string_view> words = splitWords(lines.line());
  if (words.size() != needed)
    fail(path, at,
         "size line needs " + std::to_string(needed) + " numbers, found " + std::to_string(words.size()),
         form);
  std::int64_t* const targets[] = {&header.rows, &header.cols, &header.entries};
  for (std::size_t k = 0; k < needed; ++k) {
    const bool dimension = k < 2;
    const NumberStatus status = parseInteger(words[k], *targets[k]);
    if (status == NumberStatus::malformed) fail(path, at, "not a number: " + quoted(words[k]), "integers");
    if (status == NumberStatus::tooSmall || *targets[k] < 0)
      fail(path, at, dimension ? "negative dimension" : "negative entry count", "0 to 2^63-1");
    if (status == NumberStatus::tooLarge)
      fail(path, at, dimension ? "dimension exceeds int64" : "entry count exceeds rows*cols or int64",
           "0 to 2^63-1");
  }
}

/// More entries than rows*cols is no fault in itself, because duplicates are summed.
void checkSizes(const std::string& path, std::size_t line, MatrixHeader& header, Notes& notes) {
  const std::int64_t rows = header.rows;
  const std::int64_t cols = header.cols;
  if (header.symmetry != Symmetry::general && rows != cols)
    fail(path, line,
         std::string(nameOf(header.symmetry)) + " matrix must be square, found " + std::to_string(rows) +
             " x " + std::to_string(cols),
         "rows equal to columns");
  if (std::max(rows, cols) > std::numeric_limits<std::int32_t>::max())
    notes.add("dimensions need 64-bit indices", line);
  if (!header.array) return;
  if (cols > 0 && rows > std::numeric_limits<std::int64_t>::max() / cols)
    fail(path, line, "entry count exceeds rows*cols or int64", "rows*cols up to 2^63-1");
  header.entries = arrayLength(header);
}

}  // namespace

const char* nameOf(Field field) {
  switch (field) {
    case Field::real:
      return "real";
    case Field::integer:
      return "integer";
    case Field::complex:
      return "complex";
    case Field::pattern:
      return "pattern";
  }
  return "";
}

const char* nameOf(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::general:
      return "general";
    case Symmetry::symmetric:
      return "symmetric";
    case Symmetry::skew:
      return "skew-symmetric";
    case Symmetry::hermitian:
      return "hermitian";
  }
  return "";
}

MatrixHeader readMatrixHeader(const std::string& path, LineReader& lines, Notes& notes) {
  MatrixHeader header;
  readBanner(path, lines, header, notes);
  readSizeLine(path, lines, header);
  checkSizes(path, lines.number(), header, notes);
  return header;
}

bool nextContentLine(LineReader& lines) {
  while (lines.next()) {
    std::string_view rest = lines.line();
    const std::string_view word = nextWord(rest);
    if (!word.empty() && word[0] != '%') return true;
  }
  return false;
}

}  // namespace Trident::IO
