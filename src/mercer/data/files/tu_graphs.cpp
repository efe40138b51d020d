#include "mercer/data/files/tu_graphs.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/collect_columns.h"
#include "mercer/data/files/line_reader.h"

namespace mercer {

namespace {

constexpr std::size_t longest_tu_line = std::size_t{1} << 16;
constexpr long long largest_number = std::numeric_limits<std::int32_t>::max();

std::vector<std::string_view> numbers_of(std::string_view line) {
  std::vector<std::string_view> numbers;
  while (true) {
    const auto begin = line.find_first_not_of(", \t");
    if (begin == line.npos) {
      return numbers;
    }
    line.remove_prefix(begin);
    const auto end = std::min(line.size(), line.find_first_of(", \t"));
    numbers.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// The lines of one file that are not blank, as whole numbers.
class NumberLines {
 public:
  NumberLines(InputStream& stream, const Run& run) : reader_(stream, longest_tu_line), run_(run) {}

  bool next(std::size_t count) {
    std::string_view line;
    do {
      if (!reader_.next(line)) {
        return false;
      }
    } while (trim(line).empty());
    if (reader_.line() % 65536 == 0) {
      run_.check_stop();
      run_.progress("reading " + reader_.name(), static_cast<double>(reader_.line()), 0);
    }
    const std::vector<std::string_view> fields = numbers_of(line);
    if (fields.size() != count) {
      fail(std::to_string(fields.size()) + " numbers where " + std::to_string(count) +
           (count == 1 ? " is expected" : " are expected"));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = parse_integer(fields[i]);
      if (!value || *value > largest_number || *value < -largest_number) {
        fail("'" + std::string(fields[i].substr(0, 40)) + "' is not a whole number of at most 2147483647");
      }
      values_[i] = static_cast<std::int32_t>(*value);
    }
    return true;
  }
  std::int32_t value(std::size_t i = 0) const { return values_[i]; }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError({reader_.name(), reader_.line()}, message);
  }

 private:
  LineReader reader_;
  const Run& run_;
  std::array<std::int32_t, 2> values_{};
};

std::vector<std::int32_t> read_label_lines(InputStream& stream, std::size_t expected, const char* what,
                                           const Run& run) {
  std::vector<std::int32_t> labels;
  NumberLines lines(stream, run);
  while (lines.next(1)) {
    if (labels.size() == expected) {
      lines.fail("there are more labels than " + std::to_string(expected) + " " + what);
    }
    labels.push_back(lines.value());
  }
  if (labels.size() != expected) {
    throw DataError({stream.name()},
                    std::to_string(labels.size()) + " labels for " + std::to_string(expected) + " " + what);
  }
  return labels;
}

// The graph of every vertex, from 0.
std::vector<std::int32_t> read_indicator(InputStream& stream, const Run& run) {
  std::vector<std::int32_t> graph_of;
  NumberLines lines(stream, run);
  while (lines.next(1)) {
    const std::int32_t graph = lines.value();
    if (graph < 1 || (!graph_of.empty() && graph < graph_of.back() + 1)) {
      lines.fail("graph " + std::to_string(graph) + " follows graph " +
                 std::to_string(graph_of.empty() ? 0 : graph_of.back() + 1) +
                 "; graphs are numbered from 1 and vertices stand in their order");
    }
    graph_of.push_back(graph - 1);
    if (static_cast<long long>(graph_of.size()) >= largest_number) {
      lines.fail("there are more than 2147483646 vertices");
    }
  }
  if (graph_of.empty()) {
    throw DataError({stream.name()}, "the file is empty; there are no vertices");
  }
  return graph_of;
}

// Labels of graphs may be words: they are treated as a column of a table.
FieldColumn read_graph_labels(InputStream& stream) {
  FieldColumn column("graph_label", std::nullopt, FieldColumn::Spelling::kept);
  LineReader reader(stream, longest_tu_line);
  LinePlaces places(stream.name());
  for (std::string_view line; reader.next(line);) {
    if (!trim(line).empty()) {
      places.set_line(reader.line());
      column.add(line, places, 0);
    }
  }
  if (column.is_numeric() ? column.has_missing() : !column.missing_words().empty()) {
    throw DataError(column.is_numeric() ? column.first_missing() : column.first_missing_word(),
                    "the label of a graph is missing");
  }
  return column;
}

// Without labels every graph must have a vertex, so that their number follows from what is there.
Index count_graphs(const std::vector<std::int32_t>& graph_of, const FieldColumn* labels, const std::string& file) {
  const Index largest = Index{graph_of.back()} + 1;
  if (labels == nullptr && largest > static_cast<Index>(graph_of.size())) {
    throw DataError({file}, "graph " + std::to_string(largest) + " is named, but there are only " +
                                std::to_string(graph_of.size()) + " vertices and no labels of graphs");
  }
  if (labels != nullptr && largest > labels->size()) {
    throw DataError({file}, "graph " + std::to_string(largest) + " is named, but only " +
                                std::to_string(labels->size()) + " graphs have labels");
  }
  return labels == nullptr ? largest : labels->size();
}

struct GraphSet {
  std::vector<Graph> graphs;
  std::vector<std::int32_t> graph_of;
  std::vector<Index> first_vertex;  // of each graph
};

GraphSet without_edges(std::vector<std::int32_t> graph_of, Index graphs) {
  GraphSet set{std::vector<Graph>(graphs), std::move(graph_of), std::vector<Index>(graphs)};
  for (const std::int32_t graph : set.graph_of) {
    ++set.graphs[graph].vertices;
  }
  for (std::size_t g = 1; g < set.graphs.size(); ++g) {
    set.first_vertex[g] = set.first_vertex[g - 1] + set.graphs[g - 1].vertices;
  }
  return set;
}

// Returns the graph of every edge, in the order of the file.
std::vector<std::int32_t> read_edges(InputStream& stream, GraphSet& set, const Run& run) {
  std::vector<std::int32_t> graph_of_edge;
  NumberLines lines(stream, run);
  const auto vertices = static_cast<long long>(set.graph_of.size());
  while (lines.next(2)) {
    const std::int32_t a = lines.value(0);
    const std::int32_t b = lines.value(1);
    for (const std::int32_t v : {a, b}) {
      if (v < 1 || v > vertices) {
        lines.fail("vertex " + std::to_string(v) + " is not in 1 … " + std::to_string(vertices));
      }
    }
    const std::int32_t graph = set.graph_of[a - 1];
    if (set.graph_of[b - 1] != graph) {
      lines.fail("the edge joins vertices of the graphs " + std::to_string(graph + 1) + " and " +
                 std::to_string(set.graph_of[b - 1] + 1));
    }
    const auto g = static_cast<std::size_t>(graph);
    const auto local = [&](std::int32_t v) { return static_cast<std::int32_t>(v - 1 - set.first_vertex[g]); };
    set.graphs[g].edges.push_back({local(a), local(b)});
    graph_of_edge.push_back(graph);
  }
  return graph_of_edge;
}

// Finds "DS" and the part of the set in ".../DS_graph_labels.txt.gz".
struct TuName {
  std::string prefix;
  std::string part;
};
std::optional<TuName> tu_name(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (const char* compressed : {".gz", ".bz2", ".xz"}) {
    if (name.ends_with(compressed)) {
      name.erase(name.size() - std::string_view(compressed).size());
      break;
    }
  }
  for (const char* part : {"_A", "_graph_indicator", "_graph_labels", "_node_labels", "_edge_labels",
                           "_graph_attributes", "_node_attributes", "_edge_attributes"}) {
    const std::string ending = part + std::string(".txt");
    if (name.size() > ending.size() && name.ends_with(ending)) {
      return TuName{name.substr(0, name.size() - ending.size()), part};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<TuGraphFiles> find_tu_graphs(const std::string& path, MissingIndicator missing) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const bool is_folder = fs::is_directory(path, failure);
  const std::optional<TuName> wanted = is_folder ? std::nullopt : tu_name(path);
  if (!is_folder && !wanted) {
    return std::nullopt;
  }
  const fs::path parent = fs::path(path).parent_path();
  const fs::path folder = is_folder ? fs::path(path) : parent.empty() ? fs::path(".") : parent;
  TuGraphFiles files;
  std::string prefix = wanted ? wanted->prefix : "";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const auto name = tu_name(entry.path());
    if (!name || (wanted && name->prefix != wanted->prefix)) {
      continue;
    }
    if (name->part == "_A" && is_folder) {
      if (!files.edges.empty() && name->prefix != prefix) {
        throw DataError({path}, "the folder holds several graph sets: " + std::min(prefix, name->prefix) + " and " +
                                    std::max(prefix, name->prefix) + "; name a file of the one that is meant");
      }
      prefix = name->prefix;
    }
    if (name->part == "_A") {
      files.edges = entry.path().string();
    }
  }
  if (files.edges.empty()) {
    return std::nullopt;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const auto name = tu_name(entry.path());
    if (!name || name->prefix != prefix) {
      continue;
    }
    std::string* const slot = name->part == "_graph_indicator" ? &files.indicator
                              : name->part == "_graph_labels"  ? &files.graph_labels
                              : name->part == "_node_labels"   ? &files.vertex_labels
                              : name->part == "_edge_labels"   ? &files.edge_labels
                                                               : nullptr;
    if (slot != nullptr) {
      *slot = entry.path().string();
    } else if (name->part != "_A") {
      files.ignored.push_back(entry.path().filename().string());
    }
  }
  std::sort(files.ignored.begin(), files.ignored.end());
  if (files.indicator.empty() && missing == MissingIndicator::is_no_set) {
    return std::nullopt;
  }
  if (files.indicator.empty()) {
    throw DataError({files.edges}, "the file " + prefix +
                                       "_graph_indicator.txt, which says which vertex belongs to "
                                       "which graph, is not beside it");
  }
  return files;
}

DataFile read_tu_graphs(const TuGraphFiles& files, const Run& run) {
  for (const std::string& name : files.ignored) {
    run.warn(name + " is left out: graphs have labels, not attributes");
  }
  std::vector<std::unique_ptr<InputStream>> open;
  const auto opened = [&](const std::string& path) -> InputStream* {
    if (path.empty()) {
      return nullptr;
    }
    open.push_back(std::make_unique<InputStream>(path));
    return open.back().get();
  };
  TuGraphStreams streams;
  streams.edges = opened(files.edges);
  streams.indicator = opened(files.indicator);
  streams.graph_labels = opened(files.graph_labels);
  streams.vertex_labels = opened(files.vertex_labels);
  streams.edge_labels = opened(files.edge_labels);
  return read_tu_graphs(streams, run);
}

DataFile read_tu_graphs(const TuGraphStreams& streams, const Run& run) {
  std::optional<FieldColumn> labels;
  if (streams.graph_labels != nullptr) {
    labels = read_graph_labels(*streams.graph_labels);
  }
  std::vector<std::int32_t> graph_of = read_indicator(*streams.indicator, run);
  const Index graphs = count_graphs(graph_of, labels ? &*labels : nullptr, streams.indicator->name());
  GraphSet set = without_edges(std::move(graph_of), graphs);
  const std::vector<std::int32_t> graph_of_edge = read_edges(*streams.edges, set, run);
  if (streams.vertex_labels != nullptr) {
    const auto found = read_label_lines(*streams.vertex_labels, set.graph_of.size(), "vertices", run);
    for (std::size_t v = 0; v < found.size(); ++v) {
      set.graphs[set.graph_of[v]].vertex_labels.push_back(found[v]);
    }
  }
  if (streams.edge_labels != nullptr) {
    const auto found = read_label_lines(*streams.edge_labels, graph_of_edge.size(), "edges", run);
    for (std::size_t e = 0; e < found.size(); ++e) {
      set.graphs[graph_of_edge[e]].edge_labels.push_back(found[e]);
    }
  }
  DataFile file;
  try {
    file.samples = make_graphs(set.graphs, EdgeDirection::undirected);
  } catch (const InvalidArgument& error) {
    // Graphs are numbered from 0 there: an edge and its reverse have two labels.
    throw DataError({streams.edges->name()}, std::string(error.what()) + " (graphs and vertices numbered from 0)");
  }
  if (labels) {
    file.targets = Targets({make_target(*labels)});
  }
  file.schema = schema_of(file.samples);
  file.format = FileFormat::graphs;
  return file;
}

}  // namespace mercer
