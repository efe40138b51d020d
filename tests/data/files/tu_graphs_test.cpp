#include "mercer/data/files/tu_graphs.h"

#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// A triangle, an isolated vertex with a loop, a graph without vertices, an edge.
struct SmallSet {
  TemporaryFolder folder;
  std::string path = folder.file("");
  SmallSet() {
    folder.write("S_A.txt", "1, 2\n2, 1\n2,3\n3 1\n4, 4\n6, 5\n");
    folder.write("S_graph_indicator.txt", "1\n1\n1\n2\n4\n4\n");
    folder.write("S_graph_labels.txt", "1\n-1\n1\n-1\n");
    folder.write("S_node_labels.txt", "7\n8\n9\n7\n0\n-3\n");
    folder.write("S_edge_labels.txt", "1\n1\n2\n3\n4\n5\n");
    folder.write("README.txt", "about the set\n");
  }
  std::string error(const std::string& name, const std::string& text) const {
    const std::string before = read_bytes(folder.file(name));
    folder.write(name, text);
    std::string message = message_of<DataError>([&] { read_data(path); });
    folder.write(name, before);
    return message;
  }
};

bool graph_error_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TuGraphs, AFolderOrOneOfItsFiles) {
  const SmallSet set;
  for (const std::string& path : {set.path, set.folder.file("S_A.txt"), set.folder.file("S_node_labels.txt")}) {
    const DataFile file = read_data(path, {.targets = {"anything"}});
    EXPECT_EQ(file.format, FileFormat::graphs);
    const auto& graphs = file.samples.as<GraphRows>();
    ASSERT_EQ(graphs.rows, 4);
    EXPECT_EQ(std::vector<std::int64_t>(graphs.vertex_offsets, graphs.vertex_offsets + 5),
              (std::vector<std::int64_t>{0, 3, 4, 4, 6}));
    EXPECT_EQ(std::vector<std::int64_t>(graphs.edge_offsets, graphs.edge_offsets + 7),
              (std::vector<std::int64_t>{0, 2, 4, 6, 7, 8, 9}));
    EXPECT_EQ(std::vector<std::int32_t>(graphs.neighbors, graphs.neighbors + 9),
              (std::vector<std::int32_t>{1, 2, 0, 2, 0, 1, 0, 1, 0}));
    EXPECT_EQ(std::vector<std::int32_t>(graphs.edge_labels, graphs.edge_labels + 9),
              (std::vector<std::int32_t>{1, 3, 1, 2, 3, 2, 4, 5, 5}));
    EXPECT_EQ(std::vector<std::int32_t>(graphs.vertex_labels, graphs.vertex_labels + 6),
              (std::vector<std::int32_t>{7, 8, 9, 7, 0, -3}));
    EXPECT_EQ(file.targets->columns()[0].values, (std::vector<double>{1, -1, 1, -1}));
    EXPECT_EQ(file.targets->columns()[0].name, "graph_label");
    EXPECT_EQ(file.schema, (Schema{SampleKind::graphs, 0, {}}));
  }
}

