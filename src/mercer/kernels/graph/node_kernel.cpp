#include "mercer/kernels/graph/node_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mercer/kernels/feature_key.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr Index most_graph_nodes = 10000;

std::string told(Index number) { return std::to_string(number); }

// The column of row i is its row number: samples keep it when they are selected.
std::vector<Index> reference_nodes(const std::string& kernel, const Samples& rows) {
  const Index n = rows.columns();
  std::vector<Index> nodes;
  std::vector<char> met(n, 0);
  for (Index i = 0; i < rows.size(); ++i) {
    const Index node = rows.row_id(i);
    if (node >= n || met[node] != 0) {
      break;
    }
    met[node] = 1;
    nodes.push_back(node);
  }
  if (rows.size() > 0 && (rows.size() != n || static_cast<Index>(nodes.size()) != n)) {
    throw DataError("kernel " + kernel + ": the samples are " + told(rows.size()) + " rows of " + told(n) +
                    " weights, but values depend on the whole graph: give the square weight matrix of all nodes. To "
                    "train on some of them, compute the kernel matrix first (mercer gram) and use precomputed()");
  }
  if (n > most_graph_nodes) {
    throw InvalidArgument("kernel " + kernel + ": " + told(n) + " nodes; at most " + told(most_graph_nodes) +
                          ", as all eigenvectors of the graph are computed");
  }
  return nodes;
}

// W by node, without loops.
Matrix<double> checked_weights(const std::string& kernel, const DenseRows<double>& rows,
                               const std::vector<Index>& nodes) {
  const Index n = rows.rows;
  Matrix<double> weights(n, n);
  for (Index i = 0; i < n; ++i) {
    const Index node = nodes[i];
    for (Index j = 0; j < n; ++j) {
      const double weight = rows(i, j);
      if (!(weight >= 0) || !std::isfinite(weight)) {
        throw DataError("kernel " + kernel + ": row " + told(i) + " column " + told(j) + " holds " +
                        std::to_string(weight) + "; weights of edges are finite and not negative");
      }
      weights(node, j) = node == j ? 0.0 : weight;
    }
  }
  // Models keep their centers in single precision, which can round two nearly equal weights apart.
  constexpr double tolerance = 2e-7;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(weights(i, j) - weights(j, i)) > tolerance * std::max(weights(i, j), weights(j, i))) {
        throw DataError("kernel " + kernel + ": the weight matrix is not symmetric: entry (" + told(i) + ", " +
                        told(j) + ") is " + std::to_string(weights(i, j)) + " and entry (" + told(j) + ", " + told(i) +
                        ") is " + std::to_string(weights(j, i)));
      }
    }
  }
  return weights;
}

Index component_count(const Matrix<double>& weights) {
  const Index n = weights.rows();
  std::vector<char> reached(n, 0);
  std::vector<Index> waiting;
  Index components = 0;
  for (Index root = 0; root < n; ++root) {
    if (reached[root] != 0) {
      continue;
    }
    ++components;
    reached[root] = 1;
    waiting.push_back(root);
    while (!waiting.empty()) {
      const Index u = waiting.back();
      waiting.pop_back();
      for (Index v = 0; v < n; ++v) {
        if (weights(u, v) > 0 && reached[v] == 0) {
          reached[v] = 1;
          waiting.push_back(v);
        }
      }
    }
  }
  return components;
}

enum class LaplacianKind { plain, normalized };

// In place of W.
void make_laplacian(Matrix<double>& weights, LaplacianKind kind) {
  const Index n = weights.rows();
  std::vector<double> degrees(n, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      degrees[i] += weights(i, j);
    }
  }
  for (Index i = 0; i < n; ++i) {
    const double own = degrees[i];
    for (Index j = 0; j < n; ++j) {
      // Two roots, because the product of two degrees can leave the range of double.
      const double unit = kind == LaplacianKind::plain ? 1.0 : std::sqrt(own) * std::sqrt(degrees[j]);
      weights(i, j) = weights(i, j) > 0 ? -weights(i, j) / unit : 0.0;
    }
    weights(i, i) = kind == LaplacianKind::plain ? own : own > 0 ? 1.0 : 0.0;
  }
}

// In single precision: a model may have kept the weights of its graph no better.
std::uint64_t row_key(const DenseRows<double>& rows, Index i) {
  std::uint64_t key = 0;
  for (Index j = 0; j < rows.columns; ++j) {
    key = joined_key(key, std::bit_cast<std::uint32_t>(static_cast<float>(rows(i, j)) + 0.0F));  // -0 is 0
  }
  return key;
}

// V diag(factors) V'.
Matrix<double> spectral_product(const SymmetricEigen<double>& eigen, const std::vector<double>& factors,
                                const Run& run) {
  const Index n = eigen.vectors.rows();
  Matrix<double> scaled = Matrix<double>::copy_of(eigen.vectors.view());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      scaled(i, j) *= factors[j];
    }
  }
  Matrix<double> product(n, n);
  parallel_gemm<double>(1.0, scaled.view(), Transpose::no, eigen.vectors.view(), Transpose::yes, 0.0, product.view(),
                        run);
  mirror_lower(product.view(), run);
  return product;
}

std::vector<Index> numbered_nodes(const Samples& samples) {
  std::vector<Index> nodes;
  for (Index i = 0; i < samples.size(); ++i) {
    nodes.push_back(samples.row_id(i));
  }
  return nodes;
}

