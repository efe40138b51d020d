#include "mercer/kernels/graph/graph_view.h"

#include "mercer/base/error.h"
#include "mercer/kernels/set/set_samples.h"

namespace mercer {

void require_graphs(std::string_view kernel, const Samples& samples) {
  require_object_kind(kernel, samples, SampleKind::graphs, "graphs");
}

GraphLabels graph_labels(const Samples& samples) {
  const auto& rows = samples.as<GraphRows>();
  GraphLabels labels;
  if (rows.rows == 0 || rows.vertex_offsets[rows.rows] == rows.vertex_offsets[0]) {
    return labels;
  }
  labels.of_vertices = rows.vertex_labels != nullptr;
  if (rows.edge_offsets[rows.vertex_offsets[rows.rows]] > rows.edge_offsets[rows.vertex_offsets[0]]) {
    labels.of_edges = rows.edge_labels != nullptr;
  }
  return labels;
}

namespace {

void require_same(std::string_view kernel, const char* what, std::optional<bool> here, std::optional<bool> trained) {
  if (here && trained && *here != *trained) {
    const std::string labeled = std::string("have labels of ") + what;
    const std::string bare = std::string("have no labels of ") + what;
    throw DataError("kernel " + std::string(kernel) + ": the training graphs " + (*trained ? labeled : bare) +
                    ", these " + (*here ? labeled : bare) + "; give both or none");
  }
}

}  // namespace

void require_same_labels(std::string_view kernel, LabelUse use, const GraphLabels& here, const GraphLabels& trained) {
  if (use != LabelUse::none) {
    require_same(kernel, "vertices", here.of_vertices, trained.of_vertices);
  }
  if (use == LabelUse::vertices_and_edges) {
    require_same(kernel, "edges", here.of_edges, trained.of_edges);
  }
}

}  // namespace mercer
