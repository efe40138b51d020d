#include "mercer/data/samples.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// Every kind of samples, five rows each.
std::vector<Samples> five_of_each() {
  std::vector<Samples> all;
  all.push_back(make_dense(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, 2));
  all.push_back(make_dense(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, 2));
  all.push_back(
      make_sparse(std::vector<double>{1, 2, 3, 4}, std::vector<std::int32_t>{0, 2, 1, 2}, {0, 2, 2, 3, 4, 4}, 3));
  all.push_back(
      make_sparse(std::vector<float>{1, 2, 3, 4}, std::vector<std::int32_t>{0, 2, 1, 2}, {0, 2, 2, 3, 4, 4}, 3));
  all.push_back(make_strings(std::vector<std::string>{"a", "", "bcd", "e", "ff"}));
  all.push_back(make_sets(std::vector<std::vector<std::int32_t>>{{3, 1, 3}, {}, {0}, {5, 4}, {2}}));
  all.push_back(make_bags(std::vector<std::vector<std::vector<double>>>{{{1, 2}, {3, 4}}, {}, {{5, 6}}, {{7, 8}}, {}}));
  std::vector<Graph> graphs(5);
  for (int g = 0; g < 5; ++g) {
    graphs[g].vertices = g + 1;
    for (int v = 0; v <= g; ++v) {
      graphs[g].vertex_labels.push_back(10 * g + v);
      if (v > 0) {
        graphs[g].edges.push_back({v - 1, v});
        graphs[g].edge_labels.push_back(v);
      }
    }
  }
  all.push_back(make_graphs(graphs));
  all.push_back(make_categories(std::vector<std::string>{"x", "y", "x", "z", "y"}));
  all.push_back(make_table(Table(all[0], {"u", "v"}, {{"text", all[4]}, {"kind", all[8]}})));
  return all;
}

// Row i as text: an oracle that reads through the public views only.
std::string row_text(const Samples& samples, Index i) {
  return std::visit(
      [&]<class R>(const R& rows) {
        std::string text;
        if constexpr (std::is_same_v<R, std::shared_ptr<const Table>>) {
          text = row_text(rows->numeric(), i);
          for (const auto& column : rows->others()) {
            text += "|" + column.name + "=" + row_text(column.values, i);
          }
        } else if constexpr (requires { rows.column_stride; }) {
          for (Index j = 0; j < rows.columns; ++j) {
            text += std::to_string(rows(i, j)) + " ";
          }
        } else if constexpr (requires { rows.column_numbers; }) {
          for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
            text += std::to_string(rows.column_numbers[p]) + ":" + std::to_string(rows.values[p]) + " ";
          }
        } else if constexpr (std::is_same_v<R, StringRows>) {
          text = rows[i];
        } else if constexpr (std::is_same_v<R, SetRows>) {
          for (const auto member : rows[i]) {
            text += std::to_string(member) + " ";
          }
        } else if constexpr (std::is_same_v<R, BagRows>) {
          for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
            text += "(" + std::to_string(rows.points(p, 0)) + "," + std::to_string(rows.points(p, 1)) + ")";
          }
        } else if constexpr (std::is_same_v<R, GraphRows>) {
          for (Index v = rows.vertex_offsets[i]; v < rows.vertex_offsets[i + 1]; ++v) {
            text += std::to_string(rows.vertex_labels[v]) + ":";
            for (Index e = rows.edge_offsets[v]; e < rows.edge_offsets[v + 1]; ++e) {
              text += std::to_string(rows.neighbors[e]) + "/" + std::to_string(rows.edge_labels[e]) + " ";
            }
          }
        } else {
          text = rows.codes[i] < 0 ? "?" : rows.levels[rows.codes[i]];
        }
        return text;
      },
      samples.rows());
}

TEST(Samples, SelectKeepsRowsAndIdentityForEveryKind) {
  const std::vector<Index> numbers{4, 0, 2, 2, 3};
  for (const Samples& samples : five_of_each()) {
    ASSERT_EQ(samples.size(), 5) << to_string(samples.kind());
    const Samples chosen = samples.select(numbers);
    EXPECT_EQ(chosen.kind(), samples.kind());
    EXPECT_EQ(chosen.columns(), samples.columns());
    EXPECT_EQ(chosen.origin(), samples.origin());
    for (Index i = 0; i < 5; ++i) {
      EXPECT_EQ(row_text(chosen, i), row_text(samples, numbers[i])) << to_string(samples.kind());
      EXPECT_EQ(chosen.row_id(i), numbers[i]);
    }
    EXPECT_EQ(samples.select({}).size(), 0);
    EXPECT_ERROR(samples.select(std::vector<Index>{5}), InvalidArgument, "row number 5 is outside the 5 samples");
    EXPECT_ERROR(samples.select(std::vector<Index>{-1}), InvalidArgument, "row number -1 is outside the 5 samples");
  }
}

