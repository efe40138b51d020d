// First lines of numbers: names as data frames without any write them, or samples.
#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/data/files/csv_text.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct HeaderReading {
  DataFile file;
  std::vector<std::string> warnings;

  Index rows() const { return file.samples.size(); }
  bool has_guessed() const {
    return warnings.size() == 1 && warnings[0].find("the first line is taken for names") != std::string::npos;
  }
};

HeaderReading read_lines(const std::string& text, const ReadOptions& options = {}) {
  HeaderReading reading;
  const mercer::Run run{{.log = [&](LogLevel, std::string_view message) { reading.warnings.emplace_back(message); }}};
  InputStream stream("t.csv", text);
  reading.file = read_csv(stream, options, run);
  return reading;
}

using Names = std::vector<std::string>;

TEST(CsvHeader, NumbersThatCountTheColumnsAreNames) {
  const HeaderReading plain = read_lines("0,1,2\n5.1,3.5,1.4\n4.9,3,1.4\n");
  EXPECT_EQ(plain.rows(), 2);
  EXPECT_EQ(plain.file.columns, (Names{"0", "1", "2"}));
  EXPECT_TRUE(plain.has_guessed());
  // A target with a name, of numbers or of words; other separators.
  EXPECT_EQ(read_lines("0,1,y\n5.1,3.5,1\n4.9,3,2\n").file.columns, (Names{"0", "1", "y"}));
  EXPECT_EQ(read_lines("0\t1\t2\tkind\n5.1\t3.5\t1.4\ta\n4.9\t3\t1.4\tb\n").rows(), 2);
  EXPECT_EQ(read_lines("kind,0,1\na,5.1,red\nb,4.9,blue\n").rows(), 2);
  // An index in front.
  const HeaderReading index = read_lines(",0,1\nr1,5.1,3.5\nr2,4.9,3\n");
  EXPECT_EQ(index.file.columns, (Names{"column 0", "0", "1"}));
  EXPECT_EQ(read_lines(",0\n0,5.1\n1,4.9\n").rows(), 2);
  // Many numbers may come again below: counts, pixels.
  EXPECT_EQ(read_lines("0,1,2,3,4,5,6,7,8,9\n0,0,5,13,9,1,0,0,0,9\n").rows(), 1);
}

TEST(CsvHeader, SamplesAreNotTakenForNames) {
  for (const std::string text :
       {"0,1\n1,0\n0.5,2\n", "0\n1\n2\n", "0,1,2\n1,2,0\n0,2,1\n", "0,1,2\n3,4,5\n6,7,8\n", "1,2,3\n5.1,3.5,1.4\n",
        "0,1,2,4\n5,6,7,9\n", "0,1,unknown\n1,1,30\n", "0,1,\n5,6,7\n", ",0\n1,3\n2,5\n", "0.0,1.0,2.0\n5,6,7\n"}) {
    const HeaderReading reading = read_lines(text, {.missing = MissingValues::keep});
    EXPECT_EQ(reading.rows(), std::ranges::count(text, '\n')) << text;
    EXPECT_FALSE(reading.has_guessed()) << text;
  }
  EXPECT_EQ(read_lines("0,1,2\n5.1,3.5,1.4\n", {.header = Header::absent}).rows(), 2);
}

// Flags take names before numbers.
TEST(CsvHeader, NamesWinOverPlaces) {
  const HeaderReading reading = read_lines(",0,1,2\na,5.1,3.5,1\nb,4.9,3,2\n", {.targets = {"2"}});
  EXPECT_EQ(reading.file.targets->columns()[0].name, "2");
  EXPECT_EQ(reading.file.targets->columns()[0].values, (std::vector<double>{1, 2}));
}

TEST(CsvHeader, NumbersThatAModelKnowsAreNames) {
  const Schema schema = read_lines("0,1,2\n5.1,3.5,1\n4.9,3,2\n", {.targets = {"2"}}).file.schema;
  ReadOptions later{.targets = {"2"}, .targets_presence = Presence::ignored, .schema = schema};
  EXPECT_EQ(read_lines("0,1\n5,6\n", later).rows(), 1);
  EXPECT_EQ(read_lines("1,2,0\n6,3,5\n", later).rows(), 1);
  EXPECT_TRUE(read_lines("0,1\n5,6\n", later).warnings.empty());
  EXPECT_ERROR(
      read_lines("0,1,2\n5,6,7\n8,9,1\n", {.schema = read_lines("0,1,2,3\n5.1,3.5,1,4\n4.9,3,2,5\n").file.schema}),
      DataError, "column '3' is missing");
  // Samples that hold such numbers are none; columns are then taken by their places.
  EXPECT_EQ(read_lines("0,7\n5,6\n", later).rows(), 2);
  EXPECT_EQ(read_lines("1,1\n5,6\n", later).rows(), 2);
  EXPECT_EQ(read_lines("0,1\n1,0\n0,0\n", later).rows(), 3);
}

