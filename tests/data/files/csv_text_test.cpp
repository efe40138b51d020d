#include "mercer/data/files/csv_text.h"

#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/files/write_data.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

DataFile parse(const std::string& text, const ReadOptions& options = {}) {
  InputStream stream("t.csv", text);
  return read_csv(stream, options, {});
}

std::string error_of(const std::string& text, const ReadOptions& options = {}) {
  return message_of<DataError>([&] { parse(text, options); });
}

double number(const DataFile& file, Index i, Index j) {
  return default_columns(file.samples).as<DenseRows<double>>()(i, j);
}

std::string_view text_of(const DataFile& file, const std::string& column, Index i) {
  for (const auto& other : file.samples.table().others()) {
    if (other.name == column) {
      if (other.values.kind() == SampleKind::categories) {
        const auto& rows = other.values.as<CategoryRows>();
        return rows.codes[i] < 0 ? std::string_view("?") : rows.levels[rows.codes[i]];
      }
      return other.values.as<StringRows>()[i];
    }
  }
  return "no such column";
}

TEST(CsvText, SeparatorsAndHeaders) {
  for (const std::string separator : {",", ";", "\t", "|", " ", "   "}) {
    const std::string row = "1" + separator + "2.5" + separator + "-3e2";
    const DataFile bare = parse(row + "\n" + row + "\n");
    EXPECT_EQ(bare.samples.kind(), SampleKind::dense) << separator;
    EXPECT_EQ(bare.samples.size(), 2);
    EXPECT_EQ(bare.samples.columns(), 3) << separator;
    EXPECT_EQ(number(bare, 1, 2), -300);
    const DataFile named = parse("a" + separator + "b" + separator + "c\n" + row + "\n");
    ASSERT_EQ(named.samples.kind(), SampleKind::table) << separator;
    EXPECT_EQ(named.samples.size(), 1);
    EXPECT_EQ(named.samples.table().numeric_names()[1], "b");
  }
  EXPECT_EQ(parse("  1 2 \n  3 4  \n").samples.columns(), 2);
  EXPECT_EQ(parse("1\n2\n3\n").samples.columns(), 1);
  EXPECT_EQ(parse("1,2\n3,4\n", {.header = Header::present}).samples.size(), 1);
  EXPECT_EQ(parse("a,b\n1,2\n", {.header = Header::absent}).samples.size(), 2);
  EXPECT_EQ(number(parse("a;b\n1,5;2\n", {.separator = ';'}), 0, 0), 1.5);
}

TEST(CsvText, ARowOfEmptyFieldsIsARowWhateverSeparatesThem) {
  for (const std::string separator : {",", ";", "\t"}) {
    const std::string text = "a" + separator + "w\np" + separator + "x\n" + separator + "\nq" + separator + "y\n\n";
    const DataFile file = parse(text);
    EXPECT_EQ(file.samples.size(), 3) << separator;
    EXPECT_EQ(text_of(file, "w", 2), "y") << separator;
  }
  EXPECT_EQ(parse("a w\n1 x\n \t \n2 y\n").samples.size(), 2);
}

TEST(CsvText, QuotesLineEndsAndByteOrderMark) {
  const DataFile file =
      parse("\xEF\xBB\xBFid,note,\"long name\"\r\n1,\"a, \"\"b\"\"\r\nc\",5\r\n2,\"\",6\r\n\r\n3,plain,7",
            {.text = {"note"}});
  ASSERT_EQ(file.samples.size(), 3);
  EXPECT_EQ(file.samples.table().numeric_names()[0], "id");
  EXPECT_EQ(file.samples.table().numeric_names()[1], "long name");
  EXPECT_EQ(text_of(file, "note", 0), "a, \"b\"\r\nc");
  EXPECT_EQ(text_of(file, "note", 1), "");
  EXPECT_EQ(number(file, 2, 1), 7);
  EXPECT_EQ(parse("1,2\r3,4\r").samples.size(), 2);  // old Macintosh
  EXPECT_EQ(text_of(parse("a\nx\"\"y\nz\n", {.header = Header::present}), "a", 0), "x\"\"y");
}

