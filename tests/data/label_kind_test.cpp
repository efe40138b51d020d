// What labels are and how files of every format give them: by texts where numbers would merge or split them.
#include "mercer/data/label_kind.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/files/write_data.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Texts = std::vector<std::string>;

DataFile read_text(const std::string& name, const std::string& text, const ReadOptions& options) {
  InputStream stream(name, text);
  return read_data(stream, options);
}

Targets targets_of(const std::string& name, const std::string& text, std::optional<LabelKind> kind = std::nullopt) {
  return *read_text(name, text, {.targets = {"y"}, .label_kind = kind}).targets;
}

std::string column(const Texts& fields) {
  std::string text = "x,y\n";
  for (const std::string& field : fields) {
    text += "1," + field + "\n";
  }
  return text;
}

TEST(LabelKind, OfTexts) {
  const std::vector<std::pair<Texts, LabelKind>> cases = {
      {{"1", "+2", "-3", "0"}, LabelKind::integer},
      {{"123456789012345678901234567890", "-5"}, LabelKind::integer},
      {{std::string(400, '7'), "1"}, LabelKind::integer},
      {{"1", "2.0"}, LabelKind::real},
      {{".5", "1e300"}, LabelKind::real},
      {{"01", "1"}, LabelKind::text},
      {{"-007", "2"}, LabelKind::text},
      {{"00.5", "2"}, LabelKind::text},
      {{"9007199254740993", "1.5"}, LabelKind::text},
      {{"1", "a"}, LabelKind::text},
      {{"1", ""}, LabelKind::text},
      {{"inf", "1"}, LabelKind::text},
      {{" 1", "2"}, LabelKind::text}};
  for (const auto& [texts, kind] : cases) {
    EXPECT_EQ(label_kind_of(texts), kind) << texts[0] << " " << texts[1];
  }
}

TEST(LabelKind, OneFormOfEveryKind) {
  for (const char* text : {"1", "+1", "1.0", "1.", "1.000", "1e0", "10e-1"}) {
    EXPECT_EQ(label_text(text, LabelKind::integer), "1") << text;
    EXPECT_EQ(label_text(text, LabelKind::real), "1") << text;
    EXPECT_EQ(label_text(text, LabelKind::boolean), "True") << text;
    EXPECT_EQ(label_text(text, LabelKind::text), text);
  }
  for (const char* text : {"0", "-0", "+0", "0.0", "-0.0"}) {
    EXPECT_EQ(label_text(text, LabelKind::integer), "0") << text;
    EXPECT_EQ(label_text(text, LabelKind::real), "0") << text;
    EXPECT_EQ(label_text(text, LabelKind::boolean), "False") << text;
  }
  EXPECT_EQ(label_text("+9007199254740993.0", LabelKind::integer), "9007199254740993");
  EXPECT_EQ(label_text("-9007199254740993", LabelKind::integer), "-9007199254740993");
  EXPECT_EQ(label_text("1.5", LabelKind::integer), "1.5");
  EXPECT_EQ(label_text("01", LabelKind::integer), "01");
  EXPECT_EQ(label_text("TRUE", LabelKind::boolean), "True");
  EXPECT_EQ(label_text(".50", LabelKind::real), "0.5");
  EXPECT_EQ(label_text("abc", LabelKind::real), "abc");
}

TEST(LabelKind, IntegersAreSortedExactly) {
  const Texts sorted = {"-9007199254740993", "-9007199254740992",       "-10", "-9", "0", "9", "10", "9007199254740992",
                        "9007199254740993",  "100000000000000000000000"};
  Texts turned(sorted.rbegin(), sorted.rend());
  EXPECT_EQ(sorted_levels(turned), sorted);
}

TEST(LabelKind, LargeIntegersOfCsvStayApart) {
  for (const char* offset : {"", "-"}) {
    const std::string big = std::string(offset) + "12345678901234567";
    const Targets targets = targets_of("t.csv", column({big + "81", big + "82", big + "81"}));
    EXPECT_EQ(targets.label_kind(), LabelKind::integer);
    EXPECT_EQ(targets.labels().levels.size(), 2);
    EXPECT_TRUE(targets.is_numeric());
  }
}

