#ifndef TRIDENT_TEST_READERCASES_HPP
#define TRIDENT_TEST_READERCASES_HPP

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/Trident_MatrixMarket.hpp"

/// Helpers of the reader tests: files to read, and a written form of what they should give.
namespace ReaderCases {

using Trident::IO::TripletMatrix;

/// A folder of its own that goes away with the object.
class TempDir {
 public:
  TempDir() {
    static int made = 0;
    dir_ = std::filesystem::temp_directory_path() /
           ("trident-io-" + std::to_string(getpid()) + "-" + std::to_string(made++));
    std::filesystem::create_directories(dir_);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::filesystem::path dir_;
};

/// The error text of `read`, empty when it went well. Any other exception than std::runtime_error fails the
/// test.
inline std::string errorOf(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not a std::runtime_error: " << error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool sameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Compares with "rows cols field symmetry; i,j=v i,j=v ...": indices from 1, row-major, complex values as
/// 1-2i.
inline void expectMatrix(const TripletMatrix& matrix, const std::string& expected) {
  std::istringstream in(expected);
  std::int64_t rows = 0, cols = 0;
  std::string field, symmetry, word;
  in >> rows >> cols >> field >> symmetry;
  EXPECT_EQ(matrix.rows, rows);
  EXPECT_EQ(matrix.cols, cols);
  EXPECT_EQ(matrix.field, field);
  EXPECT_EQ(matrix.symmetry + ";", symmetry);
  std::size_t k = 0;
  for (; in >> word; ++k) {
    ASSERT_LT(k, matrix.value.size()) << "missing " << word;
    char* rest = nullptr;
    const std::int64_t i = std::strtoll(word.c_str(), &rest, 10);
    const std::int64_t j = std::strtoll(rest + 1, &rest, 10);
    const double re = std::strtod(rest + 1, &rest);
    const double im = *rest != '\0' ? std::strtod(rest, nullptr) : 0.0;
    const double readIm = matrix.imag.empty() ? 0.0 : matrix.imag[k];
    EXPECT_TRUE(matrix.row[k] == i - 1 && matrix.col[k] == j - 1 && sameNumber(matrix.value[k], re) &&
                sameNumber(readIm, im))
        << "expected " << word << ", read " << matrix.row[k] + 1 << "," << matrix.col[k] + 1 << "="
        << matrix.value[k] << " im " << readIm;
  }
  EXPECT_EQ(matrix.value.size(), k);
  EXPECT_EQ(matrix.imag.size(), field == "complex" ? k : 0U);
}

enum class Verdict { accept, warn, reject };

/// Reads a MatrixMarket file with default options; `expected` is as in expectMatrix, or a part of the error
/// text.
inline void checkMatrixMarket(const std::string& path, Verdict verdict, const std::string& expected) {
  TripletMatrix matrix;
  const std::string error = errorOf([&] { matrix = Trident::IO::readMatrixMarket(path); });
  if (verdict == Verdict::reject) {
    EXPECT_TRUE(contains(error, expected)) << "expected an error with: " << expected << "\ngot: " << error;
    EXPECT_TRUE(contains(error, path) && contains(error, "; allowed: ")) << error;
    return;
  }
  ASSERT_EQ(error, "");
  expectMatrix(matrix, expected);
  EXPECT_EQ(!matrix.warnings.empty(), verdict == Verdict::warn)
      << (matrix.warnings.empty() ? "no warning" : matrix.warnings.front());
}

/// Rows of a tab-separated table without its heading.
inline std::vector<std::vector<std::string>> readTable(const std::string& path) {
  std::vector<std::vector<std::string>> table;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::istringstream cellsOf(line);
    for (std::string cell; std::getline(cellsOf, cell, '\t');) cells.push_back(cell);
    table.push_back(cells);
  }
  return table;
}

/// `part` of the shared data (environment variable TRIDENT_SHARED_DATA, else what the build was given); empty
/// where it does not exist, because a clone alone must pass its tests.
inline std::string sharedData(const std::string& part) {
  std::string root;
#ifdef TRIDENT_SHARED_DATA_DIR
  root = TRIDENT_SHARED_DATA_DIR;
#endif
  if (const char* given = std::getenv("TRIDENT_SHARED_DATA")) root = given;
  std::error_code ignored;
  const std::string path = root + "/" + part;
  return !root.empty() && std::filesystem::exists(path, ignored) ? path : "";
}

}  // namespace ReaderCases

#endif
