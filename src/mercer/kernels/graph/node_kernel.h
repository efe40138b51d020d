// Kernels on the nodes of one graph: K = r(L), a function of the eigenvalues of its Laplacian that decreases, so that
// functions on the nodes are smooth if neighbours have similar values (Smola, Kondor 2003).
//
//   L = D − W (plain) or I − D^-1/2 W D^-1/2 (normalized; nodes without edges have 0 there),  D = degrees
//
// The samples are the rows of the symmetric weight matrix W ≥ 0: row i holds the weights of the edges from node i to
// every node. Loops do not matter. K depends on the whole graph, so training and test nodes must both be in it: the
// reference samples are all nodes, in any order that keeps their row numbers. Other samples are recognised as nodes by
// their row numbers, or by their weights (in single precision) where these are unique. One eigendecomposition, O(n³)
// time and 5 n² numbers.
#pragma once

#include <memory>

#include "mercer/base/once.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

/// The graph of the reference samples and its kernel matrix.
struct NodeGraph {
  const void* origin = nullptr;        // of the reference samples
  std::vector<std::uint64_t> keys;     // of the rows of W, by node
  SymmetricEigen<double> eigen;        // of L
  Index components = 0;                // connected parts = eigenvalues that are 0
  Matrix<double> kernel;               // K, by node
  Run stop;                            // one thread, for what is computed later
  mutable Once once;                   // slopes are made when they are first asked for
  mutable Matrix<double> slopes = {};  // ∂K/∂θ
};

struct GraphNodes {
  std::shared_ptr<const NodeGraph> graph;
  std::vector<Index> nodes;  // of the samples
};

class NodeKernelNode : public ObjectNode<GraphNodes> {
 public:
  using ObjectNode::ObjectNode;

  Definiteness definiteness() const override { return Definiteness::positive(); }
  bool depends_on_reference() const override { return true; }
  bool depends_on_identity() const override { return true; }

 protected:
  /// r(eigenvalue) ≥ 0; `is_zero` for the eigenvalues that are 0 but for rounding.
  virtual double spectral_value(double eigenvalue, bool is_zero) const = 0;
  /// ∂r/∂θ for the one parameter of role `scale`, where there is one.
  virtual double spectral_slope(double /*eigenvalue*/) const { return 0; }
  /// Throws InvalidArgument where the parameters do not suit the spectrum.
  virtual void check_spectrum(std::span<const double> /*eigenvalues, ascending*/, Index /*components*/) const {}

  GraphNodes encode(const Samples& samples, const GraphNodes* reference, const Run& run) const final;
  double value(const GraphNodes& x, Index i, const GraphNodes& y, Index j) const final;
  void add_slopes(const GraphNodes& x, Index i, const GraphNodes& y, Index j, double q,
                  std::span<double> gradient) const final;

 private:
  std::shared_ptr<const NodeGraph> make_graph(const Samples& rows, std::vector<Index>& nodes, const Run& run) const;
};

/// `laplacian`, for the tables of the kernels.
ParameterSpec laplacian_parameter(const std::string& default_word);

}  // namespace mercer
