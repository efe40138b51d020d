#include "mercer/data/join_samples.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(JoinSamples, DenseRowsOfAnyLayoutAndPrecision) {
  const Samples a = make_dense(std::vector<double>{1, 2, 3, 4}, 2, 2);
  const Samples b = make_dense(std::vector<float>{5, 6}, 1, 2);
  const Samples both = join_samples(a, b);
  const auto& rows = both.as<DenseRows<double>>();
  ASSERT_EQ(both.size(), 3);
  EXPECT_EQ(rows(1, 0), 3);
  EXPECT_EQ(rows(2, 1), 6);
  EXPECT_NE(both.origin(), a.origin());
  // Column-major.
  const std::vector<double> turned = {1, 3, 2, 4};
  const Samples columns(DenseRows<double>{turned.data(), 2, 2, 1, 2});
  EXPECT_EQ(join_samples(columns, a).as<DenseRows<double>>()(0, 1), 2);
  EXPECT_EQ(join_samples(make_dense(std::vector<double>{}, 0, 2), a).size(), 2);
  EXPECT_ERROR(join_samples(a, make_dense(std::vector<double>{1}, 1, 1)), InvalidArgument,
               "samples of 2 and 1 columns cannot be joined");
  EXPECT_ERROR(join_samples(a, make_strings(std::vector<std::string>{"x"})), InvalidArgument,
               "samples of different kinds cannot be joined");
}

TEST(JoinSamples, SparseRowsTakeTheLargerWidth) {
  const Samples a = make_sparse(std::vector<double>{1, 2}, std::vector<std::int32_t>{0, 3}, {0, 1, 2}, 4);
  const Samples b = make_sparse(std::vector<double>{7}, std::vector<std::int32_t>{5}, {0, 0, 1}, 6);
  const Samples both = join_samples(a.slice({1, 2}), b);
  const auto& rows = both.as<SparseRows<double>>();
  ASSERT_EQ(both.size(), 3);
  EXPECT_EQ(rows.columns, 6);
  EXPECT_EQ(rows.offsets[1], 1);
  EXPECT_EQ(rows.offsets[2], 1);
  EXPECT_EQ(rows.column_numbers[0], 3);
  EXPECT_EQ(rows.values[1], 7);
}

TEST(JoinSamples, CategoriesByName) {
  const Samples a = make_categories({0, 1, -1}, {"red", "blue"});
  const Samples b = make_categories({0, 1}, {"green", "red"});
  const Samples both = join_samples(a, b);
  const auto& rows = both.as<CategoryRows>();
  const std::vector<std::int32_t> codes(rows.codes, rows.codes + rows.rows);
  EXPECT_EQ(codes, (std::vector<std::int32_t>{0, 1, -1, 2, 0}));
  EXPECT_EQ(rows.levels[2], "green");
}

TEST(JoinSamples, TextsSetsBagsAndGraphs) {
  const Samples texts = make_strings(std::vector<std::string>{"a", "", "bc"});
  EXPECT_EQ(join_samples(texts, texts.slice({2, 3})).as<StringRows>()[3], "bc");
  const Samples sets = make_sets(std::vector<std::vector<std::int32_t>>{{1, 2}, {}});
  EXPECT_EQ(join_samples(sets, sets).as<SetRows>()[2].size(), 2U);
  const Samples bags = make_bags(std::vector<std::vector<std::vector<double>>>{{{1, 2}}, {{3, 4}, {5, 6}}});
  const Samples more_bags = join_samples(bags.slice({1, 2}), bags);
  EXPECT_EQ(more_bags.as<BagRows>().offsets[3], 5);
  EXPECT_EQ(more_bags.as<BagRows>().points(2, 1), 2);
  Graph path;
  path.vertices = 3;
  path.edges = {{0, 1}, {1, 2}};
  path.vertex_labels = {7, 8, 9};
  const Samples graphs = make_graphs(std::vector<Graph>{path, path});
  const Samples more = join_samples(graphs.slice({1, 2}), graphs);
  const auto& rows = more.as<GraphRows>();
  const auto& before = graphs.as<GraphRows>();
  ASSERT_EQ(rows.rows, 3);
  EXPECT_EQ(rows.vertex_offsets[3], 9);
  EXPECT_EQ(rows.edge_offsets[9], 12);
  EXPECT_EQ(rows.vertex_labels[8], 9);
  for (Index e = 0; e < 4; ++e) {
    EXPECT_EQ(rows.neighbors[8 + e], before.neighbors[4 + e]);
  }
}

TEST(JoinSamples, TablesColumnByColumn) {
  const auto table = [](double value, const char* name, const std::vector<std::string>& colors) {
    return make_table(
        Table(make_dense(std::vector<double>{value}, 1, 1), {name}, {{"color", make_categories(colors)}}));
  };
  const Samples both = join_samples(table(1, "x", {"red"}), table(2, "x", {"blue"}));
  EXPECT_EQ(both.table().numeric().as<DenseRows<double>>()(1, 0), 2);
  EXPECT_EQ(both.table().others()[0].values.as<CategoryRows>().codes[1], 1);
  EXPECT_ERROR(join_samples(table(1, "x", {"red"}), table(2, "y", {"red"})), InvalidArgument,
               "tables with different columns cannot be joined");
}

}  // namespace
}  // namespace mercer
