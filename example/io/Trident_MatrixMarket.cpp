#include "io/Trident_MatrixMarket.hpp"

#include <algorithm>
#include <cmath>

#include "io/Trident_MatrixMarketHeader.hpp"
#include "io/Trident_TextInput.hpp"

namespace Trident::IO {

namespace {

/// The entry that a file of this symmetry implies on the other side of the diagonal.
Entry mirrored(const Entry& entry, Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::skew:
      return {entry.col, entry.row, -entry.re, -entry.im};
    case Symmetry::hermitian:
      return {entry.col, entry.row, entry.re, -entry.im};
    default:
      return {entry.col, entry.row, entry.re, entry.im};
  }
}

/// Reads one file; each step leaves the line reader behind what it used.
class Reader {
 public:
  Reader(const std::string& path, const ReadOptions& options, const Text& text)
      : path_(path), options_(options), text_(text.bytes), lines_(text_) {
    if (text.hadByteOrderMark) notes_.add("byte order mark before the banner", 1);
  }

  TripletMatrix read();

 private:
  void readCoordinate();
  void readArray();
  Entry parseEntry(std::string_view line);
  std::int64_t parseIndex(std::string_view word, const char* what, std::int64_t limit);
  double parseValue(std::string_view word);
  double parseIntegerValue(std::string_view word);
  void checkEntry(const Entry& entry);
  void expandSymmetry();
  void mergeTriangles();
  [[noreturn]] void failBothTriangles(const Entry& lower) const;
  [[noreturn]] void failHere(const std::string& found, const std::string& allowed) const {
    fail(path_, lines_.number(), found, allowed);
  }

