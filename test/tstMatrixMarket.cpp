// The MatrixMarket reader: kinds of files it takes and refuses, and the shared real and hostile files where
// present.
#include <gtest/gtest.h>
#include <zlib.h>

#include <clocale>
#include <locale>
#include <random>

#include "ReaderCases.hpp"
#include "io/Trident_MatrixMarket.hpp"

namespace {

using namespace ReaderCases;
using namespace Trident::IO;

const std::string banner = "%%MatrixMarket matrix coordinate ";
const std::string realGeneral = banner + "real general\n";

/// One kind of file; `expected` is the matrix, or a part of the error text.
struct Case {
  const char* name;
  std::string text;
  Verdict verdict;
  const char* expected;
};

void checkAll(const std::vector<Case>& cases) {
  const TempDir dir;
  for (const Case& item : cases) {
    SCOPED_TRACE(item.name);
    checkMatrixMarket(dir.write("case.mtx", item.text), item.verdict, item.expected);
  }
}

void writeGzip(const std::string& path, const std::string& text, const char* mode) {
  gzFile file = gzopen(path.c_str(), mode);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
}

std::string bytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MatrixMarket, layoutOfTheText) {
  const char* one = "2 2 real general; 1,2=3 2,1=0.5";
  checkAll({
      {"CR LF", banner + "real general\r\n2 2 2\r\n1 2 3\r\n2 1 .5\r\n", Verdict::accept, one},
      {"no final line end", realGeneral + "2 2 2\n2 1 .5\n1 2 3", Verdict::accept, one},
      {"tabs and blanks", realGeneral + "\t2\t2  2 \n 1\t2\t3\t\n\n2   1 5e-1\n", Verdict::accept, one},
      {"comments anywhere", realGeneral + "%\n2 2 2\n  % x\n1 2 3\n%y\n2 1 .5\n%z\n\n", Verdict::accept, one},
      {"long comment", realGeneral + "%" + std::string(6000, 'x') + "\n2 2 2\n1 2 3\n2 1 .5\n",
       Verdict::accept, one},
      {"letter case", "%%matrixmarket MATRIX  Coordinate\tReal GENERAL\n2 2 2\n1 2 3\n2 1 .5\n",
       Verdict::accept, one},
      {"byte order mark", "\xef\xbb\xbf" + realGeneral + "2 2 2\n1 2 3\n2 1 .5\n", Verdict::warn, one},
      {"single %", realGeneral.substr(1) + "2 2 2\n1 2 3\n2 1 .5\n", Verdict::warn, one},
      {"field double", banner + "double general\n2 2 2\n1 2 3\n2 1 .5\n", Verdict::accept, one},
      {"zero bytes", "", Verdict::reject, "empty file"},
      {"CR only", banner + "real general\r1 1 1\r1 1 1\r", Verdict::reject, "CR-only line ends at line 1"},
      {"CR only but for the end", banner + "real general\r1 1 1\r1 1 1\r\n", Verdict::reject,
       "banner needs 5 words"},
      {"NUL", realGeneral + "1 1 1\n1 1 1" + std::string(1, '\0') + "\n", Verdict::reject,
       "NUL byte at line 3"},
  });
}

TEST(MatrixMarket, banner) {
  checkAll({
      {"none", "2 2 1\n1 1 1\n", Verdict::reject, "missing banner at line 1"},
      {"second line", "\n" + realGeneral + "1 1 1\n1 1 1\n", Verdict::reject, "missing banner"},
      {"four words", banner + "real\n1 1 1\n1 1 1\n", Verdict::reject, "banner needs 5 words, found 4"},
      {"object", "%%MatrixMarket vector coordinate real general\n3 1\n", Verdict::reject,
       "object \"vector\""},
      {"format", "%%MatrixMarket matrix sparse real general\n1 1 0\n", Verdict::reject, "unknown format"},
      {"field", banner + "quaternion general\n1 1 0\n", Verdict::reject, "unknown field \"quaternion\""},
      {"symmetry", banner + "real diagonal\n1 1 0\n", Verdict::reject, "unknown symmetry"},
      {"array pattern", "%%MatrixMarket matrix array pattern general\n1 1\n1\n", Verdict::reject,
       "unknown field"},
  });
}

