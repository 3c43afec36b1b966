// Trident::Product: planned once, executed with new values; other patterns are an error. Eight ranks.

#include <gtest/gtest.h>

#include "TestReuse.hpp"
#include "Trident_Product.hpp"

namespace Trident::Test {
namespace {

class ProductTest : public ReuseEnds {};

TEST_F(ProductTest, executes) {
  for (const char* grid : gridsOfFourNodes) {
    for (const Op op : {Op{false, false}, Op{true, false}, Op{false, true}, Op{true, true}}) {
      Sample two(comm, op);
      const auto params = topologyParams("2", grid);
      const auto report = Teuchos::rcp(new ProductReport);
      params->set("trident: report", report);
      params->set("trident: reuse", false);  // no matter: a Product is kept
      Product<> product(*two.a, op.transposeA, *two.b, op.transposeB, params);
      const auto result = product.result();
      EXPECT_EQ(differenceToReference(*result, two.expected()), "");
      EXPECT_EQ(brokenPromises(*result, two.maps), "");
      for (unsigned turn = 0; turn < 3; ++turn) {
        revalue(*two.a, 700 + turn);
        revalue(*two.b, 800 + turn);
        product.execute(*two.a, *two.b);
        EXPECT_TRUE(report->valuesOnly);
        EXPECT_EQ(product.result().get(), result.get());
        EXPECT_EQ(differenceToReference(*result, two.expected()), "") << name(op) << ", grid " << grid;
        EXPECT_EQ(brokenPromises(*result, two.maps), "");
        EXPECT_EQ(wrongApply(*result, two.expected()), "");
      }
    }
  }
}

// A's rows lie elsewhere than B's: A cannot stay where it is, the first time or later.
TEST_F(ProductTest, executesATransposedAThatLiesElsewhere) {
  const Axis rows{60, Spread::shuffled}, aRows{50, Spread::roundAbout}, bRows{50, Spread::uneven},
      columns{40, Spread::cyclic};
  const auto a = buildMatrix(comm, Shape::random, aRows, rows, 1);
  const auto b = buildMatrix(comm, Shape::random, bRows, columns, 2);
  const auto params = topologyParams("2", "");
  Product<> product(*a, true, *b, false, params);
  for (unsigned turn = 0; turn < 2; ++turn) {
    revalue(*a, 700 + turn);
    product.execute(*a, *b);
    EXPECT_EQ(differenceToReference(*product.result(), expectedProduct(*a, *b, {true, false})), "");
  }
  const auto other = buildMatrix(comm, Shape::dense, bRows, columns, 3);
  EXPECT_EQ(errorEverywhere(
                comm, [&] { product.execute(*a, *other); }, "other patterns"),
            "invalid_argument");
}

TEST_F(ProductTest, refusesOtherPatterns) {
  const auto params = topologyParams("2", "2x2");
  Product<> product(*sample->a, false, *sample->b, false, params);
  c = product.result();
  const Matrix before(*c, Teuchos::Copy);
  const auto refused = [&](const Matrix& a, const Matrix& b) {
    EXPECT_EQ(errorEverywhere(
                  comm, [&] { product.execute(a, b); }, "other patterns"),
              "invalid_argument");
    EXPECT_TRUE(sameBits(before, *c));
    EXPECT_TRUE(c->isFillComplete());
  };
  refused(*thinnedA(-1), *sample->b);
  refused(*thinnedA(5), *sample->b);
  refused(*buildMatrix(comm, Shape::dense, sample->rows, sample->inner, 3), *sample->b);
  refused(*sample->a, *buildMatrix(comm, Shape::dense, sample->inner, sample->columns, 3));
  const auto values = sample->a->getLocalMatrixHost().values;
  const bool here = comm->getRank() == 4 && values.extent(0) > 0;
  const Scalar old = here ? values(0) : 0;
  if (here) values(0) = 0;
  refused(*sample->a, *sample->b);
  if (here) values(0) = old;
  params->set("trident: grid", std::string("4x1"));
  refused(*sample->a, *sample->b);
  params->set("trident: grid", std::string("2x2"));
  const Axis narrow{69, Spread::cyclic, 5, 3};
  refused(*sample->a, *buildMatrix(comm, Shape::random, sample->inner, narrow, 2));
  const auto shorter = buildMatrix(comm, Shape::random, {49, Spread::uneven, 5, 3}, sample->columns, 2);
  EXPECT_EQ(errorEverywhere(
                comm, [&] { product.execute(*sample->a, *shorter); }, "inner dimensions"),
            "runtime_error");
  EXPECT_TRUE(sameBits(before, *c));
  revalue(*sample->a, 71);
  product.execute(*sample->a, *sample->b);
  EXPECT_EQ(differenceToReference(*c, sample->expected()), "");

  multiplyInto(*thinnedA(-1), "2x2");  // C is another product's now
  EXPECT_EQ(errorEverywhere(
                comm, [&] { product.execute(*sample->a, *sample->b); }, "other patterns"),
            "invalid_argument");
}

}  // namespace
}  // namespace Trident::Test