  const std::string& path_;
  const ReadOptions& options_;
  std::string_view text_;
  LineReader lines_;
  Notes notes_;
  MatrixHeader header_;
  std::vector<Entry> entries_;
};

TripletMatrix Reader::read() {
  header_ = readMatrixHeader(path_, lines_, notes_);
  if (header_.array)
    readArray();
  else
    readCoordinate();
  const std::size_t merged = sortAndMerge(entries_, Merge::sum);
  if (merged > 0) notes_.add(std::to_string(merged) + " duplicate entries summed");
  if (header_.symmetry != Symmetry::general) expandSymmetry();

  TripletMatrix matrix;
  matrix.rows = header_.rows;
  matrix.cols = header_.cols;
  matrix.field = nameOf(header_.field);
  matrix.symmetry = nameOf(header_.symmetry);
  matrix.warnings = notes_.texts();
  if (options_.warningsAreErrors && !matrix.warnings.empty())
    fail(path_, 0, matrix.warnings.front(), "files without warnings, as asked for");
  storeEntries(entries_, header_.field == Field::complex, matrix);
  return matrix;
}

void Reader::readCoordinate() {
  // The shortest entry is "1 1" and a line end; a lying header gets no more memory than the file could fill.
  const std::uint64_t fitting = lines_.bytesLeft() / 4 + 1;
  entries_.reserve(static_cast<std::size_t>(std::min(fitting, static_cast<std::uint64_t>(header_.entries))));
  const std::string declared = std::to_string(header_.entries);
  std::int64_t count = 0;
  while (nextContentLine(lines_)) {
    if (count == header_.entries)
      failHere("more entries than declared (" + declared + ")", "comments and blank lines");
    entries_.push_back(parseEntry(lines_.line()));
    checkEntry(entries_.back());
    ++count;
  }
  if (count < header_.entries)
    failHere("expected " + declared + " entries, found " + std::to_string(count), "as many as declared");
}

Entry Reader::parseEntry(std::string_view line) {
  const bool complex = header_.field == Field::complex;
  const char* form = complex                           ? "row column real imaginary"
                     : header_.field == Field::pattern ? "row column"
                                                       : "row column value";
  Entry entry;
  entry.row = parseIndex(nextWord(line), "row", header_.rows);
  const std::string_view colWord = nextWord(line);
  if (colWord.empty()) failHere("value missing", form);
  entry.col = parseIndex(colWord, "column", header_.cols);
  entry.re = 1;
  if (header_.field != Field::pattern) {
    const std::string_view reWord = nextWord(line);
    const std::string_view imWord = complex ? nextWord(line) : reWord;
    if (imWord.empty()) failHere("value missing", form);
    entry.re = parseValue(reWord);
    if (complex) entry.im = parseValue(imWord);
  }
  if (const std::string_view extra = nextWord(line); !extra.empty())
    failHere("trailing text after value: " + quoted(extra), form);
  return entry;
}

/// A 1-based index of the file as a 0-based one.
std::int64_t Reader::parseIndex(std::string_view word, const char* what, std::int64_t limit) {
  std::int64_t index = 0;
  const NumberStatus status = parseInteger(word, index);
  if (status == NumberStatus::ok && index >= 1 && index <= limit) return index - 1;

  const std::string allowed = "1 to " + std::to_string(limit);
  if (status == NumberStatus::malformed) failHere("not a number: " + quoted(word), allowed);
  if (status == NumberStatus::tooSmall || index < 0) failHere("negative index " + quoted(word), allowed);
  if (status == NumberStatus::ok && index == 0) failHere("index 0 (file is 0-based?)", allowed);
  failHere(what + (" " + std::string(word.substr(0, 40))) + " > " + std::to_string(limit), allowed);
}

double Reader::parseValue(std::string_view word) {
  if (header_.field == Field::integer) return parseIntegerValue(word);
  double value = 0;
  const NumberStatus status = parseReal(word, value);
  if (status == NumberStatus::malformed) failHere("not a number: " + quoted(word), "decimal numbers");
  if (status == NumberStatus::tooLarge) failHere("value out of range: " + quoted(word), "finite doubles");
  if (status == NumberStatus::tooSmall)
    notes_.add("value too small for a double, read as 0", lines_.number());
  if (!std::isfinite(value)) notes_.add("value not finite", lines_.number());
  return value;
}

double Reader::parseIntegerValue(std::string_view word) {
  std::int64_t integer = 0;
  const NumberStatus status = parseInteger(word, integer);
  if (status == NumberStatus::malformed) {
    double real = 0;
    const bool isNumber = parseReal(word, real) != NumberStatus::malformed && std::isfinite(real);
    failHere((isNumber ? "not an integer: " : "not a number: ") + quoted(word), "decimal integers");
  }
  if (status != NumberStatus::ok) failHere("integer out of range: " + quoted(word), "-2^63 to 2^63-1");
  const double value = static_cast<double>(integer);
  // 2^63 itself is no int64, so the cast back is only defined below it.
  if (value >= 0x1p63 || static_cast<std::int64_t>(value) != integer)
    notes_.add("integer rounded to double", lines_.number());
  return value;
}

/// What the declared symmetry demands of one entry on its own.
void Reader::checkEntry(const Entry& entry) {
  if (header_.symmetry == Symmetry::general) return;
  if (entry.col > entry.row) notes_.add("entry in the upper triangle of a symmetric file", lines_.number());
  if (entry.row != entry.col) return;
  if (header_.symmetry == Symmetry::skew && !(entry.re == 0 && entry.im == 0))
    failHere("non-zero diagonal in skew-symmetric matrix", "0 on the diagonal");
  if (header_.symmetry == Symmetry::hermitian && !(entry.im == 0))
    failHere("diagonal of hermitian matrix not real", "imaginary part 0 on the diagonal");
}

/// Column-major values, any number of them on a line; of symmetric matrices only the lower triangle.
void Reader::readArray() {
  notes_.add("dense array file, non-zeros kept");
  const std::string expected = "expected " + std::to_string(header_.entries) + " values, found ";
  const bool complex = header_.field == Field::complex;
  const bool lowerOnly = header_.symmetry != Symmetry::general;
  const std::int64_t belowDiagonal = header_.symmetry == Symmetry::skew ? 1 : 0;
  Entry entry;
  entry.row = belowDiagonal;
  std::int64_t count = 0;
  while (nextContentLine(lines_)) {
    std::string_view rest = lines_.line();
    for (std::string_view word = nextWord(rest); !word.empty(); word = nextWord(rest)) {
      if (count == header_.entries) failHere(expected + "more", "as many as the dimensions ask for");
      ++count;
      entry.re = parseValue(word);
      if (complex) {
        const std::string_view imWord = nextWord(rest);
        if (imWord.empty()) failHere("value missing", "real and imaginary part on one line");
        entry.im = parseValue(imWord);
      }
      checkEntry(entry);
      if (!(entry.re == 0 && entry.im == 0)) entries_.push_back(entry);
      if (++entry.row == header_.rows) {
        ++entry.col;
        entry.row = lowerOnly ? entry.col + belowDiagonal : 0;
      }
    }
  }
  if (count < header_.entries)
    failHere(expected + std::to_string(count), "as many as the dimensions ask for");
}

/// Adds the mirror images of the stored entries, which are sorted and distinct here.
void Reader::expandSymmetry() {
  const bool anyUpper =
      std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.col > entry.row; });
  if (anyUpper) mergeTriangles();
  const std::size_t stored = entries_.size();
  entries_.reserve(2 * stored);
  for (std::size_t k = 0; k < stored; ++k)
    if (entries_[k].row != entries_[k].col) entries_.push_back(mirrored(entries_[k], header_.symmetry));
  sortEntries(entries_);
}

