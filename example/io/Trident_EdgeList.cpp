#include "io/Trident_EdgeList.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "io/Trident_TextInput.hpp"

namespace Trident::IO {

namespace {

/// Reads one file; entries first hold ids as written, and row numbers after numberVertices.
class Reader {
 public:
  Reader(const std::string& path, const EdgeListOptions& options, const Text& text)
      : path_(path), options_(options), lines_(text.bytes) {
    if (text.hadByteOrderMark) notes_.add("byte order mark", 1);
  }

  TripletMatrix read();

 private:
  bool byIds() const { return options_.names == VertexNames::ids; }
  bool isComment(std::string_view word) const { return word[0] == '#' || (byIds() && word[0] == '%'); }
  void readEdge(const std::vector<std::string_view>& words);
  void checkColumns(std::size_t columns);
  std::int64_t parseVertex(std::string_view word);
  double parseWeight(std::string_view word);
  void numberVertices(TripletMatrix& matrix);
  void renumberIds(TripletMatrix& matrix);
  void addMirrorImages();
  [[noreturn]] void failHere(const std::string& found, const std::string& allowed) const {
    fail(path_, lines_.number(), found, allowed);
  }

  const std::string& path_;
  const EdgeListOptions& options_;
  LineReader lines_;
  Notes notes_;
  std::size_t columns_ = 0;
  bool anyWeight_ = false;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::int64_t> rowOfLabel_;
};

TripletMatrix Reader::read() {
  while (lines_.next()) {
    const std::vector<std::string_view> words = splitWords(lines_.line());
    if (!words.empty() && !isComment(words[0])) readEdge(words);
  }
  TripletMatrix matrix;
  numberVertices(matrix);
  if (options_.mirror) addMirrorImages();
  const std::size_t merged = sortAndMerge(entries_, options_.merge);
  // No warning for the maximum: it is only taken when asked for, and it changes nothing in a file with both
  // ways.
  if (merged > 0 && options_.merge == Merge::sum)
    notes_.add(std::to_string(merged) + " repeated edges summed");
  matrix.cols = matrix.rows;
  matrix.field = anyWeight_ || merged > 0 ? "real" : "pattern";
  matrix.symmetry = options_.mirror ? "symmetric" : "general";
  matrix.warnings = notes_.texts();
  storeEntries(entries_, false, matrix);
  return matrix;
}

void Reader::readEdge(const std::vector<std::string_view>& words) {
  Entry entry;
  entry.row = parseVertex(words[0]);
  checkColumns(words.size());
  entry.col = parseVertex(words[1]);
  entry.re = 1;
  if (words.size() == 3) {
    entry.re = parseWeight(words[2]);
    anyWeight_ = true;
  }
  entries_.push_back(entry);
}

void Reader::checkColumns(std::size_t columns) {
  const std::string found =
      "line " + std::to_string(lines_.number()) + " has " + std::to_string(columns) + " columns";
  if (columns != 2 && columns != 3) failHere(found + ", expected 2 or 3", "from to, from to weight");
  if (columns_ == 0) columns_ = columns;
  // In abc files the weight is optional line by line; in id files a change means a damaged line.
  if (byIds() && columns != columns_)
    failHere(found + ", expected " + std::to_string(columns_), "as many columns as on the first edge");
}

std::int64_t Reader::parseVertex(std::string_view word) {
  if (!byIds()) {
    const auto next = static_cast<std::int64_t>(rowOfLabel_.size());
    return rowOfLabel_.emplace(word, next).first->second;
  }
  std::int64_t id = 0;
  const NumberStatus status = parseInteger(word, id);
  if (status == NumberStatus::malformed) {
    const bool comma = word.find(',') != std::string_view::npos;
    failHere("not a number: " + quoted(word),
             comma ? "ids between blanks or tabs, not commas" : "integer ids");
  }
  if (status == NumberStatus::tooSmall || id < 0) failHere("negative vertex id", "0 to 2^63-1");
  if (status == NumberStatus::tooLarge) failHere("vertex id exceeds int64", "0 to 2^63-1");
  if (id < options_.firstId)
    failHere("vertex id " + std::to_string(id), "ids from " + std::to_string(options_.firstId));
  return id;
}

double Reader::parseWeight(std::string_view word) {
  double weight = 0;
  const NumberStatus status = parseReal(word, weight);
  if (status == NumberStatus::malformed) failHere("not a number: " + quoted(word), "decimal numbers");
  if (status == NumberStatus::tooLarge) failHere("weight out of range: " + quoted(word), "finite doubles");
  if (status == NumberStatus::tooSmall)
    notes_.add("weight too small for a double, read as 0", lines_.number());
  if (options_.flowWeights && weight < 0) failHere("negative weight " + quoted(word), "weights of 0 or more");
  if (!std::isfinite(weight)) {
    if (options_.flowWeights) failHere("weight not finite: " + quoted(word), "finite weights");
    notes_.add("weight not finite", lines_.number());
  }
  return weight;
}

void Reader::numberVertices(TripletMatrix& matrix) {
  if (!byIds()) {
    matrix.rows = static_cast<std::int64_t>(rowOfLabel_.size());
    matrix.labels.resize(rowOfLabel_.size());
    for (const auto& [label, row] : rowOfLabel_) matrix.labels[static_cast<std::size_t>(row)] = label;
    return;
  }
  std::int64_t largest = options_.firstId - 1;
  for (const Entry& entry : entries_) largest = std::max({largest, entry.row, entry.col});
  const bool tooSparse = largest > std::numeric_limits<std::int32_t>::max();
  if (tooSparse) notes_.add("vertex ids above 2^31-1 renumbered");
  if (tooSparse || options_.renumber) {
    renumberIds(matrix);
    return;
  }
  for (Entry& entry : entries_) {
    entry.row -= options_.firstId;
    entry.col -= options_.firstId;
  }
  matrix.rows = largest - options_.firstId + 1;
}

void Reader::renumberIds(TripletMatrix& matrix) {
  std::vector<std::int64_t> ids;
  ids.reserve(2 * entries_.size());
  for (const Entry& entry : entries_) {
    ids.push_back(entry.row);
    ids.push_back(entry.col);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const auto rowOf = [&ids](std::int64_t id) {
    return static_cast<std::int64_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  };
  for (Entry& entry : entries_) {
    entry.row = rowOf(entry.row);
    entry.col = rowOf(entry.col);
  }
  matrix.rows = static_cast<std::int64_t>(ids.size());
  for (const std::int64_t id : ids) matrix.labels.push_back(std::to_string(id));
}

void Reader::addMirrorImages() {
  const std::size_t given = entries_.size();
  entries_.reserve(2 * given);
  for (std::size_t k = 0; k < given; ++k) {
    const Entry& entry = entries_[k];
    if (entry.row != entry.col) entries_.push_back({entry.col, entry.row, entry.re, 0});
  }
}

}  // namespace

EdgeListOptions EdgeListOptions::abc() {
  EdgeListOptions options;
  options.names = VertexNames::labels;
  options.merge = Merge::max;
  options.mirror = true;
  options.flowWeights = true;
  return options;
}

TripletMatrix readEdgeList(const std::string& path, const EdgeListOptions& options) {
  const Text text = loadText(path);
  return Reader(path, options, text).read();
}

}  // namespace Trident::IO
