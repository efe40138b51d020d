// Embedding of series: rows against their definition, gaps, columns beside the series, names, what is refused.
#include "mercer/data/embedding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/data/files/series_rows.h"
#include "mercer/data/preparation.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

Numbers random_series(Index n, std::uint64_t seed) {
  RandomStream random(seed, 1);
  Numbers series(n);
  for (double& value : series) {
    value = random.normal();
  }
  return series;
}

DataFile read_text(const std::string& text, MissingValues missing = MissingValues::keep) {
  InputStream stream("series.csv", text);
  ReadOptions options{.missing = missing, .place_names = PlaceNames::given};
  read_as_series(options);
  return read_data(stream, options);
}

TEST(Embedding, RowsAreThePastByDefinition) {
  const Numbers z = random_series(60, 3);
  for (const Delays delays : {Delays{1, 1}, Delays{4, 1}, Delays{3, 5}, Delays{59, 1}, Delays{1, 59}}) {
    const EmbeddedSeries embedded = embed_series(z, delays);
    ASSERT_EQ(embedded.inputs.rows(), 60 - delays.reach());
    ASSERT_EQ(embedded.inputs.columns(), delays.lags);
    for (Index i = 0; i < embedded.inputs.rows(); ++i) {
      const Index t = delays.reach() + i;
      EXPECT_EQ(embedded.times[i], t);
      EXPECT_EQ(embedded.targets[i], z[t]);
      for (Index k = 1; k <= delays.lags; ++k) {
        EXPECT_EQ(embedded.inputs(i, k - 1), z[t - k * delays.delay]);
      }
    }
  }
}

TEST(Embedding, RowsThatTouchAMissingValueAreLeftOut) {
  Numbers z = random_series(40, 4);
  z[13] = NAN;
  z[27] = INFINITY;
  const EmbeddedSeries embedded = embed_series(z, {2, 3});
  for (const Index t : embedded.times) {
    for (const Index bad : {13, 27}) {
      EXPECT_TRUE(t != bad && t - 3 != bad && t - 6 != bad) << t;
    }
  }
  EXPECT_EQ(embedded.times.size(), 34U - 6);
  EXPECT_ERROR(embed_series(Numbers(10, NAN), {2, 1}), DataError, "no row of the series has all of its past");
}

TEST(Embedding, LimitsAreSaid) {
  EXPECT_ERROR(embed_series(Numbers(6, 1.0), {3, 2}), DataError,
               "a series of 6 rows is too short to look 6 rows back (3 lags with a delay of 2): it needs 7 or more");
  EXPECT_EQ(embed_series(Numbers(7, 1.0), {3, 2}).inputs.rows(), 1);
  EXPECT_ERROR(embed_series(Numbers{}, {1, 1}), DataError, "a series of 0 rows is too short");
  EXPECT_ERROR(embed_series(Numbers(6, 1.0), {0, 1}), InvalidArgument, "lags of a series = 0");
  EXPECT_ERROR(embed_series(Numbers(6, 1.0), {1, 0}), InvalidArgument, "delay of a series = 0");
  EXPECT_ERROR(embed_series(Numbers(6, 1.0), {10001, 1}), InvalidArgument, "lags of a series = 10001");
  EXPECT_EQ(parse_delays("12"), (Delays{12, 1}));
  EXPECT_EQ(parse_delays(" 6, 3 "), (Delays{6, 3}));
  EXPECT_EQ(parse_delays(to_string(Delays{7, 2})), (Delays{7, 2}));
  for (const char* text : {"", "a", "1,", "1,2,3", "1.5", ",2"}) {
    EXPECT_ERROR(parse_delays(text), InvalidArgument, "must be two whole numbers N,TAU");
  }
  EXPECT_ERROR(parse_delays("-1,2"), InvalidArgument, "lags of a series = -1");
}

