#ifndef TRIDENT_IO_TEXTINPUT_HPP
#define TRIDENT_IO_TEXTINPUT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text input shared by the readers: whole files, lines, words and numbers.
/// Nothing here looks at the locale, so "1,5" is never a number and "1.5" always is.
namespace Trident::IO {

/// Throws std::runtime_error "path: found at line N; allowed: ...".
/// Line numbers start at 1; line 0 means that the fault has no line (a damaged gzip stream, say).
[[noreturn]] void fail(const std::string& path, std::size_t line, const std::string& found,
                       const std::string& allowed);

/// The word in quotes for an error text: cut to 40 bytes, unprintable ASCII replaced by '?'.
std::string quoted(std::string_view word);

/// A text file in memory, without its byte order mark.
struct Text {
  std::string bytes;
  bool hadByteOrderMark = false;
};

/// Reads a plain or gzip file (told apart by the magic bytes 1f 8b, not by the name).
/// Throws std::runtime_error when it cannot be read, is empty, holds a damaged or cut gzip stream, a NUL
/// byte, or only CR line ends.
Text loadText(const std::string& path);

/// Splits text into lines at LF. A CR before the LF stays in the line, where it counts as a blank.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// Moves to the next line; false at the end of the text. A last line without LF counts as a line.
  bool next();

  std::string_view line() const { return line_; }
  /// Number of the current line, from 1.
  std::size_t number() const { return number_; }
  std::size_t bytesLeft() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// Cuts the first word off `rest`; an empty word means that only blanks were left.
std::string_view nextWord(std::string_view& rest);

/// All words of a line.
std::vector<std::string_view> splitWords(std::string_view line);

enum class NumberStatus { ok, malformed, tooLarge, tooSmall };

/// Decimal integer with an optional sign. tooLarge and tooSmall: beyond int64 above or below, value
/// untouched.
NumberStatus parseInteger(std::string_view word, std::int64_t& value);

/// Decimal floating point number: optional sign, exponent letter e, E, d or D; also nan, inf and infinity in
/// any letter case. No hexadecimal floats. tooLarge: beyond the double range, value untouched. tooSmall: not
/// zero but rounds to zero, and value is set to that zero.
NumberStatus parseReal(std::string_view word, double& value);

/// Warnings by kind: a file with a million duplicates gives one line, not a million.
class Notes {
 public:
  /// Counts one case of `text`, seen at `line` (0: no line).
  void add(std::string_view text, std::size_t line = 0);

  /// One text per kind, in order of appearance, with the first line and the count.
  std::vector<std::string> texts() const;

 private:
  struct Note {
    std::string text;
    std::size_t firstLine = 0;
    std::size_t count = 0;
  };
  std::vector<Note> notes_;
};

}  // namespace Trident::IO

#endif
