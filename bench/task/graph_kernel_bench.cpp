// The Gram matrix of the Weisfeiler-Lehman kernel, and how its features grow with the graphs.
//
//   graph_kernel_bench FOLDER [H]       a folder in the TU layout; h = 5 unless told
//
// Prints one JSON object per line: features and Gram matrix of the set (graph_kernel_grakel_bench.py sets GraKeL's time
// beside it; trace and sum of the matrix are to be equal), then the features of random graphs with 1, 2, 4 and 8 times
// the edges: the time per edge should not rise.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/data/files/tu_graphs.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "timing.h"

namespace mercer::bench {
namespace {

void measure_set(const std::string& folder, const Kernel& kernel, const Run& run) {
  const auto files = find_tu_graphs(folder);
  if (!files) {
    std::fprintf(stderr, "%s: no graphs here\n", folder.c_str());
    std::exit(1);
  }
  const DataFile data = read_tu_graphs(*files, run);
  const Index n = data.samples.size();
  Matrix<double> gram = Matrix<double>::filled(n, n, 0.0);
  double features = 1e300;
  double all = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = seconds_now();
    const PreparedKernel prepared(kernel, data.samples, Precision::double_precision, run);
    features = std::min(features, seconds_now() - begin);
    evaluate_gram(prepared, Triangle::both, gram.view(), run);
    all = std::min(all, seconds_now() - begin);
  }
  double trace = 0;
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    trace += gram(i, i);
    for (Index j = 0; j < n; ++j) {
      sum += gram(i, j);
    }
  }
  std::printf(
      "{\"bench\":\"%s of %s\",\"graphs\":%lld,\"features_s\":%.4g,\"ours_s\":%.4g,\"trace\":%.17g,\"sum\":%.17g}\n",
      kernel.spec().c_str(), folder.c_str(), static_cast<long long>(n), features, all, trace, sum);
}

std::vector<Graph> random_graphs(Index vertices) {
  RandomStream random(1, 0);
  std::vector<Graph> graphs(100);
  for (Graph& graph : graphs) {
    graph.vertices = vertices;
    for (Index v = 0; v < vertices; ++v) {
      graph.vertex_labels.push_back(static_cast<std::int32_t>(random.below(5)));
      for (int edge = 0; edge < 3; ++edge) {
        graph.edges.push_back({static_cast<std::int32_t>(v),
                               static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vertices)))});
      }
    }
  }
  return graphs;
}

void measure_growth(const Kernel& kernel, const Run& run) {
  for (const Index vertices : {500, 1000, 2000, 4000}) {
    const Samples samples = make_graphs(random_graphs(vertices));
    const double seconds =
        best_seconds(5, 1, [&] { const PreparedKernel prepared(kernel, samples, Precision::double_precision, run); });
    const double edges = static_cast<double>(3 * vertices * samples.size());
    std::printf(
        "{\"bench\":\"%s, features of 100 random graphs\",\"edges\":%.0f,\"ours_s\":%.4g,\"ns_per_edge\":%.4g}\n",
        kernel.spec().c_str(), edges, seconds, 1e9 * seconds / edges);
  }
}

}  // namespace
}  // namespace mercer::bench

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: graph_kernel_bench FOLDER [H]\n");
    return 2;
  }
  const mercer::Run run;
  const mercer::Kernel kernel =
      mercer::parse_kernel("weisfeiler_lehman(h=" + std::string(count > 2 ? arguments[2] : "5") + ")");
  mercer::bench::measure_set(arguments[1], kernel, run);
  mercer::bench::measure_growth(kernel, run);
  return 0;
}
