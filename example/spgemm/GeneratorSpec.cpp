#include "GeneratorSpec.hpp"

#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "io/Trident_TextInput.hpp"

namespace Spgemm {

namespace {

namespace IO = Trident::IO;

constexpr std::int64_t noDefault = -1;

[[noreturn]] void failSpec(const std::string& text, const std::string& found, const std::string& allowed) {
  throw std::invalid_argument("--generate " + text + ": found " + found + "; allowed: " + allowed);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::int64_t parseNumber(const std::string& text, const std::string& word, const std::string& what,
                         std::int64_t smallest, std::int64_t largest) {
  std::int64_t value = 0;
  if (IO::parseInteger(word, value) != IO::NumberStatus::ok || value < smallest || value > largest)
    failSpec(text, what + " " + IO::quoted(word),
             std::to_string(smallest) + " to " + std::to_string(largest));
  return value;
}

struct Field {
  std::string name;
  std::int64_t smallest;
  std::int64_t largest;
  std::int64_t defaultValue;
};

/// The values of "name=value,..." in the order of `fields`.
std::vector<std::int64_t> parseFields(const std::string& text, const std::string& list,
                                      const std::vector<Field>& fields) {
  std::string allowed;
  for (const Field& field : fields) allowed += (allowed.empty() ? "" : ",") + field.name + "=NUMBER";
  std::map<std::string, std::string> given;
  for (const std::string& part : split(list, ',')) {
    const std::size_t equal = part.find('=');
    if (equal == std::string::npos) failSpec(text, IO::quoted(part), allowed);
    const std::string name = part.substr(0, equal);
    if (!given.emplace(name, part.substr(equal + 1)).second) failSpec(text, name + " twice", allowed);
  }
  std::vector<std::int64_t> values;
  for (const Field& field : fields) {
    const auto place = given.find(field.name);
    if (place == given.end() && field.defaultValue == noDefault) failSpec(text, "no " + field.name, allowed);
    values.push_back(place == given.end()
                         ? field.defaultValue
                         : parseNumber(text, place->second, field.name, field.smallest, field.largest));
    if (place != given.end()) given.erase(place);
  }
  if (!given.empty()) failSpec(text, IO::quoted(given.begin()->first), allowed);
  return values;
}

GeneratedMatrix erdosRenyi(const std::string& text, const std::string& list) {
  constexpr std::int64_t largestInt = std::numeric_limits<int>::max();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const auto values = parseFields(
      text, list, {{"n", 1, largest, noDefault}, {"d", 1, largestInt, 10}, {"seed", 0, largest, 1}});
  const std::int64_t n = values[0];
  const int degree = static_cast<int>(values[1]);
  const auto seed = static_cast<std::uint64_t>(values[2]);
  return {
      n, [=](std::int64_t first, std::int64_t last) { return IO::erdosRenyi(n, degree, seed, first, last); }};
}

GeneratedMatrix rmat(const std::string& text, const std::string& list) {
  constexpr std::int64_t largestInt = std::numeric_limits<int>::max();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const auto values = parseFields(
      text, list, {{"scale", 0, 31, noDefault}, {"d", 1, largestInt, 8}, {"seed", 0, largest, 1}});
  const int scale = static_cast<int>(values[0]);
  const int edgesPerRow = static_cast<int>(values[1]);
  const auto seed = static_cast<std::uint64_t>(values[2]);
  return {std::int64_t(1) << scale, [=](std::int64_t first, std::int64_t last) {
            return IO::rmat(scale, edgesPerRow, seed, first, last);
          }};
}

using Stencil = IO::RowBlock (*)(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t);

/// One number is a cube, two or three are the sides, 1 where missing.
GeneratedMatrix stencil(const std::string& text, const std::string& list, Stencil make) {
  const std::vector<std::string> words = split(list, ',');
  if (words.empty() || words.size() > 3)
    failSpec(text, std::to_string(words.size()) + " sides", "NX[,NY[,NZ]]");
  constexpr std::int64_t largestSide = std::int64_t(1) << 20;
  std::int64_t sides[3] = {1, 1, 1};
  for (std::size_t k = 0; k < words.size(); ++k)
    sides[k] = parseNumber(text, words[k], "side", 1, largestSide);
  const std::int64_t nx = sides[0];
  const std::int64_t ny = words.size() == 1 ? nx : sides[1];
  const std::int64_t nz = words.size() == 1 ? nx : sides[2];
  return {nx * ny * nz, [=](std::int64_t first, std::int64_t last) { return make(nx, ny, nz, first, last); }};
}

}  // namespace

GeneratedMatrix parseGenerator(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string list = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "er") return erdosRenyi(text, list);
  if (kind == "rmat") return rmat(text, list);
  if (kind == "stencil7") return stencil(text, list, IO::stencil7);
  if (kind == "stencil27") return stencil(text, list, IO::stencil27);
  failSpec(text, "generator " + IO::quoted(kind),
           "er:n=N,d=D,seed=S rmat:scale=K,d=D,seed=S stencil7:NX,NY,NZ stencil27:NX,NY,NZ");
}

}  // namespace Spgemm