TEST(CsvText, RepeatedAndEmptyNames) {
  const DataFile file = parse("a,,a,a.1,a\n1,2,3,4,5\n");
  const auto names = file.samples.table().numeric_names();
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()),
            (std::vector<std::string>{"a", "column 1", "a.1", "a.1.1", "a.2"}));
}

struct Warnings {
  std::vector<std::string> all;
  mercer::Run run{{.log = [this](LogLevel, std::string_view message) { all.emplace_back(message); }}};
};

DataFile parse(const std::string& text, const ReadOptions& options, const Warnings& warnings) {
  InputStream stream("t.csv", text);
  return read_csv(stream, options, warnings.run);
}

TEST(CsvText, ARepeatedNameIsSaidAndMustNotBeMeant) {
  const std::string text = "label,x,label\n0,5,1\n1,6,0\n";
  const Warnings warnings;
  EXPECT_EQ(parse(text, {}, warnings).samples.columns(), 3);
  ASSERT_EQ(warnings.all.size(), 1u);
  EXPECT_NE(warnings.all[0].find("'label'; the second is taken in as 'label.1'"), std::string::npos) << warnings.all[0];
  EXPECT_NE(error_of(text, {.targets = {"label"}}).find("two columns are named 'label', 0 and 2"), std::string::npos);
  EXPECT_ERROR(parse(text, {.weights = "label"}), DataError, "two columns are named 'label'");
  EXPECT_EQ(number(parse(text, {.inputs = {"label"}}), 1, 0), 1);  // the first one
  EXPECT_EQ(parse(text, {.targets = {"x"}}).samples.columns(), 2);
  const DataFile train = parse(text, {.targets = {"x"}});
  EXPECT_EQ(parse(text, {.schema = train.schema}).samples.columns(), 2);
}

TEST(CsvText, WordsInTheFirstLineAreNamesOrASample) {
  const std::string texts = "ACGTAC\nTGCATG\n";
  const Warnings guess;
  EXPECT_EQ(parse(texts, {}, guess).samples.size(), 1);
  ASSERT_EQ(guess.all.size(), 1u);
  EXPECT_NE(guess.all[0].find("--no-header"), std::string::npos);
  // No guess where a column is called by its name, or where there was no name in training.
  const Warnings certain;
  EXPECT_EQ(parse("note,y\nfine,a\nbad,b\n", {.targets = {"y"}}, certain).samples.size(), 2);
  EXPECT_EQ(parse("note,y\nfine,a\nbad,b\n", {.text = {"note"}}, certain).samples.size(), 2);
  EXPECT_EQ(parse(texts, {.schema = Schema{SampleKind::strings, 0, {}}}, certain).samples.size(), 2);
  EXPECT_TRUE(certain.all.empty());
  EXPECT_EQ(parse(texts, {.header = Header::present, .schema = Schema{SampleKind::strings, 0, {}}}).samples.size(), 1);
  // Names that look like numbers, and names without samples.
  const DataFile train = parse("2019,2020\n1,2\n3,4\n", {.header = Header::present});
  EXPECT_EQ(number(parse("2020,2019\n1,2\n", {.schema = train.schema}), 0, 0), 2);
  EXPECT_NE(error_of("2019,2020\n", {.schema = train.schema}).find("no samples"), std::string::npos);
}

TEST(CsvText, MissingCategoriesAreOneLevel) {
  const std::string text = "sex,n\nf,1\n,2\nNA,3\nm,4\n?,5\nnone,6\n";
  const DataFile file = parse(text);
  EXPECT_EQ(file.schema.columns[1].levels, (std::vector<std::string>{"", "f", "m", "none"}));
  EXPECT_EQ(text_of(file, "sex", 1), "");
  EXPECT_EQ(text_of(file, "sex", 4), "");
  EXPECT_EQ(text_of(file, "sex", 3), "m");
  // A missing target is no class, and models of before keep their levels.
  EXPECT_EQ(parse(text, {.targets = {"sex"}, .missing = MissingValues::drop}).targets->labels().levels,
            (std::vector<std::string>{"f", "m", "none"}));
  Schema old = file.schema;
  old.file_names.clear();
  old.columns[1].levels = {"?", "NA", "f"};
  const DataFile read = parse(text, {.schema = old});
  const Samples codes = select_columns(read.samples, {{ColumnName{"sex"}}});
  const auto& rows = codes.as<CategoryRows>();
  EXPECT_EQ(std::vector<std::int32_t>(rows.codes, rows.codes + 6), (std::vector<std::int32_t>{2, -1, 1, -1, 0, -1}));
}