TEST(MatrixMarket, sizesAndCounts) {
  checkAll({
      {"no entries", realGeneral + "3 4 0\n", Verdict::accept, "3 4 real general;"},
      {"0 x 0", realGeneral + "0 0 0\n", Verdict::accept, "0 0 real general;"},
      {"empty outer rows", realGeneral + "6 6 1\n2 2 1\n", Verdict::accept, "6 6 real general; 2,2=1"},
      {"huge dimensions", realGeneral + "4294967296 4294967296 1\n4294967296 1 2\n", Verdict::warn,
       "4294967296 4294967296 real general; 4294967296,1=2"},
      {"no size line", realGeneral + "% end\n", Verdict::reject, "size line missing"},
      {"two numbers", realGeneral + "3 3\n1 1 1\n", Verdict::reject,
       "size line needs 3 numbers, found 2 at line 2"},
      {"fraction", realGeneral + "3 3.0 1\n1 1 1\n", Verdict::reject, "not a number: \"3.0\""},
      {"negative rows", realGeneral + "-3 3 1\n1 1 1\n", Verdict::reject, "negative dimension"},
      {"negative count", realGeneral + "3 3 -1\n", Verdict::reject, "negative entry count"},
      {"rows 2^63", realGeneral + "9223372036854775808 1 1\n1 1 1\n", Verdict::reject,
       "dimension exceeds int64"},
      {"count 2^64-1", realGeneral + "2 2 18446744073709551615\n1 1 1\n", Verdict::reject,
       "entry count exceeds"},
      {"count 2^63-1", realGeneral + "2 2 9223372036854775807\n1 1 1\n", Verdict::reject,
       "found 1 at line 3"},
      {"too few", realGeneral + "9 9 50\n1 1 1\n", Verdict::reject, "expected 50 entries, found 1"},
      {"too many", realGeneral + "2 2 1\n1 1 1\n2 2 1\n", Verdict::reject, "than declared (1) at line 4"},
      {"text behind", realGeneral + "1 1 1\n1 1 1\nend\n", Verdict::reject, "more entries than declared (1)"},
  });
}

TEST(MatrixMarket, entries) {
  checkAll({
      {"any order", realGeneral + "5 5 3\n5 1 1\n1 5 2\n1 1 4\n", Verdict::accept,
       "5 5 real general; 1,1=4 1,5=2 5,1=1"},
      {"explicit zeros", realGeneral + "2 2 2\n1 1 0\n1 2 -0.0\n", Verdict::accept,
       "2 2 real general; 1,1=0 1,2=0"},
      {"duplicates", realGeneral + "2 2 4\n1 1 1\n1 1 2\n2 2 5\n1 1 -3\n", Verdict::warn,
       "2 2 real general; 1,1=0 2,2=5"},
      {"pattern", banner + "pattern general\n2 2 2\n2 1\n1 2\n", Verdict::accept,
       "2 2 pattern general; 1,2=1 2,1=1"},
      {"plus signs", realGeneral + "+2 2 1\n+1 2 +3.5e+0\n", Verdict::accept, "2 2 real general; 1,2=3.5"},
      {"index 0", realGeneral + "3 3 1\n0 1 1\n", Verdict::reject, "index 0 (file is 0-based?) at line 3"},
      {"row too large", realGeneral + "2 2 1\n3 1 1\n", Verdict::reject, "row 3 > 2 at line 3"},
      {"column too large", realGeneral + "2 2 1\n1 3 1\n", Verdict::reject, "column 3 > 2 at line 3"},
      {"row beyond int64", realGeneral + "2 2 1\n99999999999999999999 1 1\n", Verdict::reject, "row 999"},
      {"negative index", realGeneral + "2 2 1\n1 -1 1\n", Verdict::reject, "negative index \"-1\" at line 3"},
      {"cut line", realGeneral + "2 2 2\n1 1 1\n2 2", Verdict::reject, "value missing at line 4"},
      {"no column", realGeneral + "2 2 1\n1\n", Verdict::reject, "value missing at line 3"},
      {"garbage", realGeneral + "2 2 1\n^ 2 3\n", Verdict::reject, "not a number: \"^\" at line 3"},
      {"extra column", realGeneral + "2 2 1\n1 1 1 7\n", Verdict::reject, "trailing text after value"},
      {"pattern with value", banner + "pattern general\n2 2 1\n1 2 5.5\n", Verdict::reject, "trailing text"},
      {"complex with one value", banner + "complex general\n1 1 1\n1 1 5\n", Verdict::reject,
       "value missing"},
  });
}