// Whether every row looks like the node of its own number: rows of the graph's own file, or a part of it.
bool stand_in_order(const NodeGraph& graph, const Samples& samples, const std::vector<std::uint64_t>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto node = static_cast<std::size_t>(samples.row_id(static_cast<Index>(i)));
    if (node >= graph.keys.size() || graph.keys[node] != keys[i]) {
      return false;
    }
  }
  return true;
}

// Which nodes samples of another origin are: by their numbers, which tell nodes with the same neighbours apart, where
// these fit throughout; else by their weights.
std::vector<Index> recognized_nodes(const std::string& kernel, const NodeGraph& graph, const Samples& samples) {
  const Samples dense = to_dense<double>(samples);
  const auto& rows = dense.as<DenseRows<double>>();
  std::vector<std::uint64_t> keys;
  for (Index i = 0; i < rows.rows; ++i) {
    keys.push_back(row_key(rows, i));
  }
  if (stand_in_order(graph, samples, keys)) {
    return numbered_nodes(samples);
  }
  std::vector<std::pair<std::uint64_t, Index>> known;
  for (std::size_t node = 0; node < graph.keys.size(); ++node) {
    known.emplace_back(graph.keys[node], static_cast<Index>(node));
  }
  std::sort(known.begin(), known.end());
  std::vector<Index> nodes;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto first = std::lower_bound(known.begin(), known.end(), std::pair(keys[i], Index{0}));
    if (first == known.end() || first->first != keys[i]) {
      throw DataError("kernel " + kernel + ": row " + std::to_string(i) +
                      " is no node of the training graph; values depend on the whole graph, so new nodes need a new "
                      "fit with the weight matrix of all");
    }
    const auto second = first + 1;
    if (second != known.end() && second->first == keys[i]) {
      throw DataError("kernel " + kernel + ": row " + std::to_string(i) + " can be node " + told(first->second) +
                      " or node " + told(second->second) +
                      ", which have the same neighbours; give the whole weight matrix, in its order");
    }
    nodes.push_back(first->second);
  }
  return nodes;
}

}  // namespace

std::shared_ptr<const NodeGraph> NodeKernelNode::make_graph(const Samples& samples, std::vector<Index>& nodes,
                                                            const Run& run) const {
  nodes = reference_nodes(entry().name, samples);
  const Samples dense = to_dense<double>(samples);  // after the check of its size
  const auto& rows = dense.as<DenseRows<double>>();
  auto graph = std::make_shared<NodeGraph>();
  graph->origin = samples.origin();
  graph->stop = run.stop_only();
  graph->keys.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    graph->keys[nodes[i]] = row_key(rows, static_cast<Index>(i));
  }
  Matrix<double> weights = checked_weights(entry().name, rows, nodes);
  graph->components = component_count(weights);
  make_laplacian(weights, parameters().word("laplacian") == "plain" ? LaplacianKind::plain : LaplacianKind::normalized);
  if (nodes.empty()) {
    return graph;
  }
  graph->eigen = symmetric_eigen(weights.view(), run);
  check_spectrum(graph->eigen.values, graph->components);
  std::vector<double> factors;
  for (std::size_t j = 0; j < graph->eigen.values.size(); ++j) {
    const bool is_zero = static_cast<Index>(j) < graph->components;
    factors.push_back(spectral_value(is_zero ? 0.0 : std::max(graph->eigen.values[j], 0.0), is_zero));
  }
  graph->kernel = spectral_product(graph->eigen, factors, run);
  return graph;
}

GraphNodes NodeKernelNode::encode(const Samples& samples, const GraphNodes* reference, const Run& run) const {
  if (!samples.is_numeric()) {
    throw InvalidArgument("kernel " + entry().name + " compares the nodes of one graph, given as rows of its weight " +
                          "matrix, but the samples are " + std::string(to_string(samples.kind())) +
                          "; for whole graphs take weisfeiler_lehman, say");
  }
  GraphNodes result;
  if (reference == nullptr) {
    result.graph = make_graph(samples, result.nodes, run);
    return result;
  }
  result.graph = reference->graph;
  const auto n = static_cast<Index>(result.graph->keys.size());
  if (samples.size() > 0 && samples.columns() != n) {
    throw DataError("kernel " + entry().name + ": rows hold " + told(samples.columns()) +
                    " weights, but the graph has " + told(n) + " nodes");
  }
  result.nodes = samples.origin() == result.graph->origin ? numbered_nodes(samples)
                                                          : recognized_nodes(entry().name, *result.graph, samples);
  return result;
}

double NodeKernelNode::value(const GraphNodes& x, Index i, const GraphNodes& y, Index j) const {
  return x.graph->kernel(x.nodes[i], y.nodes[j]);
}

void NodeKernelNode::add_slopes(const GraphNodes& x, Index i, const GraphNodes& y, Index j, double q,
                                std::span<double> gradient) const {
  const NodeGraph& graph = *x.graph;
  graph.once([&] {
    std::vector<double> factors;
    for (std::size_t k = 0; k < graph.eigen.values.size(); ++k) {
      factors.push_back(
          spectral_slope(static_cast<Index>(k) < graph.components ? 0.0 : std::max(graph.eigen.values[k], 0.0)));
    }
    // Inside a tile: other threads fill theirs, so this one works alone.
    graph.slopes = spectral_product(graph.eigen, factors, graph.stop);
  });
  gradient[0] += q * graph.slopes(x.nodes[i], y.nodes[j]);
}

ParameterSpec laplacian_parameter(const std::string& default_word) {
  return {.name = "laplacian",
          .role = ParameterRole::word,
          .default_text = default_word,
          .meaning = "D - W, or I - D^-1/2 W D^-1/2, which evens out nodes of large degree",
          .words = {"plain", "normalized"}};
}

}  // namespace mercer
