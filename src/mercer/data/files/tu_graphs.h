// Graph sets in the layout of the TU collection: a folder of text files that share a prefix,
//
//   DS_A.txt                 an edge per line, "i, j", vertices numbered from 1 over all graphs
//   DS_graph_indicator.txt   line i: the graph of vertex i, from 1, ascending
//   DS_graph_labels.txt      line g: the class of graph g                      (optional: the targets)
//   DS_node_labels.txt       line i: the label of vertex i                     (optional)
//   DS_edge_labels.txt       line e: the label of edge e                       (optional)
//
// each plain or compressed. Graphs are undirected; an edge may be listed once or in both directions. Attributes, which
// are numbers, are left out with a warning.
// C. Morris et al., TUDataset: a collection of benchmark datasets for learning with graphs, 2020.
#pragma once

#include <array>
#include <string>

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Paths of the files; an empty one is absent.
struct TuGraphFiles {
  std::string edges;
  std::string indicator;
  std::string graph_labels;
  std::string vertex_labels;
  std::string edge_labels;
  std::vector<std::string> ignored;  ///< attributes
};

/// Edges without a file that says which vertex belongs to which graph: an error where a graph set is asked for; other
/// tables may be called plant_A.txt, too.
enum class MissingIndicator { is_error, is_no_set };

/// The files of the only set in a folder, or of the set that a file belongs to; empty where there is none. DataError
/// where a folder holds several sets, and where the indicator is missing and must not be.
std::optional<TuGraphFiles> find_tu_graphs(const std::string& path,
                                           MissingIndicator missing = MissingIndicator::is_error);

/// The same files as open streams; null: absent.
struct TuGraphStreams {
  InputStream* edges = nullptr;
  InputStream* indicator = nullptr;
  InputStream* graph_labels = nullptr;
  InputStream* vertex_labels = nullptr;
  InputStream* edge_labels = nullptr;
};

/// Samples are graphs, the target is named graph_label. Every number is checked: DataError with file and line. Memory and
/// time follow the number of lines.
DataFile read_tu_graphs(const TuGraphFiles& files, const Run& run);
DataFile read_tu_graphs(const TuGraphStreams& streams, const Run& run);

}  // namespace mercer
