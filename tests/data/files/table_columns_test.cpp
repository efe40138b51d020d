// What the columns of tables become without being declared, which of them are inputs, and how they are called.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/data/files/csv_text.h"
#include "mercer/data/files/json_lines.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct SaidWarnings {
  std::vector<std::string> all;
  mercer::Run run{{.log = [this](LogLevel, std::string_view message) { all.emplace_back(message); }}};
};

DataFile read_table(const std::string& text, const ReadOptions& options = {}, const class Run& run = {}) {
  InputStream stream("t.csv", text);
  return read_csv(stream, options, run);
}

std::vector<double> numbers_of(const DataFile& file, const std::string& column) {
  const Samples samples = select_columns(file.samples, {{ColumnName{column}}});
  const auto& rows = samples.as<DenseRows<double>>();
  std::vector<double> values;
  for (Index i = 0; i < rows.rows; ++i) {
    values.push_back(rows(i, 0));
  }
  return values;
}

std::vector<std::string> levels_of(const DataFile& file, const std::string& column) {
  for (const SchemaColumn& described : file.schema.columns) {
    if (described.name == column && described.kind == ColumnKind::categorical) {
      return described.levels;
    }
  }
  return {};
}

std::vector<std::string> names_of(const DataFile& file) {
  std::vector<std::string> names;
  for (const SchemaColumn& column : file.schema.columns) {
    names.push_back(column.name);
  }
  return names;
}

std::string repeated(const std::string& header, const std::vector<std::string>& fields, int times) {
  std::string text = header + "\n";
  for (int i = 0; i < times; ++i) {
    for (const std::string& field : fields) {
      text += field + "," + std::to_string(i % 3) + "\n";
    }
  }
  return text;
}

TEST(TableColumns, NumbersAmongWordsAreCategories) {
  const DataFile doors = read_table(repeated("doors,y", {"2", "3", "4", "5more"}, 5));
  EXPECT_EQ(levels_of(doors, "doors"), (std::vector<std::string>{"2", "3", "4", "5more"}));
  // The same where words come late, behind more rows than spellings are kept for.
  std::string late = repeated("doors,y", {"2", "3", "4"}, 4000);
  EXPECT_EQ(levels_of(read_table(late + "5more,1\n"), "doors"), (std::vector<std::string>{"2", "3", "4", "5more"}));
  // Tickets: mostly numbers, nearly all of them different, and many words.
  std::string tickets = "ticket,y\n";
  for (int i = 0; i < 100; ++i) {
    tickets += (i % 5 == 0 ? "PC " : "") + std::to_string(1000 + i) + "," + std::to_string(i % 3) + "\n";
  }
  EXPECT_EQ(read_table(tickets).schema.columns[1].kind, ColumnKind::text);
  // A slip among many numbers is one.
  std::string slip = "age,y\n";
  for (int i = 0; i < 100; ++i) {
    slip += (i == 70 ? "4O" : std::to_string(i)) + "," + std::to_string(i % 3) + "\n";
  }
  EXPECT_ERROR(read_table(slip), DataError,
               "t.csv:72:1: column 'age': '4O' is not a number, but 99 of the 100 entries are");
}

TEST(TableColumns, BooleansAreCategoriesOfTwoLevels) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"f", "t"}, {"no", "yes"}, {"False", "True"}}) {
    EXPECT_EQ(levels_of(read_table(repeated("b,y", words, 4)), "b"), words);
  }
}

TEST(TableColumns, WordsForMissingNumbers) {
  const DataFile file = read_table("a,y\n1,1\n?,1\nNA,1\n,1\nnan,1\nNULL,1\n-,1\n.,1\n#N/A,1\n<NA>,1\n-2,1\n",
                                   {.missing = MissingValues::keep});
  const std::vector<double> values = numbers_of(file, "a");
  EXPECT_EQ(values.front(), 1);
  EXPECT_EQ(values.back(), -2);
  EXPECT_EQ(std::ranges::count_if(values, [](double value) { return std::isnan(value); }), 9);
  // Among words a dash is a level: strands of DNA.
  EXPECT_EQ(levels_of(read_table(repeated("strand,y", {"+", "-", "?"}, 4)), "strand"),
            (std::vector<std::string>{"", "+", "-"}));
}