// Beyond a thousand different labels texts are no longer kept as a list.
TEST(LabelKind, ManyLabelsStayApart) {
  Texts fields;
  for (int i = 0; i < 3000; ++i) {
    fields.push_back("9007199254" + std::to_string(740993 + i));
  }
  Texts mixed = fields;
  for (int i = 0; i < 2000; ++i) {
    mixed.insert(mixed.begin(), std::to_string(i));
  }
  Texts padded;
  for (int i = 0; i < 2000; ++i) {
    padded.push_back(std::to_string(i));
    padded.push_back("0" + std::to_string(i));
  }
  EXPECT_EQ(targets_of("t.csv", column(fields)).labels().levels, fields);
  EXPECT_EQ(targets_of("t.csv", column(mixed)).labels().levels.size(), 5000);
  const Targets words = targets_of("t.csv", column(padded));
  EXPECT_EQ(words.label_kind(), LabelKind::text);
  EXPECT_EQ(words.labels().levels.size(), 4000);
  EXPECT_EQ(words.values()(3, 0), 1);
}

TEST(LabelKind, LeadingZerosMakeTexts) {
  const Targets targets = targets_of("t.csv", column({"01", "1", "02", "1"}));
  EXPECT_EQ(targets.labels().levels, (Texts{"01", "02", "1"}));
  EXPECT_EQ(targets.values()(0, 0), 1);  // regression sees numbers
  const Targets chosen = targets.select(std::vector<Index>{0, 1});
  EXPECT_EQ(chosen.labels().codes, (std::vector<std::int32_t>{0, 2}));
}

TEST(LabelKind, AColumnIsReadByTheKindOfTheModel) {
  const Texts levels = {"1", "2"};
  const std::string text = column({"1.0", "+1", "2e0", "01", "3"});
  EXPECT_EQ(targets_of("t.csv", text, LabelKind::integer).labels(0, levels).codes,
            (std::vector<std::int32_t>{0, 0, 1, -1, -1}));
  EXPECT_EQ(targets_of("t.csv", text, LabelKind::text).labels(0, levels).codes,
            (std::vector<std::int32_t>{-1, -1, -1, -1, -1}));
  EXPECT_EQ(targets_of("t.csv", column({"1", "2", "1.0"}), LabelKind::text).labels(0, levels).codes,
            (std::vector<std::int32_t>{0, 1, -1}));
  const Texts booleans = {"False", "True"};
  for (const std::string& spelled : {std::string("true\n1,FALSE\n1,True"), std::string("1\n1,0\n1,1.0")}) {
    EXPECT_EQ(targets_of("t.csv", "x,y\n1," + spelled + "\n", LabelKind::boolean).labels(0, booleans).codes,
              (std::vector<std::int32_t>{1, 0, 1}));
  }
  // Levels that one form would merge are compared as texts.
  EXPECT_EQ(Targets::classes(Texts{"1", "1.0"}).labels(0, Texts{"1.0", "1"}).codes, (std::vector<std::int32_t>{1, 0}));
}

TEST(LabelKind, OfJson) {
  const std::string numbers = "{\"x\": 1, \"y\": 9007199254740993}\n{\"x\": 2, \"y\": 9007199254740992}\n";
  EXPECT_EQ(targets_of("t.jsonl", numbers).labels().levels, (Texts{"9007199254740992", "9007199254740993"}));
  const std::string words = "{\"x\": 1, \"y\": \"NA\"}\n{\"x\": 2, \"y\": \" a \"}\n{\"x\": 2, \"y\": \"a\"}\n";
  EXPECT_EQ(targets_of("t.jsonl", words).labels().levels, (Texts{" a ", "NA", "a"}));
  EXPECT_ERROR(targets_of("t.jsonl", "{\"x\": 1, \"y\": \"a\"}\n{\"x\": 2, \"y\": null}\n"), DataError,
               "target 'y': the label is missing");
}