TEST(CsvHeader, NumbersArePlacesWhereTheTrainingFileHadNoNames) {
  const ReadOptions training{.targets = {"0"}, .place_names = PlaceNames::given};
  const Schema schema = read_lines("1,5,7\n2,6,9\n", training).file.schema;
  const ReadOptions later{.targets = {"0"}, .targets_presence = Presence::ignored, .schema = schema};
  const HeaderReading all = read_lines("0,1,2\n3,5.5,7\n3,6.5,9\n", later);
  EXPECT_EQ(all.rows(), 2);
  EXPECT_TRUE(all.has_guessed());
  ReadOptions said = later;
  said.header = Header::present;
  EXPECT_EQ(read_lines("0,1\n5.5,7\n", said).rows(), 1);
  EXPECT_ERROR(read_lines(",0,1,2\nr,3,5.5,7\ns,3,6.5,9\n", later), DataError, "an index without a name stands before");
}

// What is read at training must be read alike at prediction.
TEST(CsvHeader, NumbersBehindAnIndexAreKnownAgain) {
  const std::string text = ",0,1,2\n0,5.1,3.5,1\n1,4.9,3,2\n2,4.7,3.2,4\n";
  for (const Names& ignored : {Names{}, Names{"0"}, Names{"column 0"}, Names{"0", "1"}}) {
    const Schema schema = read_lines(text, {.targets = {"2"}, .ignored = ignored}).file.schema;
    const ReadOptions later{.targets = {"2"},
                            .targets_presence = Presence::optional,
                            .target_references = References::names,
                            .schema = schema};
    const HeaderReading again = read_lines(text, later);
    EXPECT_EQ(again.rows(), 3);
    EXPECT_EQ(again.has_guessed(), ignored.size() == 2);  // none of the numbers is left among the inputs
    EXPECT_EQ(again.file.targets->columns()[0].values, (std::vector<double>{1, 2, 4}));
    EXPECT_EQ(read_lines(",0,1\n7,5.1,3.5\n", later).rows(), 1);
  }
  // Without the index the numbers are names all the same, and not the places of others.
  const Schema schema = read_lines(text, {.targets = {"2"}}).file.schema;
  EXPECT_ERROR(read_lines("0,1,2\n5.1,3.5,1\n4.9,3,2\n", {.targets_presence = Presence::ignored, .schema = schema}),
               DataError, "column 'column 0' is missing");
}

// Where the training file had other names, numbers are the places of their columns.
TEST(CsvHeader, NumbersAreNoSampleForAModelOfNames) {
  const std::string rows = "5.1,3.5,1\n4.9,3,2\n";
  const Schema schema = read_lines("a,b,y\n" + rows, {.targets = {"y"}}).file.schema;
  ReadOptions later{.targets = {"y"}, .targets_presence = Presence::optional, .schema = schema};
  for (const Header header : {Header::automatic, Header::present}) {
    later.header = header;
    const HeaderReading reading = read_lines("0,1,2\n" + rows, later);
    EXPECT_EQ(reading.rows(), 2);
    EXPECT_EQ(reading.file.columns, (Names{"a", "b", "y"}));
    EXPECT_EQ(reading.file.targets->columns()[0].values, (std::vector<double>{1, 2}));
    ASSERT_FALSE(reading.warnings.empty());
    EXPECT_NE(reading.warnings.back().find("the names are numbers that the training file did not have, and the columns "
                                           "are taken by their places: a, b, y"),
              std::string::npos);
  }
  later.header = Header::automatic;
  EXPECT_ERROR(read_lines("0,1,2,3\n5,6,7,8\n5,7,8,9\n", later), DataError,
               "here are 4. Give a table with a line of their");
  EXPECT_ERROR(read_lines(",0,1,2\n0,5.1,3.5,1\n1,4.9,3,2\n", later), DataError,
               "an index without a name stands before");
  // An index that the training file had as well has a place.
  later.schema = read_lines(",a,b,y\n0,5.1,3.5,1\n1,4.9,3,2\n", {.targets = {"y"}}).file.schema;
  EXPECT_EQ(read_lines(",0,1,2\n0,5.1,3.5,1\n1,4.9,3,2\n", later).file.columns, (Names{"column 0", "a", "b", "y"}));
}

TEST(CsvHeader, ColumnsWithoutANameAreCalledAfterTheirPlaces) {
  const HeaderReading reading = read_lines(",a,,y\n1,2,3,4\n2,3,9,9\n3,1,5,5\n");
  EXPECT_EQ(reading.file.columns, (Names{"column 0", "a", "column 2", "y"}));
  ASSERT_EQ(reading.warnings.size(), 1U);
  EXPECT_NE(reading.warnings[0].find("column 'column 0' rises by whole numbers"), std::string::npos);
  // Models of before called them x0, x2.
  Schema before = reading.file.schema;
  before.columns = {{.name = "a"}, {.name = "x2"}};
  before.numeric_columns = 2;
  before.file_names = {"x0", "a", "x2", "y"};
  EXPECT_EQ(read_lines(",a,,y\n1,2,3,4\n", {.schema = before}).file.samples.columns(), 2);
}

}  // namespace
}  // namespace mercer
