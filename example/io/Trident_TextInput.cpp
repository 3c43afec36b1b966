#include "io/Trident_TextInput.hpp"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace Trident::IO {

namespace {

constexpr std::size_t chunkBytes = std::size_t(1) << 18;

bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool startsWithGzipMagic(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::string loadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, 0, "cannot open the file", "a readable file");
  std::string bytes;
  std::vector<char> chunk(chunkBytes);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0)
    bytes.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  if (in.bad()) fail(path, 0, "cannot read the file", "a readable file");
  return bytes;
}

/// Owns one zlib stream that expects a gzip header.
struct Inflater {
  z_stream stream{};

  explicit Inflater(const std::string& path) {
    constexpr int gzipOnly = 16;
    if (inflateInit2(&stream, MAX_WBITS + gzipOnly) != Z_OK)
      fail(path, 0, "zlib does not start", "enough memory");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

/// Inflates one gzip member at the front of `packed` onto `text`; returns the bytes that it took.
/// Input goes in by chunks because zlib counts it with 32 bits.
std::size_t inflateMember(const std::string& path, std::string_view packed, std::string& text) {
  Inflater inflater(path);
  z_stream& stream = inflater.stream;
  std::vector<unsigned char> out(chunkBytes);
  std::size_t given = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const std::size_t size = std::min(chunkBytes, packed.size() - given);
      if (size == 0) fail(path, 0, "gzip stream truncated", "a whole gzip file");
      // zlib only reads its input, yet older headers declare it without const.
      stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data() + given));
      stream.avail_in = static_cast<uInt>(size);
      given += size;
    }
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail(path, 0, "gzip stream damaged", "a whole gzip file");
    text.append(reinterpret_cast<const char*>(out.data()), out.size() - stream.avail_out);
  }
  return given - stream.avail_in;
}

/// Several members one after another make one text; zeros behind the last one are padding, as for gzip
/// itself.
std::string inflateAll(const std::string& path, std::string_view packed) {
  std::string text;
  while (startsWithGzipMagic(packed)) packed.remove_prefix(inflateMember(path, packed, text));
  if (packed.find_first_not_of('\0') != std::string_view::npos)
    fail(path, 0, "other bytes after the gzip stream", "gzip members only");
  return text;
}

void checkText(const std::string& path, std::string_view bytes) {
  const std::size_t nul = bytes.find('\0');
  if (nul != std::string_view::npos) {
    const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    fail(path, static_cast<std::size_t>(line), "NUL byte", "text");
  }
  if (bytes.find('\n') == std::string_view::npos && bytes.find('\r') != std::string_view::npos)
    fail(path, 1, "CR-only line ends", "LF or CR LF");
}

/// The word without its plus sign (std::from_chars knows only minus); empty when a second sign follows.
std::string_view withoutPlus(std::string_view word) {
  if (word.empty() || word[0] != '+') return word;
  word.remove_prefix(1);
  return !word.empty() && word[0] == '-' ? std::string_view() : word;
}