TEST(TableColumns, DatesAndTimesAreNumbers) {
  const DataFile file =
      read_table("when,at,y\n2014-05-21,13:45,1\n?,07:00,2\n2014-05-22 12:00,?,3\n", {.missing = MissingValues::keep});
  const std::vector<double> days = numbers_of(file, "when");
  EXPECT_EQ(days[0], 16211);
  EXPECT_TRUE(std::isnan(days[1]));
  EXPECT_EQ(days[2], 16212.5);
  EXPECT_EQ(numbers_of(file, "at")[0], 13.75);
  EXPECT_EQ(file.schema.columns[0].notation, Notation::date);
  // Read again by what the model knows: a block may hold only days that could be months.
  const DataFile us = read_table("d,y\n05/21/2014,1\n05/22/2014,2\n");
  EXPECT_EQ(us.schema.columns[0].notation, Notation::month_first);
  const DataFile later = read_table("y,d\n1,02/01/2014\n", {.schema = us.schema});
  EXPECT_EQ(numbers_of(later, "d")[0], 16102);
  EXPECT_ERROR(read_table("y,d\n1,21/05/2014\n", {.schema = us.schema}), DataError,
               "column 'd': '21/05/2014' is no date as the training data write this column, the month before the day");
}

TEST(TableColumns, DatesThatMayBeTwoThingsAreNotGuessed) {
  SaidWarnings warnings;
  const DataFile file = read_table("d,y\n01/02/2014,1\n02/01/2014,2\n", {}, warnings.run);
  EXPECT_NE(file.schema.columns.back().kind, ColumnKind::numeric);
  ASSERT_EQ(warnings.all.size(), 1U);
  EXPECT_EQ(warnings.all[0].find("t.csv: column 'd' holds dates whose days and months cannot be told apart"), 0U);
}

TEST(TableColumns, PartsOfDatesWhereAskedFor) {
  const std::string text = "when,y\n2014-05-21,1\n2014-05-22,2\n";
  EXPECT_EQ(names_of(read_table(text)), (std::vector<std::string>{"when", "y"}));
  const DataFile file = read_table(text, {.dates = Dates::parts});
  EXPECT_EQ(names_of(file), (std::vector<std::string>{"when", "when_yearday", "when_weekday", "y"}));
  EXPECT_EQ(numbers_of(file, "when_yearday"), (std::vector<double>{141, 142}));
  EXPECT_EQ(numbers_of(file, "when_weekday"), (std::vector<double>{3, 4}));
  const DataFile hours = read_table("when,y\n2014-05-21 06:00,1\n2014-05-22,2\n", {.dates = Dates::parts});
  EXPECT_EQ(numbers_of(hours, "when_hour"), (std::vector<double>{6, 0}));
  // A model that uses a part alone asks for the dates.
  Schema schema = file.schema;
  schema.columns.erase(schema.columns.begin());
  schema.numeric_columns = 3;
  const DataFile later = read_table("y,when\n5,2015-01-01\n", {.schema = schema});
  EXPECT_EQ(names_of(later), (std::vector<std::string>{"when_yearday", "when_weekday", "y"}));
  EXPECT_EQ(numbers_of(later, "when_yearday"), (std::vector<double>{1}));
  EXPECT_ERROR(read_table("y\n5\n", {.schema = schema}), DataError, "column 'when' is missing");
}