// A level NA stands in quotes; without them the value is missing, at prediction as at the fit.
TEST(CsvText, AMissingValueIsNoLevelThatLooksLikeIt) {
  const DataFile train = parse("sex,n\nf,1\n\"NA\",2\nm,3\nf,4\n");
  EXPECT_EQ(train.schema.columns[1].levels, (std::vector<std::string>{"NA", "f", "m"}));
  const DataFile later = parse("sex,n\n\"NA\",2\nNA,3\n,4\nm,5\n", {.schema = train.schema});
  const Samples codes = select_columns(later.samples, {{ColumnName{"sex"}}});
  const auto& rows = codes.as<CategoryRows>();
  EXPECT_EQ(std::vector<std::int32_t>(rows.codes, rows.codes + 4), (std::vector<std::int32_t>{0, -1, -1, 2}));
}

TEST(CsvText, TruthValuesAreKnownInAnyCase) {
  const DataFile train = parse("b,n\nTrue,1\nFalse,2\nTrue,3\n");
  const DataFile later = parse("b,n\nfalse,1\nTRUE,2\nyes,3\n", {.schema = train.schema});
  const Samples codes = select_columns(later.samples, {{ColumnName{"b"}}});
  const auto& rows = codes.as<CategoryRows>();
  EXPECT_EQ(std::vector<std::int32_t>(rows.codes, rows.codes + 3), (std::vector<std::int32_t>{0, 1, -1}));
  // Where true and True are two levels, or there are others, letters count.
  const DataFile words = parse("b,n\nTrue,1\ntrue,2\nTrue,3\n");
  const DataFile other = parse("b,n\nTRUE,1\n", {.schema = words.schema});
  EXPECT_EQ(select_columns(other.samples, {{ColumnName{"b"}}}).as<CategoryRows>().codes[0], -1);
}

TEST(CsvText, LevelsAreThoseOfTheRowsThatAreLeft) {
  const std::string text = "town,size,y\nulm,1,1\nbern,,2\nulm,3,3\nrom,4,\noslo,5,4\n";
  const ReadOptions unlabeled{.targets = {"y"}, .missing = MissingValues::keep, .unlabeled = UnlabeledRows::left_out};
  EXPECT_EQ(parse(text, unlabeled).schema.columns[1].levels, (std::vector<std::string>{"bern", "oslo", "ulm"}));
  const DataFile complete = parse(text, {.targets = {"y"}, .missing = MissingValues::drop});
  EXPECT_EQ(complete.schema.columns[1].levels, (std::vector<std::string>{"oslo", "ulm"}));
  EXPECT_EQ(text_of(complete, "town", 2), "oslo");
  const DataFile later = parse("town,size\nrom,1\n", {.schema = complete.schema});
  EXPECT_EQ(select_columns(later.samples, {{ColumnName{"town"}}}).as<CategoryRows>().codes[0], -1);
}

TEST(CsvText, ATargetWithoutAValueIsNamed) {
  const std::string text = "a,b,y,z\n1,2,,1\n3,4,NA,2\n";
  EXPECT_ERROR(parse(text, {.targets = {"y"}, .unlabeled = UnlabeledRows::left_out}), DataError,
               "target 'y' holds no value in any row");
  EXPECT_ERROR(parse(text, {.targets = {"y"}, .missing = MissingValues::drop}), DataError,
               "target 'y' holds no value in any row");
  EXPECT_ERROR(parse("a,y,z\n1,,1\n3,4,\n", {.targets = {"y", "z"}, .unlabeled = UnlabeledRows::left_out}), DataError,
               "every row lacks one of the targets 'y', 'z'");
}

TEST(CsvText, ColumnsWithoutValuesAreNamedWhereRowsAreDropped) {
  const DataFile file = parse("a,b,y\n1,,1\n3,NA,2\n", {.targets = {"y"}, .missing = MissingValues::drop});
  EXPECT_EQ(file.samples.columns(), 1);
  EXPECT_EQ(file.empty_columns, (std::vector<std::string>{"b"}));
}