TEST(Samples, SliceIsAViewOfTheSameSamples) {
  for (const Samples& samples : five_of_each()) {
    const Samples middle = samples.slice({1, 4});
    ASSERT_EQ(middle.size(), 3);
    EXPECT_EQ(middle.origin(), samples.origin());
    for (Index i = 0; i < 3; ++i) {
      EXPECT_EQ(row_text(middle, i), row_text(samples, i + 1)) << to_string(samples.kind());
      EXPECT_EQ(middle.row_id(i), i + 1);
    }
    // Slices of selections and selections of slices name the original rows.
    const Samples twice = middle.select(std::vector<Index>{2, 0}).slice({1, 2});
    EXPECT_EQ(row_text(twice, 0), row_text(samples, 1));
    EXPECT_EQ(twice.row_id(0), 1);
    EXPECT_EQ(samples.slice({5, 5}).size(), 0);
    EXPECT_ERROR(samples.slice({0, 6}), InvalidArgument, "rows [0, 6) are outside the 5 samples");
    EXPECT_ERROR(samples.slice({3, 2}), InvalidArgument, "rows [3, 2) are outside the 5 samples");
  }
  const Samples dense = five_of_each()[0];
  EXPECT_EQ(dense.slice({1, 4}).as<DenseRows<double>>().data, dense.as<DenseRows<double>>().data + 2);
}

TEST(Samples, EqualValuesAreNotTheSameSample) {
  const Samples a = make_dense(std::vector<double>{1, 2}, 2, 1);
  const Samples b = make_dense(std::vector<double>{1, 2}, 2, 1);
  EXPECT_NE(a.origin(), b.origin());
  EXPECT_EQ(b.with_identity_of(a).origin(), a.origin());
  EXPECT_ERROR(b.with_identity_of(a.slice({0, 1})), InvalidArgument, "identity of 1 samples cannot be given to 2");
}

TEST(Samples, AsNamesBothKinds) {
  const Samples samples = make_dense(std::vector<float>{1}, 1, 1);
  EXPECT_ERROR(samples.as<SparseRows<double>>(), InvalidArgument, "dense float");
  EXPECT_ERROR(samples.as<SparseRows<double>>(), InvalidArgument, "sparse double");
}

TEST(Samples, SlicesOutliveTheirParent) {
  Samples slice;
  {
    const Samples all = make_strings(std::vector<std::string>{"one", "two", "three"});
    slice = all.slice({2, 3});
  }
  EXPECT_EQ(slice.as<StringRows>()[0], "three");
}