TEST(TableColumns, ThousandsAndDecimalCommas) {
  EXPECT_EQ(numbers_of(read_table("pay,y\n\"1,234\",1\n999,2\n\"12,000.5\",3\n"), "pay"),
            (std::vector<double>{1234, 999, 12000.5}));
  EXPECT_EQ(numbers_of(read_table("pay;y\n1,5;1\n12;2\n"), "pay"), (std::vector<double>{1.5, 12}));
  // Groups that are not of three, or a comma that may separate fields, are no numbers.
  EXPECT_EQ(read_table("pay,y\n\"1,23\",1\n\"4,56\",2\n").schema.columns.back().kind, ColumnKind::categorical);
  // 1,234 alone may be both: another column tells, or a warning does.
  SaidWarnings warnings;
  EXPECT_EQ(numbers_of(read_table("a;b\n1,234;0,5\n2,345;0,25\n", {}, warnings.run), "a"),
            (std::vector<double>{1.234, 2.345}));
  EXPECT_EQ(numbers_of(read_table("a\tb\n1,234\t1,000,000\n2,345\t5\n", {}, warnings.run), "a"),
            (std::vector<double>{1234, 2345}));
  EXPECT_TRUE(warnings.all.empty());
  EXPECT_EQ(numbers_of(read_table("a;b\n1,234;1\n2,345;2\n", {}, warnings.run), "a"),
            (std::vector<double>{1.234, 2.345}));
  ASSERT_EQ(warnings.all.size(), 1U);
  EXPECT_NE(warnings.all[0].find("of decimals: 1,234 is 1.234"), std::string::npos) << warnings.all[0];
}

TEST(TableColumns, TargetsAreNumbersAndLabels) {
  const DataFile file = read_table("x;y\n1;1,5\n2;2,5\n", {.targets = {"y"}});
  EXPECT_EQ(file.targets->values()(1, 0), 2.5);
  EXPECT_EQ(file.targets->labels().levels, (std::vector<std::string>{"1,5", "2,5"}));
}

TEST(TableColumns, JsonStringsMayBeDates) {
  InputStream stream("t.jsonl",
                     "{\"d\": \"2014-05-21\", \"n\": \"1,234\"}\n{\"d\": \"2014-05-22\", \"n\": \"1,234\"}\n");
  const DataFile file = read_json_lines(stream, {}, {});
  EXPECT_EQ(numbers_of(file, "d"), (std::vector<double>{16211, 16212}));
  EXPECT_EQ(levels_of(file, "n"), (std::vector<std::string>{"1,234"}));
  InputStream later("t.jsonl", "{\"d\": \"2014-05-23\", \"n\": \"1,234\"}\n");
  EXPECT_EQ(numbers_of(read_json_lines(later, {.schema = file.schema}, {}), "d"), (std::vector<double>{16213}));
}

TEST(TableColumns, RowsWithoutTargetMayBeLeftOutAlone) {
  const std::string text = "x,y\n1,a\n?,b\n3,?\n4,a\n";
  EXPECT_ERROR(read_table(text, {.targets = {"y"}, .missing = MissingValues::keep}), DataError,
               "the label is missing (1");
  const DataFile file =
      read_table(text, {.targets = {"y"}, .missing = MissingValues::keep, .unlabeled = UnlabeledRows::left_out});
  EXPECT_EQ(file.samples.size(), 3);
  EXPECT_EQ(file.unlabeled_rows, 1);
  EXPECT_EQ(file.kept_rows, (std::vector<Index>{0, 1, 3}));
  const DataFile dropped = read_table(text, {.targets = {"y"}, .missing = MissingValues::drop});
  EXPECT_EQ(dropped.kept_rows, (std::vector<Index>{0, 3}));
  EXPECT_EQ(dropped.unlabeled_rows, 0);
}

