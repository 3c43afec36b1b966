#include "io/Trident_MatrixFile.hpp"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>

#include "io/Trident_EdgeList.hpp"

namespace Trident::IO {

namespace {

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The first bytes of a plain or gzip file in lower case; empty if there are none.
std::string firstBytes(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string bytes(32, '\0');
  const int count = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  bytes.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::transform(bytes.begin(), bytes.end(), bytes.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return bytes;
}

/// By name, so that an .mtx file without a banner is refused, not read as edges; else by the banner.
bool isMatrixMarket(const std::string& path) {
  if (endsWith(path, ".mtx") || endsWith(path, ".mtx.gz")) return true;
  const std::string start = firstBytes(path);
  return start.substr(0, 20).find("%matrixmarket") != std::string::npos;
}

/// The reader knows what is wrong with a symmetric file, but not the name of the programs' option.
TripletMatrix readMatrixMarketFile(const std::string& path, const ReadOptions& reading) {
  try {
    return readMatrixMarket(path, reading);
  } catch (const std::runtime_error& e) {
    const std::string text = e.what();
    if (text.find("both triangles") == std::string::npos) throw;
    throw std::runtime_error(text + " of --symmetric-duplicates");
  }
}

}  // namespace

SymmetricDuplicates symmetricDuplicatesOf(const std::string& word) {
  if (word == "sum") return SymmetricDuplicates::sum;
  return word == "max" ? SymmetricDuplicates::max : SymmetricDuplicates::reject;
}

TripletMatrix readMatrixFile(const std::string& path, SymmetricDuplicates duplicates) {
  if (!isMatrixMarket(path)) {
    const bool labels = endsWith(path, ".abc") || endsWith(path, ".abc.gz");
    return readEdgeList(path, labels ? EdgeListOptions::abc() : EdgeListOptions());
  }
  ReadOptions reading;
  reading.symmetricDuplicates = duplicates;
  TripletMatrix matrix = readMatrixMarketFile(path, reading);
  if (matrix.field == "complex")
    throw std::runtime_error(path +
                             ": found complex values; this program multiplies real matrices; allowed: "
                             "real, integer, pattern");
  return matrix;
}

}  // namespace Trident::IO