TEST(MakeSamples, RejectsWrongShapes) {
  EXPECT_ERROR(make_dense(std::vector<double>{1, 2, 3}, 2, 2), InvalidArgument,
               "a dense matrix of 2 rows and 2 columns cannot be made of 3 values");
  EXPECT_ERROR(make_dense(std::vector<double>{}, -1, 0), InvalidArgument,
               "a dense matrix of -1 rows and 0 columns cannot be made of 0 values");
  EXPECT_EQ(make_dense(std::vector<double>{}, 3, 0).size(), 3);
  using V = std::vector<double>;
  using C = std::vector<std::int32_t>;
  EXPECT_ERROR(make_sparse(V{1, 2}, C{0, 0}, {0, 2}, 3), InvalidArgument,
               "sparse row 0: column number 0 follows 0");  // repeated
  EXPECT_ERROR(make_sparse(V{1, 2}, C{1, 0}, {0, 2}, 3), InvalidArgument,
               "sparse row 0: column number 0 follows 1");  // descending
  EXPECT_ERROR(make_sparse(V{1, 2}, C{0, 3}, {0, 2}, 3), InvalidArgument,
               "sparse row 0: column number 3 is not in 0 … 2");  // too large
  EXPECT_ERROR(make_sparse(V{1, 2}, C{-1, 1}, {0, 2}, 3), InvalidArgument,
               "sparse row 0: column number -1 is not in 0 … 2");  // negative
  EXPECT_ERROR(make_sparse(V{1, 2}, C{0, 1}, {0, 5, 2}, 3), InvalidArgument,
               "sparse row 0: offsets must not decrease");  // offsets decrease
  EXPECT_ERROR(make_sparse(V{1, 2}, C{0, 1}, {0, 1}, 3), InvalidArgument,
               "sparse rows: offsets must begin with 0 and end with the number of values");  // offsets too short
  EXPECT_ERROR(make_sparse(V{1, 2}, C{0, 1}, {}, 3), InvalidArgument,
               "sparse rows: offsets must begin with 0 and end with the number of values");
  const std::vector<std::int64_t> wide{0, std::int64_t{1} << 31};
  EXPECT_ERROR(make_sparse(V{1, 2}, wide, {0, 2}, std::int64_t{1} << 32), InvalidArgument, "column number 2147483648");
  const std::vector<std::int64_t> fine{0, 2};
  EXPECT_EQ(make_sparse(V{1, 2}, fine, {0, 2}, 3).as<SparseRows<double>>().column_numbers[1], 2);
  EXPECT_ERROR(make_sets(std::vector<std::vector<std::int32_t>>{{-1}}), InvalidArgument, "set 0 has the member -1");
  EXPECT_ERROR(make_sets(std::vector<std::vector<std::int32_t>>{{1}, {std::numeric_limits<std::int32_t>::max()}}),
               InvalidArgument, "set 1 has the member 2147483647: members must be at most 2147483646");
  EXPECT_ERROR(make_bags(std::vector<std::vector<std::vector<double>>>{{{1, 2}, {3}}}), InvalidArgument,
               "bag 0 holds a vector of 1 components where the first one has 2");
  EXPECT_ERROR(make_categories({0, 2}, {"a", "b"}), InvalidArgument,
               "category code 2: must be -1 or one of the 2 levels");
}

TEST(MakeSamples, GraphsAreSymmetricSortedAndChecked) {
  Graph graph{4, {{2, 0}, {0, 2}, {3, 0}, {1, 1}}, {}, {}};
  const Samples samples = make_graphs(std::vector<Graph>{graph, Graph{}});
  const auto& rows = samples.as<GraphRows>();
  EXPECT_EQ(rows.vertex_offsets[1], 4);
  EXPECT_EQ(rows.vertex_offsets[2], 4);
  EXPECT_EQ(std::vector<std::int32_t>(rows.neighbors, rows.neighbors + rows.edge_offsets[4]),
            (std::vector<std::int32_t>{2, 3, 1, 0, 0}));
  EXPECT_EQ(rows.vertex_labels, nullptr);
  graph.edges.push_back({0, 4});
  EXPECT_ERROR(make_graphs(std::vector<Graph>{graph}), InvalidArgument, "graph 0: edge 0-4 leaves the vertices 0 … 3");
  EXPECT_ERROR(make_graphs(std::vector<Graph>{{2, {{0, 1}, {1, 0}}, {}, {1, 2}}}), InvalidArgument,
               "graph 0: edge 0-1 is listed with two labels");
  EXPECT_ERROR(make_graphs(std::vector<Graph>{{2, {}, {1}, {}}}), InvalidArgument,
               "graph 0: 1 vertex labels for 2 vertices");
  const Samples directed = make_graphs(std::vector<Graph>{{2, {{0, 1}}, {}, {}}}, EdgeDirection::directed);
  EXPECT_EQ(directed.as<GraphRows>().edge_offsets[2], 1);
}

TEST(Convert, DenseAndPrecision) {
  for (const Samples& samples : five_of_each()) {
    const Samples dense = to_dense<float>(samples);
    const Samples single = to_precision<float>(samples);
    EXPECT_EQ(dense.origin(), samples.origin());
    EXPECT_EQ(single.origin(), samples.origin());
    EXPECT_EQ(single.kind(), samples.kind());
    for (Index i = 0; i < 5; ++i) {
      EXPECT_EQ(row_text(single, i), row_text(samples, i)) << to_string(samples.kind());
    }
  }
  const Samples sparse = five_of_each()[2].slice({1, 4});
  const Samples written_out = to_dense<double>(sparse);
  const auto& dense = written_out.as<DenseRows<double>>();
  EXPECT_EQ(dense.columns, 3);
  EXPECT_EQ(dense(0, 0), 0);
  EXPECT_EQ(dense(1, 1), 3);
  EXPECT_EQ(dense(2, 2), 4);
  EXPECT_EQ(row_text(to_precision<float>(sparse), 2), row_text(sparse, 2));
  // Column-major input comes out row-major.
  const std::vector<double> memory{1, 2, 3, 4, 5, 6};
  const Samples columns_first(DenseRows<double>{memory.data(), 3, 2, 1, 3});
  const Samples rows_first = to_dense<double>(columns_first);
  const auto& rows = rows_first.as<DenseRows<double>>();
  EXPECT_EQ(rows.column_stride, 1);
  EXPECT_EQ(rows(0, 1), 4);
  EXPECT_EQ(rows(2, 0), 3);
}

