// GraphFeaturesNode: kernels of explicit features of graphs (histograms, refined colors, paths).
#pragma once

#include "mercer/kernels/graph/graph_view.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

class GraphFeaturesNode : public ExplicitNode {
 public:
  using ExplicitNode::ExplicitNode;

  void check(const Samples& samples) const final { require_graphs(entry().name, samples); }
  /// Refuses graphs without labels beside training graphs with labels, and the reverse.
  void complete(KernelPreparation& preparation) const final {
    ExplicitNode::complete(preparation);
    if (preparation.reference()) {
      require_same_labels(entry().name, label_use(), graph_labels(preparation.target().samples()),
                          graph_labels(preparation.reference()->samples()));
    }
  }

 protected:
  virtual LabelUse label_use() const = 0;
};

}  // namespace mercer