TEST(CsvText, NaTIsMissingAmongWordsAndNatIsAName) {
  const DataFile file = parse("who,n\nNat,1\nNaT,2\nnat,3\nAnn,4\n");
  EXPECT_EQ(file.schema.columns[1].levels, (std::vector<std::string>{"", "Ann", "Nat", "nat"}));
  EXPECT_EQ(text_of(file, "who", 1), "");
  Schema old = file.schema;  // of a model to which it was a level, and which did not keep the names of its file
  old.file_names.clear();
  old.columns[1].levels = {"Ann", "NaT", "Nat"};
  EXPECT_EQ(text_of(parse("who,n\nNaT,2\nAnn,4\n", {.schema = old}), "who", 0), "NaT");
}

TEST(CsvText, OnlyTheColumnsThatAreNeededAreRead) {
  const std::string text = "id,name,age,y\n1,Ann,,0\n2,Bob,32,1\n";
  const DataFile file = parse(text, {.targets = {"y"}, .needed = {"id"}});
  EXPECT_EQ(file.schema.columns, (std::vector<SchemaColumn>{{"id", ColumnKind::numeric, {}}}));
  // Where one is not there, all are read: the kernel suggests what is meant.
  EXPECT_EQ(parse(text, {.targets = {"y"}, .missing = MissingValues::keep, .needed = {"idd"}}).samples.columns(), 3);
}

TEST(CsvText, CategoriesThatAKernelAsksFor) {
  std::string text = "town,n\n";
  for (int i = 0; i < 15; ++i) {
    text += "town" + std::to_string(i) + "," + std::to_string(i) + "\n";
  }
  EXPECT_EQ(parse(text).schema.columns[1].kind, ColumnKind::text);
  const DataFile asked = parse(text, {.categorical_words = {"town", "n"}});
  EXPECT_EQ(asked.schema.columns[0].kind, ColumnKind::numeric);
  EXPECT_EQ(asked.schema.columns[1].kind, ColumnKind::categorical);
  EXPECT_EQ(asked.schema.columns[1].levels.size(), 15u);
}

TEST(CsvText, KindsOfColumns) {
  std::string text = "n,city,story\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + "," + (i % 3 == 0 ? "Rome" : "Oslo") + ",story number " + std::to_string(i) + "\n";
  }
  const DataFile file = parse(text);
  const Table& table = file.samples.table();
  ASSERT_EQ(table.others().size(), 2u);
  EXPECT_EQ(table.others()[0].values.kind(), SampleKind::categories);
  EXPECT_EQ(table.others()[1].values.kind(), SampleKind::strings);
  EXPECT_EQ(text_of(file, "city", 3), "Rome");
  EXPECT_EQ(text_of(file, "story", 39), "story number 39");
  EXPECT_EQ(file.schema.columns[1].levels, (std::vector<std::string>{"Oslo", "Rome"}));
  const DataFile forced = parse(text, {.categorical = {"n", "story"}});
  EXPECT_EQ(forced.samples.table().numeric().columns(), 0);
  EXPECT_EQ(forced.samples.table().others()[0].values.kind(), SampleKind::categories);
  // Categories that are numbers are in the order of numbers.
  EXPECT_EQ(forced.schema.columns[0].levels[10], "10");
}

TEST(CsvText, AWordAmongNumbersIsASlipUnlessDeclared) {
  std::string text = "zip\n";
  for (int i = 0; i < 500; ++i) {
    text += "0" + std::to_string(i) + "\n";
  }
  const std::string slip = error_of(text + "12A\n");
  EXPECT_EQ(slip.find("t.csv:502:1: column 'zip': '12A' is not a number, but 500 of the 501 entries are"), 0u) << slip;
  const DataFile file = parse(text + "12A\n", {.text = {"zip"}});
  EXPECT_EQ(file.samples.table().others()[0].values.size(), 501);
  EXPECT_EQ(text_of(file, "zip", 7), "07");  // spelling kept
  for (int i = 500; i < 20000; ++i) {
    text += std::to_string(i) + "\n";
  }
  const std::string message = error_of(text + "12A\n");
  EXPECT_EQ(message.find("t.csv:20002:1: column 'zip': '12A' is not a number"), 0u) << message;
}