// Summed as they come: 2^53 absorbs the ones behind it, but not the sum of those before it.
TEST(MatrixMarket, duplicatesSumInFileOrder) {
  std::string text = realGeneral + "2 2 129\n";
  for (int k = 0; k < 8; ++k) text += "2 2 1\n1 1 1\n";
  text += "2 2 9007199254740992\n";
  for (int k = 0; k < 56; ++k) text += "2 2 1\n1 1 1\n";
  const TempDir dir;
  expectMatrix(readMatrixMarket(dir.write("a.mtx", text)), "2 2 real general; 1,1=64 2,2=9007199254741000");
}

TEST(MatrixMarket, numbers) {
  const std::string one = realGeneral + "1 1 1\n1 1 ";
  const std::string whole = banner + "integer general\n1 1 1\n1 1 ";
  checkAll({
      {"largest", one + "-1.7976931348623157e308\n", Verdict::accept,
       "1 1 real general; 1,1=-1.7976931348623157e308"},
      {"denormal", one + "4.9e-324\n", Verdict::accept, "1 1 real general; 1,1=5e-324"},
      {"underflow", one + "-1e-400\n", Verdict::warn, "1 1 real general; 1,1=0"},
      {"long zero", one + "0.000e999\n", Verdict::accept, "1 1 real general; 1,1=0"},
      {"overflow", one + "1e400\n", Verdict::reject, "value out of range: \"1e400\" at line 3"},
      {"long overflow", one + std::string(400, '9') + "\n", Verdict::reject, "value out of range"},
      {"long underflow", one + "." + std::string(400, '0') + "1\n", Verdict::warn, "1 1 real general; 1,1=0"},
      {"nan", one + "NaN\n", Verdict::warn, "1 1 real general; 1,1=nan"},
      {"infinity", one + "-Infinity\n", Verdict::warn, "1 1 real general; 1,1=-inf"},
      {"nan with text", one + "nan(1)\n", Verdict::reject, "not a number"},
      {"Fortran D", one + "1.5D+02\n", Verdict::accept, "1 1 real general; 1,1=150"},
      {"Fortran d", one + "-25d-1\n", Verdict::accept, "1 1 real general; 1,1=-2.5"},
      {"exponent without letter", one + "1.5+2\n", Verdict::reject, "not a number: \"1.5+2\""},
      {"exponent without digits", one + "1.5e\n", Verdict::reject, "not a number"},
      {"two signs", one + "+-1\n", Verdict::reject, "not a number: \"+-1\""},
      {"point alone", one + ".\n", Verdict::reject, "not a number: \".\""},
      {"hexadecimal", one + "0x1p3\n", Verdict::reject, "not a number: \"0x1p3\""},
      {"decimal comma", one + "1,5\n", Verdict::reject, "not a number: \"1,5\""},
      {"2^53 + 1", whole + "9007199254740993\n", Verdict::warn, "1 1 integer general; 1,1=9007199254740992"},
      {"2^63 - 1", whole + "9223372036854775807\n", Verdict::warn,
       "1 1 integer general; 1,1=9223372036854775808"},
      {"-2^63", whole + "-9223372036854775808\n", Verdict::accept,
       "1 1 integer general; 1,1=-9223372036854775808"},
      {"2^63", whole + "9223372036854775808\n", Verdict::reject, "integer out of range"},
      {"fraction", whole + "1.5\n", Verdict::reject, "not an integer: \"1.5\""},
      {"integer word", whole + "x\n", Verdict::reject, "not a number: \"x\""},
  });
}

