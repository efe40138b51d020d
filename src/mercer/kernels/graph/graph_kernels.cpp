#include "mercer/kernels/graph/graph_kernels.h"

#include "mercer/kernels/graph/commute_time.h"
#include "mercer/kernels/graph/diffusion.h"
#include "mercer/kernels/graph/edge_histogram.h"
#include "mercer/kernels/graph/graphlets.h"
#include "mercer/kernels/graph/p_step_walk.h"
#include "mercer/kernels/graph/random_walk.h"
#include "mercer/kernels/graph/regularized_laplacian.h"
#include "mercer/kernels/graph/shortest_path.h"
#include "mercer/kernels/graph/subset_tree.h"
#include "mercer/kernels/graph/subtree.h"
#include "mercer/kernels/graph/vertex_histogram.h"
#include "mercer/kernels/graph/weisfeiler_lehman.h"

namespace mercer {

std::vector<const KernelEntry*> graph_kernels() {
  return {&subset_tree_entry(),   &subtree_entry(),           &vertex_histogram_entry(),        &edge_histogram_entry(),
          &shortest_path_entry(), &weisfeiler_lehman_entry(), &weisfeiler_lehman_edges_entry(), &graphlets_entry(),
          &random_walk_entry(),   &diffusion_entry(),         &regularized_laplacian_entry(),   &p_step_walk_entry(),
          &commute_time_entry()};
}

}  // namespace mercer
