#include "mercer/data/files/json_lines.h"

#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

DataFile parse(const std::string& text, const ReadOptions& options = {}) {
  InputStream stream("a.jsonl", text);
  return read_data(stream, options);
}

std::string error_of(const std::string& text, const ReadOptions& options = {}) {
  return message_of<DataError>([&] { parse(text, options); });
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Samples column(const DataFile& file, const std::string& name) {
  return select_columns(file.samples, {{ColumnName{name}}});
}

std::vector<std::vector<std::int32_t>> sets_of(const Samples& samples) {
  const auto& rows = samples.as<SetRows>();
  std::vector<std::vector<std::int32_t>> sets;
  for (Index i = 0; i < rows.rows; ++i) {
    sets.emplace_back(rows[i].begin(), rows[i].end());
  }
  return sets;
}

TEST(JsonLines, KeysAreColumns) {
  const DataFile file = parse(
      "{\"x\": 1.5, \"city\": \"Rome\", \"zip\": \"007\", \"on\": true, \"y\": 3}\n\n"
      "{\"y\": 4.0, \"city\": \"Oslo\", \"on\": false, \"x\": -2e3, \"zip\": \"12\"}\r\n"
      "{\"x\": 0, \"y\": 3, \"city\": \"Rome\", \"zip\": \"007\", \"on\": 1, \"group\": \"b\"}",
      {.targets = {"y"}, .groups = "group"});
  EXPECT_EQ(file.format, FileFormat::json_lines);
  EXPECT_EQ(file.schema.columns, (std::vector<SchemaColumn>{{"on", ColumnKind::numeric, {}},
                                                            {"x", ColumnKind::numeric, {}},
                                                            {"city", ColumnKind::categorical, {"Oslo", "Rome"}},
                                                            {"zip", ColumnKind::categorical, {"007", "12"}}}));
  const Samples numbers = column(file, "x");
  const auto& x = numbers.as<DenseRows<double>>();
  EXPECT_EQ((std::vector<double>{x(0, 0), x(1, 0), x(2, 0)}), (std::vector<double>{1.5, -2000, 0}));
  EXPECT_EQ(file.targets->columns()[0].values, (std::vector<double>{3, 4, 3}));
  EXPECT_EQ(file.groups.codes, (std::vector<std::int32_t>{1, 2, 0}));
  const DataFile flags = parse("{\"x\":1,\"y\":true}\n{\"x\":2,\"y\":false}\n", {.targets = {"y"}});
  EXPECT_EQ(flags.targets->labels().levels, (std::vector<std::string>{"False", "True"}));
  EXPECT_EQ(flags.targets->label_kind(), LabelKind::boolean);
  EXPECT_EQ(flags.targets->labels().codes, (std::vector<std::int32_t>{1, 0}));
}

TEST(JsonLines, MissingValues) {
  const std::string text = "{\"x\": 1, \"s\": \"abc\"}\n{\"x\": null, \"t\": [\"a\"]}\n{\"x\": 3}\n";
  EXPECT_TRUE(has(error_of(text), "a.jsonl:2"));
  const DataFile kept = parse(text, {.missing = MissingValues::drop});
  EXPECT_EQ(kept.samples.size(), 2);
  EXPECT_EQ(sets_of(column(kept, "t")), (std::vector<std::vector<std::int32_t>>{{}, {}}));
  EXPECT_TRUE(has(error_of("{\"x\": 1}\n{\"x\": 2, \"z\": 1}\n"), "a.jsonl:1"));
  EXPECT_EQ(parse("{\"t\": []}\n{\"t\": null}\n").schema.columns[0].kind, ColumnKind::set);
}

TEST(JsonLines, SetsKeepTheNumbersOfTheirWords) {
  const DataFile train = parse("{\"t\": [\"b\", \"a\", \"b\"], \"n\": [7, 3]}\n{\"t\": [\"c\"], \"n\": []}\n");
  EXPECT_EQ(sets_of(column(train, "t")), (std::vector<std::vector<std::int32_t>>{{0, 1}, {2}}));
  EXPECT_EQ(sets_of(column(train, "n")), (std::vector<std::vector<std::int32_t>>{{3, 7}, {}}));
  EXPECT_EQ(train.schema.columns,
            (std::vector<SchemaColumn>{{"n", ColumnKind::set, {}}, {"t", ColumnKind::set, {"b", "a", "c"}}}));
  ReadOptions options;
  options.schema = train.schema;
  const DataFile test = parse("{\"t\": [\"new\", \"c\", \"other\", \"a\"], \"n\": [1], \"extra\": 5}\n", options);
  EXPECT_EQ(sets_of(column(test, "t")), (std::vector<std::vector<std::int32_t>>{{1, 2, 3, 4}}));
  EXPECT_EQ(test.schema, train.schema);
  EXPECT_TRUE(has(error_of("{\"t\": [1], \"n\": [1]}", options), "a number among strings"));
  EXPECT_TRUE(has(error_of("{\"t\": [\"a\"]}", options), "'n' is missing"));
  EXPECT_TRUE(has(error_of("{\"other\": 1}", options), "'n' is missing"));
  // The same words from a table of fields.
  InputStream table("t.csv", "n,t\n,c | new|a;other\n");
  const DataFile fields = read_data(table, options);
  EXPECT_EQ(sets_of(column(fields, "t")), (std::vector<std::vector<std::int32_t>>{{1, 2, 3, 4}}));
  InputStream fresh("t.csv", "t,y\nc|d,1\nd,2\n");
  const DataFile learned = read_data(fresh, {.targets = {"y"}, .sets = {"t"}});
  EXPECT_EQ(sets_of(column(learned, "t")), (std::vector<std::vector<std::int32_t>>{{0, 1}, {1}}));
  EXPECT_EQ(learned.schema.columns[0], (SchemaColumn{"t", ColumnKind::set, {"c", "d"}}));
}

TEST(JsonLines, WordsDoNotPassForTheNumbersOfTraining) {
  ReadOptions options;
  options.schema = parse("{\"t\": [0, 5]}\n{\"t\": [7]}\n").schema;
  EXPECT_TRUE(has(error_of("{\"t\": [\"x\", \"y\"]}", options), "whole numbers"));
  const auto fields = [&](const std::string& text) {
    InputStream stream("t.csv", text);
    return read_data(stream, options);
  };
  EXPECT_EQ(sets_of(column(fields("t\n5;7\n"), "t")), (std::vector<std::vector<std::int32_t>>{{5, 7}}));
  EXPECT_ERROR(fields("t\n5;red\n"), DataError, "the member 'red' of a set is no whole number from 0 on");
  EXPECT_ERROR(fields("t\n5;-7\n"), DataError, "the member '-7' of a set is no whole number from 0 on");
  // Sets and graphs without a name have numbers, as in a graph set.
  options.schema = Schema{SampleKind::graphs, 0, {}};
  EXPECT_TRUE(has(error_of("{\"g\": {\"nodes\": [\"N\", \"C\"]}}", options), "whole numbers"));
  EXPECT_EQ(parse("{\"g\": {\"nodes\": [4, 3]}}", options).samples.as<GraphRows>().vertex_labels[0], 4);
  const Schema words = parse("{\"g\": {\"nodes\": [\"N\", \"C\"]}}").schema;
  const std::vector<Graph> numbered = {{.vertices = 1, .edges = {}, .vertex_labels = {1}, .edge_labels = {}}};
  EXPECT_TRUE(has(message_of<DataError>([&] { apply_schema(make_graphs(numbered), words); }), "'N'"));
}

TEST(JsonLines, AnEmptyArrayIsNoTarget) {
  const std::string text = "{\"x\": 1, \"y\": []}\n{\"x\": 2, \"y\": []}\n";
  EXPECT_TRUE(has(error_of(text, {.targets = {"y"}}), "a.jsonl:1: key 'y': a target"));
  EXPECT_ERROR(parse(text, {.groups = "y"}), DataError,
               "a.jsonl:1: key 'y': a target, weight or group must be a number or a string");
  EXPECT_ERROR(parse(text, {.weights = "y"}), DataError,
               "a.jsonl:1: key 'y': a target, weight or group must be a number or a string");
  EXPECT_ERROR(parse("{\"x\": 1, \"y\": 2}\n{\"x\": 2, \"y\": {}}\n", {.targets = {"y"}}), DataError,
               "a.jsonl:2: key 'y': a target, weight or group must be a number or a string");
}

TEST(JsonLines, BagsOfVectors) {
  const DataFile file = parse("{\"b\": []}\n{\"b\": [[1, 2], [3, 4.5]]}\n{\"b\": [[5, 6]]}\n");
  const Samples values = column(file, "b");
  const auto& bags = values.as<BagRows>();
  EXPECT_EQ(std::vector<std::int64_t>(bags.offsets, bags.offsets + 4), (std::vector<std::int64_t>{0, 0, 2, 3}));
  EXPECT_EQ(bags.points(1, 1), 4.5);
  EXPECT_TRUE(has(error_of("{\"b\": [[1, 2]]}\n{\"b\": [[1]]}\n"), "a.jsonl:2"));
  EXPECT_TRUE(has(error_of("{\"b\": [[1, \"a\"]]}"), "must be numbers"));
  EXPECT_TRUE(has(error_of("{\"b\": [[1], 2]}"), "arrays of numbers only"));
  EXPECT_TRUE(has(error_of("{\"b\": [1.5, 2]}"), "[[1.5, 2]]"));
}

TEST(JsonLines, Graphs) {
  const DataFile file = parse(
      "{\"g\": {\"nodes\": [\"C\", \"O\", \"C\"], \"edges\": [[0, 1, \"=\"], [2, 2, \"C\"]]}}\n"
      "{\"g\": {\"nodes\": [\"N\", \"C\"], \"edges\": [[1, 0, \"-\"]], \"directed\": true}}\n{\"g\": null}\n");
  const Samples values = column(file, "g");
  const auto& graphs = values.as<GraphRows>();
  ASSERT_EQ(graphs.rows, 3);
  EXPECT_EQ(std::vector<std::int64_t>(graphs.vertex_offsets, graphs.vertex_offsets + 4),
            (std::vector<std::int64_t>{0, 3, 5, 5}));
  EXPECT_EQ(std::vector<std::int64_t>(graphs.edge_offsets, graphs.edge_offsets + 6),
            (std::vector<std::int64_t>{0, 1, 2, 3, 3, 4}));
  EXPECT_EQ(std::vector<std::int32_t>(graphs.neighbors, graphs.neighbors + 4), (std::vector<std::int32_t>{1, 0, 2, 0}));
  const std::vector<std::string>& words = file.schema.columns[0].levels;
  EXPECT_EQ(words, (std::vector<std::string>{"C", "O", "=", "N", "-"}));
  EXPECT_EQ(std::vector<std::int32_t>(graphs.vertex_labels, graphs.vertex_labels + 5),
            (std::vector<std::int32_t>{0, 1, 0, 3, 0}));
  EXPECT_EQ(std::vector<std::int32_t>(graphs.edge_labels, graphs.edge_labels + 4),
            (std::vector<std::int32_t>{2, 2, 0, 4}));
  EXPECT_EQ(column(parse("{\"g\": {\"nodes\": 2, \"edges\": []}}"), "g").as<GraphRows>().vertex_labels, nullptr);
  for (const char* broken :
       {"{\"edges\": [[0, 1]]}", "{\"nodes\": 2, \"edges\": [[0, 2]]}", "{\"nodes\": 2, \"edges\": [[0, -1]]}",
        "{\"nodes\": 2, \"edges\": [[0, 0.5]]}", "{\"nodes\": 2, \"edges\": [0, 1]}", "{\"nodes\": 2, \"edges\": {}}",
        "{\"nodes\": 2, \"edges\": [[0, 1], [0, 1, 3]]}", "{\"nodes\": 2000000000, \"edges\": []}",
        "{\"nodes\": [1.5], \"edges\": []}", "{\"nodes\": 1, \"directed\": 1}", "{\"x\": 1}"}) {
    EXPECT_ERROR(parse("{\"g\": " + std::string(broken) + "}"), DataError, "key 'g': ") << broken;
  }
  EXPECT_ERROR(parse("{\"g\": {\"nodes\": 2, \"edges\": [[0, 1, 1], [1, 0, 2]]}}"), DataError,
               "graph 0: edge 0-1 is listed with two labels");
}

TEST(JsonLines, ConflictsAndBrokenLinesNameTheirLine) {
  EXPECT_TRUE(has(error_of("{\"x\": 1}\n{\"x\": \"a\"}\n"), "a.jsonl:2"));
  EXPECT_TRUE(has(error_of("{\"x\": \"a\"}\n{\"x\": [\"a\"]}\n"), "a string"));
  EXPECT_TRUE(has(error_of("{\"x\": 1}\n{\"x\": 2,}\n"), "a.jsonl:2:"));
  EXPECT_TRUE(has(error_of("{\"x\": 1}\n[1]\n"), "an array"));
  EXPECT_TRUE(has(error_of("{\"x\": 1e999}\n"), "too large"));
  EXPECT_TRUE(has(error_of("{\"x\": [4294967296]}\n"), "as a string"));
  EXPECT_TRUE(has(error_of("{\"x\": [-1]}\n"), "negative"));
  EXPECT_TRUE(has(error_of("{\"x\": " + std::string(100000, '[')), "nested"));
  EXPECT_TRUE(has(error_of("{\"x\": [[[1]]]}"), "numbers"));
  EXPECT_TRUE(has(error_of("{\"x\": 1, \"y\": [1]}", {.targets = {"y"}}), "target"));
  EXPECT_TRUE(has(error_of("{\"x\": 1, \"label\": 1}", {.targets = {"lable"}}), "label"));
  EXPECT_ERROR(parse("{\"x\": \"\xff\"}"), DataError, "a.jsonl:1:8: the line is not valid JSON here");
  EXPECT_ERROR(parse("{}\n{}\n"), DataError, "the file holds a line of column names and no samples below it");
  EXPECT_ERROR(parse("\n\n"), DataError, "the file holds no JSON objects");
  // 123456789012345678901 is a number, if not a precise one.
  EXPECT_EQ(column(parse("{\"x\": 123456789012345678901}"), "x").as<DenseRows<double>>()(0, 0),
            123456789012345678901.0);
}

// Keys come in the order of the alphabet, line by line: b, d, y, then a.
TEST(JsonLines, RangesOfNames) {
  const std::string text = "{\"b\": 1, \"d\": \"u\", \"y\": 2}\n{\"a\": 5, \"b\": 3, \"d\": \"v\", \"y\": 4}\n";
  const auto inputs = [&](std::vector<std::string> chosen, std::vector<std::string> ignored) {
    const DataFile file = parse(
        text,
        {.targets = {"y"}, .inputs = std::move(chosen), .ignored = std::move(ignored), .missing = MissingValues::keep});
    std::vector<std::string> names;
    for (const SchemaColumn& described : file.schema.columns) {
      names.push_back(described.name);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(inputs({"b:d"}, {}), (Names{"b", "d"}));
  EXPECT_EQ(inputs({"b:y"}, {}), (Names{"b", "d"}));  // the target is none
  EXPECT_EQ(inputs({"d:a"}, {}), (Names{"a", "d"}));
  EXPECT_EQ(inputs({}, {"d:y"}), (Names{"b", "a"}));
  EXPECT_EQ(inputs({}, {"b:d"}), (Names{"a"}));
  EXPECT_EQ(inputs({"b : b", "3"}, {}), (Names{"b", "a"}));
  EXPECT_ERROR(inputs({"a:b"}, {}), DataError, "the range 'a:b' of the inputs: 'b' comes before 'a'");
  EXPECT_ERROR(inputs({"b:c"}, {}), DataError, "no line has the key 'c', an end of the range 'b:c' of the inputs");
  EXPECT_ERROR(inputs({}, {"e:f"}), DataError, "no line has the key 'e:f' for the columns to ignore");
  // Kinds are declared by ranges, too.
  const DataFile declared = parse(text, {.targets = {"y"}, .missing = MissingValues::keep, .text = {"b:d"}});
  EXPECT_EQ(column(declared, "b").kind(), SampleKind::strings);
  EXPECT_EQ(column(declared, "d").kind(), SampleKind::strings);
}

TEST(JsonLines, KeysThatAreDataAreRefusedBeforeTheyFillTheMemory) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "{\"k" + std::to_string(i) + "\": 1}\n";
  }
  EXPECT_TRUE(has(error_of(text), "different keys"));
}

}  // namespace
}  // namespace mercer