TEST(MatrixMarket, symmetry) {
  const std::string symmetric = banner + "real symmetric\n";
  checkAll({
      {"diagonal once", banner + "pattern symmetric\n2 2 3\n1 1\n2 1\n2 2\n", Verdict::accept,
       "2 2 pattern symmetric; 1,1=1 1,2=1 2,1=1 2,2=1"},
      {"upper only", symmetric + "3 3 2\n1 3 4\n2 3 5\n", Verdict::warn,
       "3 3 real symmetric; 1,3=4 2,3=5 3,1=4 3,2=5"},
      {"mixed triangles", symmetric + "3 3 2\n1 3 4\n3 2 5\n", Verdict::warn,
       "3 3 real symmetric; 1,3=4 2,3=5 3,1=4 3,2=5"},
      {"duplicate", symmetric + "2 2 2\n2 1 4\n2 1 5\n", Verdict::warn, "2 2 real symmetric; 1,2=9 2,1=9"},
      {"both triangles", symmetric + "2 2 3\n1 1 1\n2 1 3\n1 2 3\n", Verdict::reject,
       "entries in both triangles of a symmetric file: (2,1) and (1,2) at line 5"},
      {"not square", symmetric + "2 3 1\n2 1 1\n", Verdict::reject,
       "symmetric matrix must be square, found 2 x 3"},
      {"skew", banner + "real skew-symmetric\n3 3 2\n2 1 4\n3 2 -1\n", Verdict::accept,
       "3 3 real skew-symmetric; 1,2=-4 2,1=4 2,3=1 3,2=-1"},
      {"skew diagonal", banner + "real skew-symmetric\n1 1 1\n1 1 1\n", Verdict::reject,
       "non-zero diagonal in skew"},
      {"hermitian", banner + "complex Hermitian\n2 2 2\n1 1 3 0\n2 1 1 -2\n", Verdict::accept,
       "2 2 complex hermitian; 1,1=3+0i 1,2=1+2i 2,1=1-2i"},
      {"hermitian upper", banner + "complex hermitian\n2 2 1\n1 2 1 2\n", Verdict::warn,
       "2 2 complex hermitian; 1,2=1+2i 2,1=1-2i"},
      {"hermitian diagonal", banner + "complex hermitian\n1 1 1\n1 1 3 1\n", Verdict::reject,
       "not real at line 3"},
      {"complex symmetric", banner + "complex symmetric\n2 2 1\n2 1 1 -2\n", Verdict::accept,
       "2 2 complex symmetric; 1,2=1-2i 2,1=1-2i"},
      {"real hermitian", banner + "integer hermitian\n2 2 1\n2 1 1\n", Verdict::warn,
       "2 2 integer symmetric; 1,2=1 2,1=1"},
  });
}

TEST(MatrixMarket, bothTrianglesByOption) {
  const TempDir dir;
  const std::string path = dir.write("a.mtx", banner + "real symmetric\n2 2 3\n2 2 1\n2 1 3\n1 2 4\n");
  const TripletMatrix sum = readMatrixMarket(path, {SymmetricDuplicates::sum});
  expectMatrix(sum, "2 2 real symmetric; 1,2=7 2,1=7 2,2=1");
  EXPECT_FALSE(sum.warnings.empty());
  expectMatrix(readMatrixMarket(path, {SymmetricDuplicates::max}), "2 2 real symmetric; 1,2=4 2,1=4 2,2=1");
  const std::string skew = dir.write("b.mtx", banner + "real skew-symmetric\n2 2 2\n2 1 3\n1 2 -3\n");
  EXPECT_TRUE(
      contains(errorOf([&] { readMatrixMarket(skew, {SymmetricDuplicates::max}); }), "both triangles"));
  expectMatrix(readMatrixMarket(skew, {SymmetricDuplicates::sum}), "2 2 real skew-symmetric; 1,2=-6 2,1=6");
  EXPECT_TRUE(contains(errorOf([&] {
                         readMatrixMarket(path, {SymmetricDuplicates::sum, true});
                       }),
                       "upper triangle"));
}

