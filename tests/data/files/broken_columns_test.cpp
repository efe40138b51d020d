// Columns of numbers or dates with entries that are neither: slips, codes, marks of levels.
#include <gtest/gtest.h>

#include <functional>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/data/files/csv_text.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Reading {
  DataFile file;
  std::vector<std::string> warnings;

  ColumnKind kind() const {
    for (const SchemaColumn& column : file.schema.columns) {
      if (column.name == "a") {
        return column.kind;
      }
    }
    return ColumnKind::graph;  // of no file here
  }
  bool warns(const std::string& words) const {
    return warnings.size() == 1 && warnings[0].find(words) != std::string::npos;
  }
};

// A column 'a' of so many rows, beside one of numbers.
std::string column(int rows, const std::function<std::string(int)>& field) {
  std::string text = "a,y\n";
  for (int i = 0; i < rows; ++i) {
    text += field(i) + "," + std::to_string(i % 7) + "\n";
  }
  return text;
}

Reading read(const std::string& text, const ReadOptions& options = {}) {
  Reading reading;
  const mercer::Run run{{.log = [&](LogLevel, std::string_view message) { reading.warnings.emplace_back(message); }}};
  InputStream stream("t.csv", text);
  reading.file = read_csv(stream, options, run);
  return reading;
}

std::string number(int i) { return std::to_string(i) + ".5"; }

TEST(BrokenColumns, FewSlipsAreRefusedWithTheWaysOut) {
  const std::string text = column(100, [](int i) { return i == 70 ? "7O.5" : i == 80 ? "unknown" : number(i); });
  const std::string message = message_of<DataError>([&] { read(text); });
  EXPECT_EQ(message.find("t.csv:72:1: column 'a': '7O.5' is not a number, but 98 of the 100 entries are; correct such "
                         "entries, or leave them empty where the value is missing; --categorical a takes them for "
                         "categories, --ignore a leaves the column out"),
            0U)
      << message;
  EXPECT_EQ(read(text, {.ignored = {"a"}}).warnings.size(), 0U);
  // Names as flags take them: a list has commas.
  const std::string rows = text.substr(text.find('\n'));
  EXPECT_ERROR(read("body mass,y" + rows), DataError, "--ignore 'body mass' leaves the column out");
  EXPECT_ERROR(read("\"mass, kg\",y" + rows), DataError, "column 'mass, kg': '7O.5' is not a number");
  EXPECT_ERROR(read("\"mass, kg\",y" + rows), DataError, "--ignore 0 leaves the column out");
  EXPECT_EQ(read(text, {.categorical = {"a"}}).warnings.size(), 0U);
}

TEST(BrokenColumns, ManyWordsAmongNumbersAreSaid) {
  // One in five: no slips, and nothing that can be a category.
  const Reading unique = read(column(200, [](int i) { return i % 5 == 2 ? "about " + std::to_string(i) : number(i); }));
  EXPECT_EQ(unique.kind(), ColumnKind::text);
  EXPECT_TRUE(
      unique.warns("t.csv:4:1: column 'a': 'about 2' is no number, though 160 of the 200 entries are, so that the "
                   "column is taken for texts, which kernels on vectors and models without a kernel leave out"));
  // Levels, most of which are numbers: 100 of them, and a word in one row of ten.
  const Reading levels = read(column(1000, [](int i) { return i % 10 == 3 ? "unknown" : number(i % 97); }));
  EXPECT_EQ(levels.kind(), ColumnKind::categorical);
  EXPECT_TRUE(
      levels.warns("t.csv:5:1: column 'a': 'unknown' is no number, though 900 of the 1000 entries are, so that "
                   "the column is taken for categories"));
}

TEST(BrokenColumns, FewLevelsAndMostlyWordsNeedNoWord) {
  const Reading few = read(column(100, [](int i) { return i % 9 == 0 ? "5more" : std::to_string(i % 9); }));
  EXPECT_EQ(few.kind(), ColumnKind::categorical);
  EXPECT_EQ(few.warnings.size(), 0U);
  const Reading words =
      read(column(100, [](int i) { return i % 3 == 0 ? std::to_string(i) : "w" + std::to_string(i); }));
  EXPECT_EQ(words.warnings.size(), 0U);
}

// Families 1 … 60 of five each, one of which is called 13A.
TEST(BrokenColumns, CodesThatComeAgainAreCategories) {
  const auto family = [](int i) { return i / 5 == 13 ? std::string("13A") : std::to_string(i / 5); };
  const Reading codes = read(column(300, family));
  EXPECT_EQ(codes.kind(), ColumnKind::categorical);
  EXPECT_TRUE(codes.warns("t.csv:67:1: column 'a': '13A' is no number, though 295 of the 300 entries are"));
  // Behind more rows than spellings are kept for, and with more levels than marks may have.
  const auto late = [](int i) { return i >= 19950 ? std::string("13A") : std::to_string(i / 50); };
  EXPECT_EQ(read(column(20000, late)).kind(), ColumnKind::categorical);
  // The same entries, once each, or among numbers with fractions, are slips.
  EXPECT_ERROR(read(column(300, [](int i) { return i == 13 ? "13A" : std::to_string(i / 5); })), DataError,
               "'13A' is not a number, but 299 of the 300 entries are");
  EXPECT_ERROR(read(column(300, [](int i) { return i / 5 == 13 ? "13A" : number(i / 3); })), DataError,
               "'13A' is not a number, but 295 of the 300 entries are");
  // Zeros in front would be lost.
  EXPECT_ERROR(read(column(20000, [](int i) { return i >= 19950 ? "13A" : "0" + std::to_string(i / 50); })), DataError,
               "'13A' is not a number, but the 19950 fields before it are");
}