TEST(LabelKind, OfArrays) {
  const auto npy = [](const std::string& type, const std::string& bytes) {
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (2, 2), }\n";
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + bytes;
  };
  const auto raw = [](auto... values) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return bytes;
  };
  const ReadOptions last{.targets = {"-1"}};
  const std::string wide =
      npy("<i8", raw(std::int64_t{1}, std::int64_t{9007199254740993}, std::int64_t{2}, std::int64_t{9007199254740992}));
  const Targets targets = *read_text("t.npy", wide, last).targets;
  EXPECT_EQ(targets.labels().levels, (Texts{"9007199254740992", "9007199254740993"}));
  EXPECT_EQ(targets.labels().codes, (std::vector<std::int32_t>{1, 0}));
  // Targets are not rounded with the samples.
  ReadOptions rounded = last;
  rounded.precision = StoredPrecision::float32;
  const std::string narrow = npy("<i4", raw(1, 16777217, 2, 16777216));
  EXPECT_EQ(read_text("t.npy", narrow, rounded).targets->labels().levels, (Texts{"16777216", "16777217"}));
  const Targets flags = *read_text("t.npy", npy("|b1", std::string("\1\1\1\0", 4)), last).targets;
  EXPECT_EQ(flags.label_kind(), LabelKind::boolean);
  EXPECT_EQ(flags.labels().levels, (Texts{"False", "True"}));
  EXPECT_EQ(flags.values()(0, 0), 1);
}

TEST(LabelKind, QuotedFieldsKeepTheirBlanks) {
  const Targets targets = targets_of("t.csv", column({"\" a \"", "  a ", "a", "\"NA\"", "\"?\""}));
  EXPECT_EQ(targets.labels().levels, (Texts{" a ", "?", "NA", "a"}));
  EXPECT_EQ(targets.labels().codes, (std::vector<std::int32_t>{0, 3, 3, 2, 1}));
  const DataFile file = read_text("t.csv", "w,v\n\" x\",1\nx,2\n\"x\",3\n", {.categorical = {"w"}});
  EXPECT_EQ(file.schema.columns[1].levels, (Texts{" x", "x"}));
}

TEST(LabelKind, MissingLabelsAreNoClass) {
  for (const char* missing : {"NA", "?", "null", "n/a", "NaN", ""}) {
    const std::string text = column({"a", missing, "b"});
    EXPECT_ERROR(targets_of("t.csv", text), DataError, "target 'y': the label is missing (1 in this column)");
    const DataFile file = read_text("t.csv", text, {.targets = {"y"}, .missing = MissingValues::drop});
    EXPECT_EQ(file.targets->labels().levels, (Texts{"a", "b"}));
    EXPECT_EQ(file.dropped_rows, 1);
  }
  EXPECT_EQ(targets_of("t.csv", column({"none", "mild"})).labels().levels, (Texts{"mild", "none"}));
}

TEST(LabelKind, MissingCategoriesAndTheWordNA) {
  const DataFile file = read_text("t.csv", "w,v\nNA,1\n\"NA\",2\nx,3\n?,4\n", {.categorical = {"w"}});
  const auto& rows = file.samples.table().others()[0].values.as<CategoryRows>();
  EXPECT_EQ(file.schema.columns[1].levels, (Texts{"", "NA", "x"}));
  EXPECT_EQ(std::vector<std::int32_t>(rows.codes, rows.codes + 4), (std::vector<std::int32_t>{0, 1, 2, 0}));
}

TEST(LabelKind, GroupsAreLabels) {
  const std::string big = "1234567890123456";
  const DataFile file =
      read_text("t.csv", "x,g\n1," + big + "781\n2," + big + "782\n3," + big + "781\n", {.groups = "g"});
  EXPECT_EQ(file.groups.codes, (std::vector<std::int32_t>{0, 1, 0}));
}

// Kernels on categories see large integers apart; everything else takes them as numbers.
TEST(LabelKind, LargeIntegersThatCategoriesAreExpectedOf) {
  const std::string text = "id,v\n9007199254740993,1\n9007199254740992,2\n5,3\n";
  const DataFile apart = read_text("t.csv", text, {.categorical_words = {"id"}});
  EXPECT_EQ(apart.schema.columns[1].kind, ColumnKind::categorical);
  EXPECT_EQ(apart.schema.columns[1].levels, (Texts{"5", "9007199254740992", "9007199254740993"}));
  EXPECT_EQ(read_text("t.csv", text, {}).schema.columns[0].kind, ColumnKind::numeric);
  EXPECT_EQ(read_text("t.csv", "id,v\n1,1\n2,2\n", {.categorical_words = {"id"}}).schema.columns[0].kind,
            ColumnKind::numeric);
}

TEST(LabelKind, WordsThatLookMissingAreWrittenInQuotes) {
  EXPECT_EQ(csv_field("NA"), "\"NA\"");
  EXPECT_EQ(csv_field("?"), "\"?\"");
  EXPECT_EQ(csv_field("none"), "none");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
  EXPECT_EQ(csv_field("a"), "a");
}

}  // namespace
}  // namespace mercer
