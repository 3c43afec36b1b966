// The edge list reader: id lists as SNAP and KONECT write them, label lists as mcl reads them.
#include <gtest/gtest.h>

#include "ReaderCases.hpp"
#include "io/Trident_EdgeList.hpp"

namespace {

using namespace ReaderCases;
using namespace Trident::IO;

using Labels = std::vector<std::string>;

class EdgeList : public testing::Test {
 protected:
  TripletMatrix read(const std::string& text, const EdgeListOptions& options = {}) const {
    return readEdgeList(dir_.write("edges.txt", text), options);
  }

  std::string error(const std::string& text, const EdgeListOptions& options = {}) const {
    return errorOf([&] { read(text, options); });
  }

 private:
  TempDir dir_;
};

TEST_F(EdgeList, idsWithCommentsAndRepeats) {
  const TripletMatrix matrix = read("# Directed graph\n# From\tTo\n0\t1\n1\t0\n0\t1\n2\t2\n");
  expectMatrix(matrix, "3 3 real general; 1,2=2 2,1=1 3,3=1");
  EXPECT_FALSE(matrix.warnings.empty());
  EXPECT_TRUE(matrix.labels.empty());
}

TEST_F(EdgeList, idsKeptOrRenumbered) {
  const std::string text = "1 2 \r\n2 3\t\r\n\r\n";
  const TripletMatrix kept = read(text);
  expectMatrix(kept, "4 4 pattern general; 2,3=1 3,4=1");
  EXPECT_TRUE(kept.warnings.empty());
  EdgeListOptions options;
  options.renumber = true;
  const TripletMatrix renumbered = read(text, options);
  expectMatrix(renumbered, "3 3 pattern general; 1,2=1 2,3=1");
  EXPECT_EQ(renumbered.labels, (Labels{"1", "2", "3"}));
}

TEST_F(EdgeList, idsFromOne) {
  EdgeListOptions options;
  options.firstId = 1;
  expectMatrix(read("% sym unweighted\n% 2 3 3\n1 2\n2 3", options), "3 3 pattern general; 1,2=1 2,3=1");
  EXPECT_TRUE(contains(error("0 1\n", options), "vertex id 0 at line 1"));
}

TEST_F(EdgeList, largeIdsAreRenumbered) {
  const TripletMatrix matrix = read("5000000000 1\n1 4294967297\n");
  expectMatrix(matrix, "3 3 pattern general; 1,2=1 3,1=1");
  EXPECT_EQ(matrix.labels, (Labels{"1", "4294967297", "5000000000"}));
  EXPECT_FALSE(matrix.warnings.empty());
}

TEST_F(EdgeList, weightsAndDirections) {
  EdgeListOptions options;
  options.mirror = true;
  options.merge = Merge::max;
  expectMatrix(read("0 1 2.5\n1 0 4\n1 1 -1\n", options), "2 2 real symmetric; 1,2=4 2,1=4 2,2=-1");
  options.merge = Merge::sum;
  expectMatrix(read("0 1 2.5\n1 0 4\n1 1 -1\n", options), "2 2 real symmetric; 1,2=6.5 2,1=6.5 2,2=-1");
  expectMatrix(read("# nothing\n"), "0 0 pattern general;");
}

TEST_F(EdgeList, refusedIds) {
  EXPECT_TRUE(contains(error("0 1\n-1 2\n"), "negative vertex id at line 2"));
  EXPECT_TRUE(contains(error("0 9223372036854775808\n"), "vertex id exceeds int64 at line 1"));
  EXPECT_TRUE(contains(error("src,dst,w\n0,1,2.5\n"),
                       "not a number: \"src,dst,w\" at line 1; allowed: ids between blanks"));
  EXPECT_TRUE(contains(error("0 1 5\n1 2\n"), "line 2 has 2 columns, expected 3"));
  EXPECT_TRUE(contains(error("0\n"), "line 1 has 1 columns, expected 2 or 3"));
  EXPECT_TRUE(contains(error("0 1 2 3\n"), "line 1 has 4 columns"));
  EXPECT_TRUE(contains(error("0 1 1e999\n"), "weight out of range"));
  EXPECT_TRUE(contains(error(""), "empty file"));
}

TEST_F(EdgeList, labelsMergeByMaximum) {
  const TripletMatrix matrix =
      read("YAL001C\tYBR123C\t0.98\nYBR123C YDR362C 0.5\nYAL001C\tYBR123C\t0.40\n", EdgeListOptions::abc());
  expectMatrix(matrix, "3 3 real symmetric; 1,2=0.98 2,1=0.98 2,3=0.5 3,2=0.5");
  EXPECT_EQ(matrix.labels, (Labels{"YAL001C", "YBR123C", "YDR362C"}));
  EXPECT_TRUE(matrix.warnings.empty());
}

TEST_F(EdgeList, labelWeightIsOptional) {
  expectMatrix(read("a b\nb c 2\n", EdgeListOptions::abc()), "3 3 real symmetric; 1,2=1 2,1=1 2,3=2 3,2=2");
}

TEST_F(EdgeList, labelsAreBytes) {
  const std::string longLabel(100, 'L');
  const TripletMatrix matrix =
      read("M\xc3\xbcller\t%x\t1\n%x\t" + longLabel + "\t2\n", EdgeListOptions::abc());
  EXPECT_EQ(matrix.labels, (Labels{"M\xc3\xbcller", "%x", longLabel}));
}

TEST_F(EdgeList, refusedFlowWeights) {
  const EdgeListOptions abc = EdgeListOptions::abc();
  EXPECT_TRUE(contains(error("a b 1\nb c x\n", abc), "not a number: \"x\" at line 2"));
  EXPECT_TRUE(contains(error("a b -1\n", abc), "negative weight \"-1\" at line 1"));
  EXPECT_TRUE(contains(error("a b nan\n", abc), "weight not finite: \"nan\" at line 1"));
  EXPECT_FALSE(read("0 1 nan\n").warnings.empty());
}

TEST(EdgeListShared, hostileFiles) {
  const std::string dir = sharedData("hostile");
  if (dir.empty()) GTEST_SKIP() << "no shared data";
  int checked = 0;
  for (const auto& cells : readTable(dir + "/EXPECT.tsv")) {
    const std::string& file = cells.at(0);
    if (file[0] != 'e') continue;
    SCOPED_TRACE(file);
    const bool abc = file.substr(file.size() - 4) == ".abc";
    const EdgeListOptions options = abc ? EdgeListOptions::abc() : EdgeListOptions{};
    std::string path = dir;
    path.append("/").append(file);
    TripletMatrix matrix;
    const std::string error = errorOf([&] { matrix = readEdgeList(path, options); });
    const bool reject = cells.at(1) == "reject";
    EXPECT_EQ(!error.empty(), reject) << error;
    EXPECT_EQ(!matrix.warnings.empty(), cells[1] == "accept+warn");
    if (reject) {
      EXPECT_TRUE(contains(error, cells.at(2).substr(0, cells[2].find(" (")))) << error;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 12);
}

}  // namespace