TEST(CsvText, TargetsWeightsGroupsNoise) {
  const std::string text = "y,x,w,g,s,label\n1.0,5,1,a,0.1,yes\n2.50,6,2,b,0.2,no\n1.0,7,3,a,0.3,yes\n";
  const DataFile file = parse(text, {.targets = {"label", "y"}, .weights = "w", .groups = "g", .noise = "4"});
  EXPECT_EQ(file.samples.columns(), 1);
  ASSERT_EQ(file.targets->outputs(), 2);
  EXPECT_EQ(file.targets->labels(0).levels, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(file.targets->labels(0).codes, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(file.targets->labels(1).levels, (std::vector<std::string>{"1", "2.5"}));  // in one form
  EXPECT_EQ(file.targets->columns()[1].values, (std::vector<double>{1, 2.5, 1}));
  EXPECT_ERROR(file.targets->values(), DataError, "target 'label' holds labels such as 'no'");
  EXPECT_EQ(file.weights, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(file.noise, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(file.groups.codes, (std::vector<std::int32_t>{0, 1, 0}));
  // Every row without a group is one of its own, whatever groups are called.
  const DataFile numbers = parse("x,g,y\n1,7,0\n2,,1\n3,7,0\n4,,1\n", {.targets = {"y"}, .groups = "g"});
  EXPECT_EQ(numbers.groups.codes, (std::vector<std::int32_t>{0, 1, 0, 2}));
  const DataFile words = parse("x,g,y\n1,b,0\n2,,1\n3,a,0\n4,,1\n", {.targets = {"y"}, .groups = "g"});
  EXPECT_EQ(words.groups.codes, (std::vector<std::int32_t>{1, 2, 0, 3}));
  EXPECT_EQ(parse(text, {.targets = {"-1"}}).targets->columns()[0].name, "label");
  EXPECT_NE(error_of(text, {.targets = {"lable"}}).find("Did you mean 'label'?"), std::string::npos);
  EXPECT_NE(error_of(text, {.targets = {"9"}}).find("6 columns"), std::string::npos);
  EXPECT_NE(error_of(text, {.targets = {"y"}, .weights = "y"}).find("two purposes"), std::string::npos);
  EXPECT_NE(error_of(text, {.weights = "label"}).find("t.csv:2:15"), std::string::npos);
}

TEST(CsvText, MissingValues) {
  const std::string text = "a,b,y\n1,2,u\n,3,v\n4,NA,u\n5,6,\n7,8,v\n";
  EXPECT_EQ(error_of(text).find("t.csv:3:1: column 'a': the value is missing"), 0u) << error_of(text);
  EXPECT_EQ(error_of("a,y\n1,u\n2,\n", {.targets = {"y"}}).find("t.csv:3:3: target 'y'"), 0u);
  const DataFile file = parse(text, {.targets = {"y"}, .missing = MissingValues::drop});
  EXPECT_EQ(file.dropped_rows, 3);
  EXPECT_EQ(file.samples.size(), 2);
  EXPECT_EQ(number(file, 1, 0), 7);
  EXPECT_EQ(file.targets->labels().codes.size(), 2u);
  EXPECT_EQ(file.samples.row_id(1), 1);
  for (const char* word : {"NaN", "?", "null", "N/A", "none", " "}) {
    EXPECT_EQ(error_of(std::string("a,b\n1,2\n3,") + word + "\n").find("t.csv:3:"), 0u) << word;
  }
  EXPECT_NE(error_of("a,b\n?,1\n2,?\n", {.missing = MissingValues::drop}).find("none is left"), std::string::npos);
}

TEST(CsvText, ChosenInputsAndEmptyColumns) {
  const std::string text = "a,b,c\n1,,x\n2,,y\n";
  EXPECT_EQ(error_of(text).find("t.csv:2:3: column 'b'"), 0u);
  EXPECT_EQ(parse(text, {.inputs = {"a"}}).samples.columns(), 1);
  EXPECT_ERROR(parse(text, {.inputs = {"d"}}), DataError, "there is no column 'd' for the inputs");
  const DataFile file = parse(text, {.missing = MissingValues::drop});
  EXPECT_EQ(file.dropped_rows, 0);
  EXPECT_EQ(file.samples.columns(), 2);
}

TEST(CsvText, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("a,b\n1,2\n3\n").find("t.csv:3: 1 fields where line 1 has 2"), 0u);
  EXPECT_EQ(error_of("a,b\n1,\"2\n3,4\n").find("t.csv:2:3: a quote"), 0u) << error_of("a,b\n1,\"2\n3,4\n");
  EXPECT_EQ(error_of("a,b\n1,\"2\"x\n").find("t.csv:2:3: text follows"), 0u);
  EXPECT_EQ(error_of("a,b\n1,inf\n").find("t.csv:2:3: column 'b'"), 0u);
  EXPECT_EQ(parse("a,b\n1,inf\n", {.non_finite = NonFinite::accept}).samples.size(), 1);
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_NE(error_of("\n\n").find("empty"), std::string::npos);
  EXPECT_NE(error_of("a,b\n", {.header = Header::present}).find("no samples"), std::string::npos);
  EXPECT_NE(error_of(std::string("a,b\n1,\0\n", 8)).find("NUL"), std::string::npos);
  const std::string huge = error_of("a,b\n1,1e999\n");
  EXPECT_EQ(huge.find("t.csv:2:3"), 0u) << huge;
}

TEST(CsvText, SchemaAtPrediction) {
  const DataFile train = parse("age,city,y\n1,Rome,1\n2,Oslo,2\n3,Rome,1\n", {.targets = {"y"}});
  ReadOptions options;
  options.schema = train.schema;
  options.targets = {"y"};
  options.targets_presence = Presence::optional;
  const DataFile test = parse("extra,city,age\nq,Lima,7\nq,Rome,8\n", options);
  EXPECT_FALSE(test.targets.has_value());
  EXPECT_EQ(test.schema, train.schema);
  EXPECT_EQ(number(test, 1, 0), 8);
  EXPECT_EQ(text_of(test, "city", 0), "?");
  EXPECT_EQ(text_of(test, "city", 1), "Rome");
  EXPECT_NE(error_of("town,age\nRome,7\n", options).find("column 'city' is missing"), std::string::npos);
  EXPECT_EQ(error_of("city,age\nRome,old\n", options).find("t.csv:2:6: column 'age': 'old' is not a number"), 0u);
  EXPECT_EQ(error_of("Rome,7\nOslo,8\n", options).find("t.csv:1:1: column 'age': 'Rome' is not a number"), 0u);
  EXPECT_NE(error_of("7,Rome,1,1\n8,Oslo,1,1\n", options).find("--header"), std::string::npos);
  EXPECT_EQ(number(parse("7,Rome\n8,Oslo\n", options), 1, 0), 8);  // by their places
  // A category that looks like a number stays a category.
  EXPECT_EQ(text_of(parse("city,age\n5,1\n", options), "city", 0), "?");
}

TEST(CsvText, PredictionDoesNotLookAtTheTarget) {
  const DataFile train = parse("age,label\n1,0\n2,1\n", {.targets = {"label"}});
  ReadOptions options;
  options.schema = train.schema;
  options.targets = {"label"};
  options.targets_presence = Presence::ignored;
  for (const char* text :
       {"age,label\n41,\n42,1\n", "age,label\n41,?\n42,x\n", "label,age\n,41\n,42\n", "age\n41\n42\n"}) {
    for (const MissingValues missing : {MissingValues::reject, MissingValues::drop}) {
      options.missing = missing;
      const DataFile file = parse(text, options);
      EXPECT_EQ(file.samples.size(), 2) << text;
      EXPECT_FALSE(file.targets) << text;
      EXPECT_EQ(number(file, 1, 0), 42) << text;
    }
  }
  InputStream lines("t.jsonl", "{\"age\": 41, \"label\": null}\n{\"age\": 42, \"label\": [1]}\n");
  EXPECT_EQ(read_data(lines, options).samples.size(), 2);
}

TEST(CsvText, SchemaOfHeaderlessFiles) {
  const DataFile train = parse("1,5,6\n2,7,8\n", {.targets = {"0"}});
  ReadOptions options;
  options.schema = train.schema;
  options.targets = {"0"};
  options.targets_presence = Presence::optional;
  EXPECT_EQ(parse("5,6\n", options).samples.columns(), 2);
  EXPECT_EQ(number(parse("1,5,6\n", options), 0, 0), 5);
  EXPECT_ERROR(parse("1,5,6,7\n", options), DataError,
               "the samples have 3 numeric columns where the training samples had 2");
}

TEST(CsvText, EveryTruncationIsReadOrRefused) {
  const std::string text = "\xEF\xBB\xBFid,\"n\"\"ote\",v\r\n1,\"a, \"\"b\"\"\r\nc\",5\r\n2,x,NA\r\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    try {
      const DataFile file = parse(text.substr(0, length), {.missing = MissingValues::drop});
      EXPECT_GT(file.samples.size(), 0);
    } catch (const DataError& error) {
      EXPECT_EQ(std::string(error.what()).find("t.csv"), 0u);
    }
  }
}

TEST(CsvText, LongRecordsAcrossBlocks) {
  // Fields far longer than the reader's blocks, with line ends inside quotes.
  std::string note(700000, 'x');
  note[350000] = '\n';
  std::string text = "a,b\n";
  for (int i = 0; i < 5; ++i) {
    text += std::to_string(i) + ",\"" + note + "\"\n";
  }
  const DataFile file = parse(text);
  EXPECT_EQ(file.samples.size(), 5);
  EXPECT_TRUE(text_of(file, "b", 4) == note);
  EXPECT_EQ(error_of(text + "1,2,3\n").find("t.csv:12: 3 fields"), 0u);
}

TEST(CsvText, WrittenAndReadAgain) {
  const TemporaryFolder folder;
  std::string text = "y,v,city,note\n";
  for (int i = 0; i < 50; ++i) {
    text += std::string(i % 2 == 0 ? "\"a,b\"" : "c") + "," + shortest(0.1 * i) + ",T" + std::to_string(i % 4) +
            ",\"line\n\"\"" + std::to_string(i) + "\"\"\"\n";
  }
  const DataFile first = parse(text, {.targets = {"y"}});
  write_csv(folder.file("out.csv"), first.samples, &*first.targets);
  const DataFile second = read_data(folder.file("out.csv"), {.targets = {"y"}});
  EXPECT_EQ(second.schema, first.schema);
  EXPECT_EQ(second.targets->labels().levels, first.targets->labels().levels);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(number(second, i, 0), number(first, i, 0));
    EXPECT_EQ(text_of(second, "note", i), text_of(first, "note", i));
    EXPECT_EQ(text_of(second, "city", i), text_of(first, "city", i));
  }
}