TEST(TableColumns, InputsAreChosenByNameNumberAndRange) {
  const std::string text = "a,b,c,d,y\n1,2,3,4,5\n6,7,8,9,0\n";
  const auto inputs = [&](std::vector<std::string> chosen, std::vector<std::string> ignored) {
    return names_of(read_table(text, {.targets = {"y"}, .inputs = std::move(chosen), .ignored = std::move(ignored)}));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(inputs({}, {"b"}), (Names{"a", "c", "d"}));
  EXPECT_EQ(inputs({}, {"b:d"}), (Names{"a"}));
  EXPECT_EQ(inputs({}, {"1:3"}), (Names{"a", "d"}));
  EXPECT_EQ(inputs({"a:c"}, {"1"}), (Names{"a", "c"}));
  EXPECT_EQ(inputs({"a", "3"}, {}), (Names{"a", "d"}));
  EXPECT_EQ(inputs({"0:5"}, {}), (Names{"a", "b", "c", "d"}));  // the target is none
  EXPECT_ERROR(inputs({}, {"e"}), DataError, "there is no column 'e' for the columns to ignore");
  EXPECT_ERROR(inputs({}, {"y"}), DataError, "column 'y' is to be ignored and serves another purpose");
  EXPECT_ERROR(inputs({"a:z"}, {}), DataError, "there is no column 'a:z' for the inputs");
}

TEST(TableColumns, WithoutNamesColumnsAreCalledAfterTheirPlaces) {
  const std::string text = "1,2,u,4\n5,6,v,8\n9,0,u,2\n";
  const DataFile file = read_table(text, {.targets = {"0"}});
  EXPECT_EQ(names_of(file), (std::vector<std::string>{"column 1", "column 3", "column 2"}));
  EXPECT_EQ(file.targets->columns()[0].name, "column 0");
  EXPECT_EQ(file.schema.file_columns, 4);
  EXPECT_EQ(file.schema.not_inputs, (std::vector<Index>{0}));
  EXPECT_EQ(names_of(read_table(text, {.targets = {"0"}, .ignored = {"column 1"}})),
            (std::vector<std::string>{"column 3", "column 2"}));
  // A later file of the same columns, and one of the inputs alone.
  const ReadOptions later{.targets = {"0"}, .targets_presence = Presence::ignored, .schema = file.schema};
  EXPECT_EQ(numbers_of(read_table("1,60,v,80\n", later), "column 1"), (std::vector<double>{60}));
  EXPECT_EQ(numbers_of(read_table("60,v,80\n", later), "column 1"), (std::vector<double>{60}));
  EXPECT_EQ(numbers_of(read_table("60,v,80\n", later), "column 3"), (std::vector<double>{80}));
  // What the model does not use may be missing at the end; what it uses may not.
  Schema first = file.schema;
  first.columns = {first.columns[0]};
  first.numeric_columns = 1;
  EXPECT_EQ(numbers_of(read_table("1,60\n", {.targets = {"0"}, .targets_presence = Presence::ignored, .schema = first}),
                       "column 1"),
            (std::vector<double>{60}));
  EXPECT_ERROR(read_table("1,60\n", later), DataError, "column 'column 3' is missing");
}

TEST(TableColumns, ModelsOfBeforeCountInputs) {
  Schema schema{.kind = SampleKind::table, .numeric_columns = 2, .columns = {}};
  schema.columns = {{.name = "x0"}, {.name = "x2"}, {.name = "x1", .kind = ColumnKind::categorical, .levels = {"u"}}};
  const ReadOptions later{.targets = {"0"}, .targets_presence = Presence::ignored, .schema = schema};
  EXPECT_EQ(numbers_of(read_table("1,60,u,80\n", later), "x0"), (std::vector<double>{60}));
  EXPECT_EQ(numbers_of(read_table("60,u,80\n", later), "x2"), (std::vector<double>{80}));
}

TEST(TableColumns, RowsOfNumbersServeAModelOfPlaces) {
  const DataFile file = read_table("1,2\n3,4\n", {.place_names = PlaceNames::given});
  EXPECT_EQ(names_of(file), (std::vector<std::string>{"column 0", "column 1"}));
  const Samples rows = apply_schema(make_dense(std::vector<double>{5, 6}, 1, 2), file.schema);
  EXPECT_EQ(rows.table().numeric_names()[1], "column 1");
  EXPECT_ERROR(apply_schema(make_dense(std::vector<double>{5}, 1, 1), file.schema), DataError,
               "the samples have 1 numeric columns where the training samples had 2");
}

TEST(TableColumns, ARecordMayBeBrokenBehindASeparator) {
  SaidWarnings warnings;
  const DataFile file = read_table("a,b,c\n1,2,3\n4,\n5,6\n7,8,9\n", {}, warnings.run);
  EXPECT_EQ(numbers_of(file, "c"), (std::vector<double>{3, 6, 9}));
  ASSERT_EQ(warnings.all.size(), 1U);
  EXPECT_EQ(warnings.all[0].find("t.csv:3: the line is broken behind a separator"), 0U) << warnings.all[0];
  EXPECT_ERROR(read_table("a,b,c\n1,2,3\n4,\n6\n7,8,9\n"), DataError, "t.csv:3: 2 fields where line 1 has 3");
  EXPECT_ERROR(read_table("a,b,c\n1,2,3\n4,5\n6\n"), DataError, "t.csv:3: 2 fields where line 1 has 3");
}

// A header may say "column 1", and then that is a name.
TEST(TableColumns, NamesThatLookLikePlacesAreNames) {
  const DataFile file = read_table("column 1,column 0,y\n1,2,3\n4,5,6\n", {.targets = {"column 0"}});
  EXPECT_EQ(numbers_of(file, "column 1"), (std::vector<double>{1, 4}));
  EXPECT_EQ(file.targets->columns()[0].values, (std::vector<double>{2, 5}));
  EXPECT_EQ(file.schema.file_columns, 0);
  EXPECT_ERROR(apply_schema(make_dense(std::vector<double>{5, 6}, 1, 2), file.schema), DataError,
               "the model was fitted on a table with named columns");
  const DataFile later =
      read_table("y,column 1\n7,8\n", {.targets_presence = Presence::ignored, .schema = file.schema});
  EXPECT_EQ(numbers_of(later, "column 1"), (std::vector<double>{8}));
}

TEST(TableColumns, FilesWithoutNamesAreReadByThePlacesOfTheTrainingFile) {
  SaidWarnings warnings;
  const DataFile file = read_table("town,y,size,id\nUlm,1,20,7\nBern,2,30,8\n", {.targets = {"y"}, .ignored = {"id"}});
  EXPECT_EQ(file.schema.file_names, (std::vector<std::string>{"town", "y", "size", "id"}));
  EXPECT_EQ(file.schema.not_inputs, (std::vector<Index>{1}));
  const ReadOptions later{.targets = {"y"},
                          .targets_presence = Presence::optional,
                          .target_references = References::names,
                          .schema = file.schema};
  // All columns, the inputs, and those that the model uses.
  for (const char* const text : {"Ulm,5,40,9\n", "Ulm,40,9\n", "Ulm,40\n"}) {
    warnings.all.clear();
    const DataFile bare = read_table(text, later, warnings.run);
    EXPECT_EQ(numbers_of(bare, "size"), (std::vector<double>{40})) << text;
    EXPECT_EQ(bare.targets.has_value(), std::string(text).starts_with("Ulm,5")) << text;
    EXPECT_EQ(bare.schema, file.schema);
    ASSERT_EQ(warnings.all.size(), 1U) << text;
    EXPECT_EQ(
        warnings.all[0].find("t.csv: there is no line of names, and the columns are taken by their places: town, "), 0U)
        << warnings.all[0];
  }
  EXPECT_ERROR(read_table("Ulm,5,40,9,1\n", later), DataError,
               "they are as many as in the training file: 4, or 3 inputs; here are 5");
  // Of models without names of all columns only the order of numbers is known.
  Schema numbers{.kind = SampleKind::table, .numeric_columns = 2, .columns = {{.name = "a"}, {.name = "b"}}};
  EXPECT_EQ(numbers_of(read_table("1,2\n", {.schema = numbers}), "b"), (std::vector<double>{2}));
  EXPECT_ERROR(read_table("1,2,3\n", {.schema = numbers}), DataError, "column 'a' is missing");
}

TEST(TableColumns, OneColumnMayHaveANameOfSeveralWords) {
  const DataFile file = read_table("body mass\n1.5\n2\n2.5\n");
  EXPECT_EQ(numbers_of(file, "body mass"), (std::vector<double>{1.5, 2, 2.5}));
  const DataFile later = read_table("body mass\n7\n", {.schema = file.schema});
  EXPECT_EQ(numbers_of(later, "body mass"), (std::vector<double>{7}));
  Schema words{.kind = SampleKind::table, .columns = {{.name = "free text", .kind = ColumnKind::text}}};
  const DataFile texts = read_table("free text\na b\nc d\n", {.schema = words});
  EXPECT_EQ(select_columns(texts.samples, {{ColumnName{"free text"}}}).as<StringRows>()[1], "c d");
  // Blanks go on separating what has several columns.
  EXPECT_EQ(names_of(read_table("a b\n1 2\n3 4\n")), (std::vector<std::string>{"a", "b"}));
}

// What a file is read with stays what it was, whatever the file has beside it.
TEST(TableColumns, SchemasOfFilesWithoutNamesStay) {
  const DataFile first = read_table("red,1\nblue,2\nred,3\n", {.targets = {"-1"}});
  EXPECT_EQ(first.schema.file_columns, 2);
  for (const char* const text : {"red\nblue\n", "red,5\ngreen,6\n", "red,5,6\n", "z,column 0\n1,red\n"}) {
    const DataFile second = read_table(text, {.targets_presence = Presence::ignored, .schema = first.schema});
    EXPECT_EQ(second.schema, first.schema) << text;
  }
}

TEST(TableColumns, NumbersOfRowsArePointedOut) {
  SaidWarnings warnings;
  read_table("id,x,y\n1,5,1\n2,7,2\n3,6,1\n", {}, warnings.run);
  ASSERT_EQ(warnings.all.size(), 1U);
  EXPECT_EQ(warnings.all[0].find("t.csv: column 'id' rises by whole numbers from row to row, 1 to 3"), 0U);
  warnings.all.clear();
  read_table("id,x,y\n1,5,1\n1,7,2\n3,6,1\n", {}, warnings.run);    // some rows share one
  read_table("year,x,y\n1,5,1\n2,7,2\n3,6,1\n", {}, warnings.run);  // called otherwise
  read_table("id,x,y\n1,5,1\n2,7,2\n3,6,1\n", {.ignored = {"id"}}, warnings.run);
  EXPECT_TRUE(warnings.all.empty());
}

TEST(TableColumns, RangesOfNamesInSubscripts) {
  const Samples table = make_table(Table(make_dense(std::vector<double>{1, 2, 3, 4, 5, 6}, 2, 3), {"a", "b", "c"},
                                         {{"t", make_categories(std::vector<std::string>{"u", "v"})}}));
  EXPECT_EQ(select_columns(table, {{ColumnNameRange{"b", "c"}}}).columns(), 2);
  EXPECT_EQ(select_columns(table, {{ColumnNameRange{"b", "t"}}}).columns(), 3);
  EXPECT_ERROR(select_columns(table, {{ColumnNameRange{"c", "a"}}}), InvalidArgument, "'a' comes before 'c'");
  EXPECT_ERROR(select_columns(table, {{ColumnNameRange{"a", "d"}}}), InvalidArgument, "there is no column 'd'");
}

}  // namespace
}  // namespace mercer