bool equalsIgnoringCase(std::string_view word, std::string_view lower) {
  return word.size() == lower.size() &&
         std::equal(word.begin(), word.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

bool parseSpecial(std::string_view word, double& value) {
  const bool negative = word[0] == '-';
  if (negative) word.remove_prefix(1);
  double magnitude = 0;
  if (equalsIgnoringCase(word, "nan"))
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (equalsIgnoringCase(word, "inf") || equalsIgnoringCase(word, "infinity"))
    magnitude = std::numeric_limits<double>::infinity();
  else
    return false;
  value = negative ? -magnitude : magnitude;
  return true;
}

bool hasNonZeroDigit(std::string_view word) {
  for (const char c : word) {
    if (c == 'e' || c == 'E') break;
    if (c >= '1' && c <= '9') return true;
  }
  return false;
}

/// Decimal exponent of a well-formed number, to within one: near 308 where doubles end above, near -324
/// below. It tells overflow from underflow, because std::from_chars has one error code for both.
double decimalExponent(std::string_view word) {
  const std::size_t letter = std::min(word.find_first_of("eE"), word.size());
  double exponent = 0;
  if (letter < word.size()) {
    std::size_t k = letter + 1;
    const bool negative = word[k] == '-';
    if (!isDigit(word[k])) ++k;
    for (; k < word.size(); ++k) exponent = exponent * 10 + (word[k] - '0');
    if (negative) exponent = -exponent;
  }
  const std::string_view mantissa = word.substr(0, letter);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t lead = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  return exponent + static_cast<double>(point) - static_cast<double>(lead);
}

}  // namespace

void fail(const std::string& path, std::size_t line, const std::string& found, const std::string& allowed) {
  const std::string where = line > 0 ? " at line " + std::to_string(line) : "";
  throw std::runtime_error(path + ": " + found + where + "; allowed: " + allowed);
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text = "\"";
  for (const char c : word.substr(0, longest)) text += (c >= 0 && c < ' ') || c == 127 ? '?' : c;
  return text + (word.size() > longest ? "...\"" : "\"");
}

Text loadText(const std::string& path) {
  Text text;
  text.bytes = loadBytes(path);
  if (startsWithGzipMagic(text.bytes)) text.bytes = inflateAll(path, text.bytes);
  if (text.bytes.empty()) fail(path, 0, "empty file", "at least one line");
  if (text.bytes.compare(0, 3, "\xef\xbb\xbf") == 0) {
    text.bytes.erase(0, 3);
    text.hadByteOrderMark = true;
  }
  checkText(path, text.bytes);
  return text;
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return true;
}

std::string_view nextWord(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && isBlank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !isBlank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::vector<std::string_view> splitWords(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line)) words.push_back(word);
  return words;
}

NumberStatus parseInteger(std::string_view word, std::int64_t& value) {
  word = withoutPlus(word);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || result.ptr != word.data() + word.size()) return NumberStatus::malformed;
  if (result.ec == std::errc::result_out_of_range)
    return word[0] == '-' ? NumberStatus::tooSmall : NumberStatus::tooLarge;
  return result.ec == std::errc() ? NumberStatus::ok : NumberStatus::malformed;
}

NumberStatus parseReal(std::string_view word, double& value) {
  word = withoutPlus(word);
  if (word.empty()) return NumberStatus::malformed;
  std::string fortran;
  if (word.find_first_of("dD") != std::string_view::npos) {
    fortran = word;
    for (char& c : fortran)
      if (c == 'd' || c == 'D') c = 'e';
    word = fortran;
  }
  // Checked first because from_chars would also take "nan(text)".
  if (const char last = word.back(); !isDigit(last) && last != '.')
    return parseSpecial(word, value) ? NumberStatus::ok : NumberStatus::malformed;
  double parsed = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), parsed);
  if (result.ptr != word.data() + word.size() || result.ec == std::errc::invalid_argument)
    return NumberStatus::malformed;
  const bool outOfRange = result.ec == std::errc::result_out_of_range;
  if (std::isinf(parsed) || (outOfRange && decimalExponent(word) > 0)) return NumberStatus::tooLarge;
  const bool underflow = outOfRange || (parsed == 0 && hasNonZeroDigit(word));
  if (outOfRange) parsed = word[0] == '-' ? -0.0 : 0.0;
  value = parsed;
  return underflow ? NumberStatus::tooSmall : NumberStatus::ok;
}

void Notes::add(std::string_view text, std::size_t line) {
  for (Note& note : notes_) {
    if (note.text == text) {
      ++note.count;
      return;
    }
  }
  notes_.push_back({std::string(text), line, 1});
}

std::vector<std::string> Notes::texts() const {
  std::vector<std::string> texts;
  for (const Note& note : notes_) {
    std::string text = note.text;
    if (note.firstLine > 0) text += ", first at line " + std::to_string(note.firstLine);
    if (note.count > 1) text += " (" + std::to_string(note.count) + " times)";
    texts.push_back(text);
  }
  return texts;
}

}  // namespace Trident::IO