TEST(Embedding, OtherColumnsStayAsTheyAreAtTheirTime) {
  DataFile file = read_text("u,y,kind\n10,1,a\n20,2,b\n30,,a\n40,4,b\n50,5,a\n60,6,b\n70,7,a\n");
  const Embedding embedding = find_embedding(file, "y", {2, 1});
  const SeriesGaps gaps = embed_file(file, embedding, SeriesValue::needed);
  EXPECT_EQ(gaps.beginning, 2);
  EXPECT_EQ(gaps.missing, 3);  // row 2 itself, and those that look back at it
  ASSERT_EQ(file.samples.size(), 2);
  const Table& table = file.samples.table();
  EXPECT_EQ(std::vector<std::string>(table.numeric_names().begin(), table.numeric_names().end()),
            (std::vector<std::string>{"y(t-1)", "y(t-2)", "u"}));
  const auto numbers = table.numeric().as<DenseRows<double>>();
  EXPECT_EQ(numbers(0, 0), 5);
  EXPECT_EQ(numbers(0, 1), 4);
  EXPECT_EQ(numbers(0, 2), 60);
  EXPECT_EQ(numbers(1, 0), 6);
  EXPECT_EQ(table.others()[0].values.as<CategoryRows>().codes[0], 1);
  EXPECT_EQ(file.targets->columns()[0].name, "y");
  EXPECT_EQ(file.targets->columns()[0].values, (Numbers{6, 7}));
  EXPECT_EQ(file.kept_rows, (std::vector<Index>{5, 6}));
  EXPECT_EQ(file.dropped_rows, 5);
  EXPECT_EQ(file.schema.numeric_columns, 3);
  EXPECT_EQ(file.schema.columns[3].levels, (std::vector<std::string>{"a", "b"}));
  // What a file must have is the series, and not its lags.
  const Preparation preparation{.schema = file.schema, .embedding = embedding};
  const Schema raw = preparation.file_schema();
  EXPECT_EQ(raw.numeric_columns, 2);
  EXPECT_EQ(raw.columns[0].name, "y");
  EXPECT_EQ(raw.columns[1].name, "u");
  EXPECT_EQ(raw.columns[2].name, "kind");
  EXPECT_EQ(embedding.companions(file.schema), (std::vector<std::string>{"u", "kind"}));
}

TEST(Embedding, RowsThatAReaderLeftOutLeaveGaps) {
  DataFile file = read_text("y,u\n1,1\n2,2\n3,\n4,4\n5,5\n6,6\n", MissingValues::drop);
  ASSERT_EQ(file.samples.size(), 5);
  const SeriesGaps gaps = embed_file(file, find_embedding(file, "0", {1, 1}), SeriesValue::needed);
  EXPECT_EQ(gaps.missing, 1);  // row 3 looks back at row 2, which is not there
  EXPECT_EQ(file.kept_rows, (std::vector<Index>{1, 4, 5}));
}

TEST(Embedding, AValueThatIsNotKnownYetMayBeAskedFor) {
  DataFile file = read_text("y,u\n1,1\n2,2\n,3\n,4\n");
  embed_file(file, find_embedding(file, "y", {2, 1}), SeriesValue::any);
  EXPECT_EQ(file.kept_rows, (std::vector<Index>{2}));
  EXPECT_FALSE(file.targets.has_value());
}

TEST(Embedding, ColumnsThatCannotBeASeriesAreRefused) {
  DataFile file = read_text("y,kind,y(t-1)\n1,a,0\n2,b,0\n3,a,0\n");
  EXPECT_ERROR(find_embedding(file, "kind", {1, 1}), DataError, "is the series, and holds values that are no numbers");
  EXPECT_ERROR(find_embedding(file, "z", {1, 1}), DataError, "there is no column 'z', the series");
  EXPECT_ERROR(find_embedding(file, "0:2", {1, 1}), DataError, "the series '0:2' means 2 columns of the file");
  EXPECT_ERROR(embed_file(file, find_embedding(file, "y", {1, 1}), SeriesValue::any), InvalidArgument,
               "a column is called 'y(t-1)' as a lag of the series would be");
}

}  // namespace
}  // namespace mercer