TEST(RequireFinite, NamesRowAndColumn) {
  require_finite(make_dense(std::vector<double>{1, 2}, 1, 2));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Samples bad = make_dense(std::vector<double>{1, 2, 3, nan}, 2, 2);
  EXPECT_ERROR(require_finite(bad), DataError, "row 1, column 1 (counted from 0): the value is nan");
  EXPECT_ERROR(require_finite(make_table(Table(bad, {"age", "weight"}, {}))), DataError, "row 1, column 'weight'");
  EXPECT_ERROR(require_finite(make_sparse(std::vector<float>{HUGE_VALF}, std::vector<std::int32_t>{0}, {0, 1}, 1)),
               DataError, "row 0, column 0 (counted from 0): the value is inf");
  EXPECT_ERROR(require_finite(make_bags(std::vector<std::vector<std::vector<double>>>{{{nan}}})), DataError,
               "row 0, column 0 (counted from 0): the value is nan");
}

// Wherever it stands, in whole vectors and in what is left of them.
TEST(RequireFinite, EveryPlaceIsLookedAt) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    for (Index size = 1; size <= 40; ++size) {
      for (Index at = 0; at < size; ++at) {
        std::vector<double> values(size, 1e308);
        std::vector<float> floats(size, -3e38F);
        require_finite(make_dense(values, 1, size));
        require_finite(make_dense(floats, size, 1));
        values[at] = bad;
        floats[at] = static_cast<float>(bad);
        EXPECT_ERROR(require_finite(make_dense(values, 1, size)), DataError, "all values must be finite")
            << size << " " << at;
        EXPECT_ERROR(require_finite(make_dense(floats, size, 1)), DataError, "all values must be finite")
            << size << " " << at;
      }
    }
  }
}

TEST(Table, ChecksLengthsAndNames) {
  const Samples two = make_dense(std::vector<double>{1, 2}, 2, 1);
  const Samples strings = make_strings(std::vector<std::string>{"a", "b", "c"});
  EXPECT_ERROR(Table(two, {"a"}, {{"s", strings}}), InvalidArgument, "column 's' has 3 rows where the table has 2");
  EXPECT_ERROR(Table(two, {"a", "b"}, {}), InvalidArgument, "a table has 1 numeric columns but 2 names for them");
  EXPECT_ERROR(Table(two, {"a"}, {{"a", two}}), InvalidArgument, "two columns of a table are named 'a'");
  EXPECT_ERROR(Table(strings, {}, {}), InvalidArgument, "the numeric block of a table is of kind 'strings'");
  const Table only_text(Samples(), {}, {{"s", strings}});
  EXPECT_EQ(only_text.size(), 3);
  EXPECT_EQ(only_text.numeric().size(), 3);
  EXPECT_EQ(make_table(only_text).slice({1, 3}).size(), 2);
}

TEST(Columns, PrintsAsInASpec) {
  EXPECT_EQ(
      to_string(ColumnSelection{{ColumnName{"age"}, ColumnName{"body mass"}, ColumnSpan{0, 3}, ColumnSpan{7, 8}}}),
      "[age, \"body mass\", 0:3, 7]");
  EXPECT_EQ(to_string(ColumnSelection{{ColumnName{"a\"b\\"}, ColumnName{"3"}}}), "[\"a\\\"b\\\\\", \"3\"]");
}

