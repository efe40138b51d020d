#include "mercer/kernels/graph/graph_view.h"

#include "mercer/base/error.h"

namespace mercer {

void require_graphs(std::string_view kernel, const Samples& samples) {
  if (samples.kind() != SampleKind::graphs) {
    throw InvalidArgument("kernel " + std::string(kernel) + " compares graphs, but the samples are " +
                          std::string(to_string(samples.kind())) +
                          "; name a column of graphs in brackets, or choose a kernel for these samples");
  }
}

}  // namespace mercer