TEST(CsvText, RealFiles) {
  const std::string usps = real_data("usps/zip.train.csv.gz");
  const std::string boston = real_data("r-mass/Boston.csv");
  const std::string promoter = real_data("promoter/promoter.tsv");
  const std::string compas = real_data("compas/compas-scores-two-years.csv.gz");
  if (usps.empty() || boston.empty() || promoter.empty() || compas.empty()) {
    GTEST_SKIP() << "MERCER_DATA is not there";
  }
  const DataFile digits = read_data(usps, {.targets = {"0"}});
  EXPECT_EQ(digits.samples.size(), 7291);
  EXPECT_EQ(digits.samples.columns(), 256);
  EXPECT_EQ(digits.targets->labels().levels.size(), 10u);
  const DataFile houses = read_data(boston, {.targets = {"medv"}});
  EXPECT_EQ(houses.samples.size(), 506);
  EXPECT_EQ(houses.targets->values()(0, 0), 24);
  EXPECT_EQ(read_data(promoter).samples.size(), 106);
  const DataFile scores = read_data(compas, {.targets = {"two_year_recid"}, .inputs = {"age", "priors_count", "sex"}});
  EXPECT_EQ(scores.samples.columns(), 3);
  EXPECT_EQ(scores.schema.columns[2].levels, (std::vector<std::string>{"Female", "Male"}));
  EXPECT_EQ(scores.samples.size() + scores.dropped_rows, 7214);
}

}  // namespace
}  // namespace mercer