TEST(Columns, DenseStepsAreViewsOthersCopies) {
  std::vector<double> values(12);
  for (int i = 0; i < 12; ++i) {
    values[i] = i;
  }
  const Samples samples = make_dense(values, 2, 6);
  const Samples steps = select_columns(samples, {{ColumnSpan{1, 2}, ColumnSpan{3, 4}, ColumnSpan{5, 6}}});
  const auto& view = steps.as<DenseRows<double>>();
  EXPECT_EQ(view.data, samples.as<DenseRows<double>>().data + 1);
  EXPECT_EQ(view(1, 2), 11);
  EXPECT_EQ(steps.origin(), samples.origin());
  const Samples mixed = select_columns(samples, {{ColumnSpan{5, 6}, ColumnSpan{0, 2}, ColumnSpan{5, 6}}});
  const auto& copy = mixed.as<DenseRows<double>>();
  EXPECT_EQ(copy.columns, 4);
  EXPECT_EQ(copy(1, 0), 11);
  EXPECT_EQ(copy(1, 1), 6);
  EXPECT_EQ(copy(1, 3), 11);
  EXPECT_ERROR(select_columns(samples, {{ColumnSpan{0, 7}}}), InvalidArgument, "column subscript [0:7]");
  EXPECT_ERROR(select_columns(samples, {{ColumnSpan{2, 2}}}), InvalidArgument, "column subscript [2:2]");
  EXPECT_ERROR(select_columns(samples, {{ColumnName{"a"}}}), InvalidArgument,
               "column subscript: there is no column 'a'");
  EXPECT_ERROR(select_columns(make_strings(std::vector<std::string>{"a"}), {{ColumnSpan{0, 1}}}), InvalidArgument,
               "column subscript [0]");
  EXPECT_ERROR(select_columns(samples, {}), InvalidArgument, "column subscript []: must name at least one column");
}

TEST(Columns, SparseEqualsDenseOnRandomSelections) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Index n = random() % 6;
    const Index d = 1 + random() % 8;
    std::vector<double> dense(n * d);
    std::vector<double> values;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> offsets{0};
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) {
        if (random() % 2 == 0) {
          dense[i * d + j] = values.emplace_back(1.0 + random() % 9);
          columns.push_back(static_cast<std::int32_t>(j));
        }
      }
      offsets.push_back(values.size());
    }
    ColumnSelection selection;
    for (Index k = 0, count = 1 + random() % 4; k < count; ++k) {
      const Index begin = random() % d;
      selection.references.push_back(ColumnSpan{begin, begin + 1 + static_cast<Index>(random() % (d - begin))});
    }
    const Samples a = select_columns(make_dense(dense, n, d), selection);
    const Samples b = to_dense<double>(select_columns(make_sparse(values, columns, offsets, d), selection));
    ASSERT_EQ(a.columns(), b.columns());
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(row_text(a, i), row_text(b, i)) << to_string(selection);
    }
  }
}

TEST(Columns, TablesByName) {
  const Samples table = five_of_each().back();
  const Samples v = select_columns(table, {{ColumnName{"v"}}});
  EXPECT_EQ(v.kind(), SampleKind::dense);
  EXPECT_EQ(v.as<DenseRows<double>>()(4, 0), 10);
  EXPECT_EQ(v.origin(), table.origin());
  EXPECT_EQ(select_columns(table, {{ColumnName{"text"}}}).kind(), SampleKind::strings);
  const Samples mixture = select_columns(table, {{ColumnName{"kind"}, ColumnSpan{0, 1}}});
  EXPECT_EQ(mixture.kind(), SampleKind::table);
  EXPECT_EQ(mixture.table().numeric_names()[0], "u");
  EXPECT_EQ(mixture.columns(), 2);
  EXPECT_ERROR(select_columns(table, {{ColumnName{"txt"}}}), InvalidArgument, "Did you mean 'text'?");
  EXPECT_EQ(default_columns(table).kind(), SampleKind::dense);
  EXPECT_EQ(default_columns(table).origin(), table.origin());
  const Samples text_only = make_table(Table(Samples(), {}, {{"s", make_strings(std::vector<std::string>{"a"})}}));
  EXPECT_EQ(default_columns(text_only).kind(), SampleKind::strings);
}

TEST(Columns, ViewOutlivesTheSamples) {
  Samples view;
  {
    const Samples samples = make_dense(std::vector<double>{1, 2, 3, 4}, 2, 2);
    view = select_columns(samples, {{ColumnSpan{1, 2}}});
  }
  EXPECT_EQ(view.as<DenseRows<double>>()(1, 0), 4);
}

}  // namespace
}  // namespace mercer