TEST(TuGraphs, EveryNumberIsChecked) {
  const SmallSet set;
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1, 2\n\n0, 1\n"), "S_A.txt:3"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1, 7\n"), "S_A.txt:1"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1, 4\n"), "graphs 1 and 2"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1\n"), "2 are expected"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1, 2, 3\n"), "S_A.txt:1"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1, 99999999999999999999\n"), "whole number"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", std::string(100000, '1')), "longer"));
  EXPECT_TRUE(graph_error_has(set.error("S_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n"), "4 edges"));
  EXPECT_TRUE(graph_error_has(set.error("S_graph_indicator.txt", "1\n2\n1\n"), "S_graph_indicator.txt:3"));
  EXPECT_TRUE(graph_error_has(set.error("S_graph_indicator.txt", "0\n"), "from 1"));
  EXPECT_TRUE(graph_error_has(set.error("S_graph_indicator.txt", "1\n1\n1\n2\n4\n9\n"), "only 4 graphs"));
  EXPECT_TRUE(graph_error_has(set.error("S_graph_indicator.txt", ""), "empty"));
  EXPECT_TRUE(graph_error_has(set.error("S_graph_labels.txt", "1\n?\n1\n1\n"), "S_graph_labels.txt:2"));
  EXPECT_TRUE(graph_error_has(set.error("S_node_labels.txt", "1\n2\n"), "2 labels for 6 vertices"));
  EXPECT_TRUE(graph_error_has(set.error("S_node_labels.txt", "1\n2\n3\n4\n5\n6\n7\n"), "S_node_labels.txt:7"));
  EXPECT_TRUE(graph_error_has(set.error("S_node_labels.txt", "1.5\n"), "whole number"));
  EXPECT_TRUE(graph_error_has(set.error("S_edge_labels.txt", "1\n2\n2\n3\n4\n5\n"), "two labels"));
}

TEST(TuGraphs, WhatMayBeAbsentAndWhatNot) {
  const SmallSet set;
  set.folder.write("S_graph_attributes.txt", "0.5\n");
  std::vector<std::string> warnings;
  const mercer::Run run{{.log = [&](LogLevel, std::string_view message) { warnings.emplace_back(message); }}};
  for (const char* name : {"S_node_labels.txt", "S_edge_labels.txt"}) {
    std::filesystem::remove(set.folder.file(name));
  }
  EXPECT_EQ(read_data(set.path, {}, run).samples.as<GraphRows>().vertex_labels, nullptr);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(graph_error_has(warnings[0], "S_graph_attributes.txt"));
  // Without labels the number of graphs follows from the vertices, so that a hostile indicator cannot ask for more.
  std::filesystem::remove(set.folder.file("S_graph_labels.txt"));
  EXPECT_FALSE(read_data(set.path).targets);
  set.folder.write("S_graph_indicator.txt", "1\n1\n1\n2\n4\n2000000000\n");
  EXPECT_ERROR(read_data(set.path), DataError, "graph 2000000000 is named");
  std::filesystem::remove(set.folder.file("S_graph_indicator.txt"));
  EXPECT_TRUE(graph_error_has(message_of<DataError>([&] { read_data(set.path); }), "S_graph_indicator.txt"));
  // A table may be called so, too.
  EXPECT_EQ(read_data(set.folder.write("plant_A.txt", "1,2\n3,4\n")).format, FileFormat::csv);
  EXPECT_ERROR(read_data(set.folder.file("plant_A.txt"), {.format = FileFormat::graphs}), DataError,
               "the file plant_graph_indicator.txt");
  std::filesystem::remove(set.folder.file("plant_A.txt"));
  set.folder.write("T_A.txt", "");
  EXPECT_TRUE(graph_error_has(message_of<DataError>([&] { read_data(set.path); }), "S and T"));
}

TEST(TuGraphs, RealSets) {
  const std::string mutag = real_data("tu-graphs/MUTAG");
  const std::string nci1 = real_data("tu-graphs/NCI1/NCI1_A.txt.gz");
  if (mutag.empty() || nci1.empty()) {
    GTEST_SKIP() << "the real data are absent";
  }
  const DataFile small = read_data(mutag);
  const auto& graphs = small.samples.as<GraphRows>();
  EXPECT_EQ(graphs.rows, 188);
  EXPECT_EQ(graphs.vertex_offsets[188], 3371);
  EXPECT_EQ(graphs.edge_offsets[3371], 7442);
  EXPECT_EQ(small.targets->labels().levels, (std::vector<std::string>{"-1", "1"}));
  const DataFile large = read_data(nci1);
  EXPECT_EQ(large.samples.size(), 4110);
  EXPECT_EQ(large.samples.as<GraphRows>().vertex_offsets[4110], 122747);
}

}  // namespace
}  // namespace mercer