/// Brings all entries into the lower triangle and settles the pairs that were given on both sides.
void Reader::mergeTriangles() {
  for (Entry& entry : entries_)
    if (entry.col > entry.row) entry = mirrored(entry, header_.symmetry);
  sortEntries(entries_);
  // Each side was free of duplicates, so equal neighbours come from different sides.
  const auto twice = std::adjacent_find(entries_.begin(), entries_.end(), samePlace);
  if (twice == entries_.end()) return;
  if (options_.symmetricDuplicates == SymmetricDuplicates::reject) failBothTriangles(*twice);
  const bool keepMax = options_.symmetricDuplicates == SymmetricDuplicates::max;
  if (keepMax && (header_.symmetry != Symmetry::symmetric || header_.field == Field::complex))
    fail(path_, 0, "entries in both triangles, which have no maximum here",
         "max for real symmetric matrices");
  const std::size_t merged = sortAndMerge(entries_, keepMax ? Merge::max : Merge::sum);
  notes_.add(std::to_string(merged) + " entries given in both triangles, " +
             (keepMax ? "larger kept" : "summed"));
}

/// Looks the line up in the text once more, because entries do not carry it.
void Reader::failBothTriangles(const Entry& lower) const {
  const std::int64_t i = lower.row + 1;
  const std::int64_t j = lower.col + 1;
  std::size_t last = 0;
  for (LineReader lines(text_); nextContentLine(lines);) {
    std::string_view rest = lines.line();
    std::int64_t a = 0;
    std::int64_t b = 0;
    const bool numbers = parseInteger(nextWord(rest), a) == NumberStatus::ok &&
                         parseInteger(nextWord(rest), b) == NumberStatus::ok;
    if (numbers && std::max(a, b) == i && std::min(a, b) == j) last = lines.number();
  }
  fail(path_, last,
       "entries in both triangles of a symmetric file: (" + std::to_string(i) + "," + std::to_string(j) +
           ") and (" + std::to_string(j) + "," + std::to_string(i) + ")",
       "one of the two, or the options sum and max");
}

}  // namespace

TripletMatrix readMatrixMarket(const std::string& path, const ReadOptions& options) {
  const Text text = loadText(path);
  return Reader(path, options, text).read();
}

}  // namespace Trident::IO