TEST(MatrixMarket, array) {
  const std::string array = "%%MatrixMarket matrix array ";
  checkAll({
      {"general", array + "real general\n3 2\n1\n0\n3\n4 5\n0\n", Verdict::warn,
       "3 2 real general; 1,1=1 1,2=4 2,2=5 3,1=3"},
      {"symmetric", array + "real symmetric\n2 2\n1\n2\n3\n", Verdict::warn,
       "2 2 real symmetric; 1,1=1 1,2=2 2,1=2 2,2=3"},
      {"skew", array + "real skew-symmetric\n3 3\n4\n-1\n2\n", Verdict::warn,
       "3 3 real skew-symmetric; 1,2=-4 1,3=1 2,1=4 2,3=-2 3,1=-1 3,2=2"},
      {"complex", array + "complex general\n1 2\n1 2\n0 -3\n", Verdict::warn,
       "1 2 complex general; 1,1=1+2i 1,2=0-3i"},
      {"empty", array + "real general\n0 5\n", Verdict::warn, "0 5 real general;"},
      {"too few", array + "real general\n2 2\n1\n2\n3\n", Verdict::reject, "expected 4 values, found 3"},
      {"too many", array + "real general\n1 1\n1\n2\n", Verdict::reject,
       "expected 1 values, found more at line 4"},
      {"too large", array + "real general\n4294967296 4294967296\n1\n", Verdict::reject,
       "entry count exceeds"},
  });
}

TEST(MatrixMarket, gzip) {
  const TempDir dir;
  const char* expected = "2 2 real general; 2,1=6";
  // Packed under a plain name, and in two members that split a line.
  const std::string path = dir.path("packed.mtx");
  writeGzip(path, realGeneral + "2 2 ", "wb");
  writeGzip(path, "1\n2 1 6\n", "ab");
  checkMatrixMarket(path, Verdict::accept, expected);
  const std::string bytes = bytesOf(path);
  checkMatrixMarket(dir.write("padded.gz", bytes + std::string(512, '\0')), Verdict::accept, expected);
  checkMatrixMarket(dir.write("plain.mtx.gz", realGeneral + "2 2 1\n2 1 6\n"), Verdict::accept, expected);
  for (const std::size_t size : {std::size_t(2), std::size_t(15), bytes.size() - 1})
    checkMatrixMarket(dir.write("cut.gz", bytes.substr(0, size)), Verdict::reject, "gzip stream truncated");
  checkMatrixMarket(dir.write("more.gz", bytes + "x"), Verdict::reject, "other bytes after the gzip stream");
  std::string damaged = bytes;
  damaged[20] = static_cast<char>(damaged[20] ^ 0x55);
  EXPECT_TRUE(contains(errorOf([&] { readMatrixMarket(dir.write("damaged.gz", damaged)); }), "gzip stream"));
}

TEST(MatrixMarket, unreadableFiles) {
  const TempDir dir;
  checkMatrixMarket(dir.path("absent.mtx"), Verdict::reject, "cannot open the file");
  checkMatrixMarket(dir.path(""), Verdict::reject, "cannot read the file");
}

TEST(MatrixMarket, localeHasNoSay) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // not installed everywhere; then only the C++ locale is tested
  const TempDir dir;
  const TripletMatrix matrix = readMatrixMarket(dir.write("a.mtx", realGeneral + "1 1 1\n1 1 1.5\n"));
  const std::string error =
      errorOf([&] { readMatrixMarket(dir.write("b.mtx", realGeneral + "1 1 1\n1 1 1,5\n")); });
  std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
  EXPECT_EQ(matrix.value.at(0), 1.5);
  EXPECT_TRUE(contains(error, "not a number: \"1,5\""));
}

// A damaged byte gives a matrix or a std::runtime_error, never a crash or another exception.
TEST(MatrixMarket, damagedBytes) {
  const TempDir dir;
  const std::string text =
      banner + "complex hermitian\n% c\n3 3 4\n1 1 3 0\n2 1 1e1 -2.5D0\n3 2 nan +.5\n3 3 1 0\n";
  std::mt19937 random(1);
  for (int turn = 0; turn < 2000; ++turn) {
    std::string damaged = text;
    for (int change = 0; change < 1 + turn % 3; ++change)
      damaged[random() % damaged.size()] =
          turn % 2 == 0 ? static_cast<char>(random()) : "0123456789+-.eD %\n"[random() % 18];
    errorOf([&] {
      readMatrixMarket(dir.write("d.mtx", damaged.substr(0, random() % 8 == 0 ? random() % 99 : 999)));
    });
  }
}

}  // namespace