TEST(BrokenColumns, WordsThatComeAgainAmongLevelsAreCategories) {
  const Reading marked = read(column(1000, [](int i) { return i % 50 == 0 ? "unknown" : number(i % 90); }));
  EXPECT_EQ(marked.kind(), ColumnKind::categorical);
  EXPECT_TRUE(marked.warns("'unknown' is no number, though 980 of the 1000 entries are"));
  EXPECT_ERROR(read(column(1000, [](int i) { return i % 50 == 0 ? "unknown" : number(i); })), DataError,
               "'unknown' is not a number, but 980 of the 1000 entries are");
}

std::string day(int i) {
  return "2014-0" + std::to_string(1 + i / 28) + "-" + (i % 28 < 9 ? "0" : "") + std::to_string(1 + i % 28);
}

TEST(BrokenColumns, DatesWithABadEntryAreSaid) {
  const Reading one = read(column(200, [](int i) { return i == 50 ? "2014-02-30" : day(i); }));
  EXPECT_EQ(one.kind(), ColumnKind::text);
  EXPECT_TRUE(
      one.warns("t.csv:52:1: column 'a': '2014-02-30' is no date, though 199 of the 200 entries are, so that the "
                "column is taken for texts"))
      << (one.warnings.empty() ? "" : one.warnings[0]);
  EXPECT_TRUE(one.warns("--ignore a leaves the column out"));
  // More than the dictionary holds, the bad entry before and behind its end.
  for (const int bad : {3, 1500}) {
    const Reading many = read(
        column(2000, [&](int i) { return i == bad ? "soon" : day(i % 200) + " 13:" + std::to_string(10 + i / 200); }));
    EXPECT_TRUE(
        many.warns("t.csv:" + std::to_string(bad + 2) + ":1: column 'a': 'soon' is no date, though 1999 of the 2000"));
  }
  const Reading times = read(column(100, [](int i) { return i < 2 ? "7" : "13:" + std::to_string(10 + i % 50); }));
  EXPECT_TRUE(times.warns("t.csv:2:1: column 'a': '7' is no time of day, though 98 of the 100 entries are"))
      << (times.warnings.empty() ? "" : times.warnings[0]);
}

TEST(BrokenColumns, DatesInTwoNotationsAreSaid) {
  const Reading both =
      read(column(100, [](int i) { return i % 3 == 0 ? "21.05." + std::to_string(1900 + i) : day(i); }));
  EXPECT_TRUE(both.warns("t.csv:2:1: column 'a': '21.05.1900' is a date, and is written otherwise than the others"))
      << (both.warnings.empty() ? "" : both.warnings[0]);
}

TEST(BrokenColumns, NumbersWithMarksAreNumbers) {
  const auto pay = [](int i) { return i == 9 ? std::string("\"1,2O0\"") : "\"" + std::to_string(i + 1) + ",200\""; };
  EXPECT_ERROR(
      read(column(100, pay)), DataError,
      "t.csv:11:1: column 'a': '1,2O0' is no number with commas between thousands, though 99 of the 100 entries are");
}

TEST(BrokenColumns, TextsAreTexts) {
  const Reading texts = read(column(300, [](int i) { return "sentence number " + std::to_string(i); }));
  EXPECT_EQ(texts.kind(), ColumnKind::text);
  EXPECT_EQ(texts.warnings.size(), 0U);
  // Lengths of time and truth values are notations that files are not searched for.
  const Reading lengths = read(column(300, [](int i) { return i == 9 ? "x" : std::to_string(i) + " days"; }));
  EXPECT_EQ(lengths.warnings.size(), 0U);
  const Reading truths = read(column(99, [](int i) { return i % 3 == 0 ? "w" + std::to_string(i) : "true"; }));
  EXPECT_EQ(truths.warnings.size(), 0U);
}

TEST(BrokenColumns, LaterFilesMayWritePlainNumbers) {
  const DataFile grouped = read("a,y\n\"1,234.5\",1\n999,2\n\"12,000\",3\n").file;
  const auto later = [&](const std::string& field) {
    const DataFile file = read("y,a\n1," + field + "\n", {.schema = grouped.schema}).file;
    const Samples a = select_columns(file.samples, {{ColumnName{"a"}}});
    return a.as<DenseRows<double>>()(0, 0);
  };
  EXPECT_EQ(later("1509.6"), 1509.6);
  EXPECT_EQ(later("12345"), 12345);
  EXPECT_EQ(later("\"1,509.6\""), 1509.6);
  EXPECT_ERROR(later("\"1,5\""), DataError,
               "'1,5' is not a number as the training data write this column, with commas between thousands");
  // With decimal commas a point stands between thousands: 1.509 is read so, and no other may stand beside it.
  const DataFile comma = read("a;y\n1,5;1\n1.234,5;2\n").file;
  EXPECT_ERROR(
      read("y;a\n1;1509.6\n", {.schema = comma.schema}), DataError,
      "'1509.6' is not a number as the training data write this column, with a decimal comma (1.234,5), where a "
      "point stands between thousands");
  EXPECT_NO_THROW(read("y;a\n1;1509\n", {.schema = comma.schema}));
  const DataFile plain = read("a,y\n1.5,1\n2,2\n").file;
  EXPECT_ERROR(
      read("a,y\n\"1,509.6\",1\n", {.schema = plain.schema}), DataError,
      "'1,509.6' is not a number with a point for decimals and nothing between thousands, but the column is numeric");
}

}  // namespace
}  // namespace mercer
