#include "mercer/kernels/graph/random_walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/kernels/graph/graph_view.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/linalg/conjugate_gradient.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

struct WalkStep {
  std::int32_t label;
  std::int32_t from;
  std::int32_t to;
  double weight;
};

// An eigenvalue of the steps, and (1ᵀu)² of its vector u.
struct WalkMode {
  double eigenvalue;
  double share;
};

struct WalkGraph {
  std::vector<std::int32_t> labels;  // of vertices, ascending
  std::vector<WalkStep> steps;       // ascending by label, then by the end, then by the beginning
  bool symmetric = true;
  Index largest_degree = 0;
  std::vector<WalkMode> modes;  // where walks have both directions and labels are all the same
  Index size() const { return static_cast<Index>(labels.size()); }
};

struct WalkSet {
  std::vector<WalkGraph> graphs;
  Index largest_degree = 0;
  GraphLabels trained;  // labels of the training graphs
  Run run;              // its stop token ends the longest of pairs
};

enum class StepWeights { normalized, plain };

bool is_before(const WalkStep& a, const WalkStep& b) {
  return a.label != b.label ? a.label < b.label : a.to != b.to ? a.to < b.to : a.from < b.from;
}

bool has_both_directions(const std::vector<WalkStep>& steps) {
  return std::all_of(steps.begin(), steps.end(), [&](const WalkStep& step) {
    return std::binary_search(steps.begin(), steps.end(), WalkStep{step.label, step.to, step.from, 0}, is_before);
  });
}

// New numbers of the vertices, in the order of their labels.
std::vector<std::int32_t> numbers_by_label(const GraphView& graph) {
  std::vector<std::int32_t> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t u, std::int32_t v) { return graph.vertex_label(u) < graph.vertex_label(v); });
  std::vector<std::int32_t> numbers(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    numbers[order[place]] = static_cast<std::int32_t>(place);
  }
  return numbers;
}

WalkGraph walk_graph(const GraphView& graph, StepWeights weights, bool uses_edge_labels) {
  WalkGraph walks;
  const std::vector<std::int32_t> numbers = numbers_by_label(graph);
  walks.labels.resize(numbers.size());
  std::vector<double> arriving(numbers.size(), 0.0);
  for (Index u = 0; u < graph.vertices(); ++u) {
    walks.labels[numbers[u]] = graph.vertex_label(u);
    for (const std::int32_t v : graph.neighbors(u)) {
      arriving[v] += 1;
    }
  }
  for (Index u = 0; u < graph.vertices(); ++u) {
    const auto neighbors = graph.neighbors(u);
    walks.largest_degree = std::max(walks.largest_degree, graph.degree(u));
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      const auto v = static_cast<std::size_t>(neighbors[k]);
      const double degrees = static_cast<double>(neighbors.size()) * arriving[v];
      walks.steps.push_back({uses_edge_labels ? graph.edge_label(u, static_cast<Index>(k)) : 0, numbers[u], numbers[v],
                             weights == StepWeights::normalized ? 1 / std::sqrt(degrees) : 1.0});
    }
  }
  std::sort(walks.steps.begin(), walks.steps.end(), is_before);
  walks.symmetric = has_both_directions(walks.steps);
  return walks;
}

bool has_one_label(const WalkGraph& graph) {
  return graph.labels.front() == graph.labels.back() &&
         (graph.steps.empty() || graph.steps.front().label == graph.steps.back().label);
}

std::vector<WalkMode> walk_modes(const WalkGraph& graph, const Run& run) {
  const Index n = graph.size();
  Matrix<double> matrix = Matrix<double>::filled(n, n, 0.0);
  for (const WalkStep& step : graph.steps) {
    matrix(step.from, step.to) = step.weight;
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(matrix.view(), run);
  std::vector<double> sums(n, 0.0);
  for (Index v = 0; v < n; ++v) {
    for (Index k = 0; k < n; ++k) {
      sums[k] += eigen.vectors(v, k);
    }
  }
  std::vector<WalkMode> modes;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    modes.push_back({eigen.values[k], sums[k] * sums[k]});
  }
  return modes;
}

// Whether every walk of one graph is a walk of the other as far as labels go.
bool share_their_label(const WalkGraph& x, const WalkGraph& y) {
  return !x.modes.empty() && !y.modes.empty() && x.labels.front() == y.labels.front() &&
         (x.steps.empty() || y.steps.empty() || x.steps.front().label == y.steps.front().label);
}

// W as an operator on vectors over the pairs (u, v) of vertices with equal labels, v running fastest. Vertices are
// numbered by their labels, so that the partners v of a vertex u follow each other.
class ProductWalks {
 public:
  ProductWalks(const WalkGraph& x, const WalkGraph& y) : x_(x), y_(y), half_way_(x.size() * y.size()) {
    partners_.reserve(x.labels.size());
    for (const std::int32_t label : x.labels) {
      const auto [begin, end] = std::equal_range(y.labels.begin(), y.labels.end(), label);
      partners_.push_back({begin - y.labels.begin(), end - y.labels.begin(), pairs_});
      pairs_ += end - begin;
    }
    std::size_t begin_y = 0;
    for (std::size_t begin_x = 0; begin_x < x.steps.size();) {
      const std::int32_t label = x.steps[begin_x].label;
      while (begin_y < y.steps.size() && y.steps[begin_y].label < label) {
        ++begin_y;
      }
      const std::span<const WalkStep> of_x = with_label(x.steps, begin_x, label);
      const std::span<const WalkStep> of_y = with_label(y.steps, begin_y, label);
      if (!of_y.empty()) {
        common_.push_back({of_x, of_y});
      }
      begin_x += of_x.size();
    }
  }

  Index pairs() const { return pairs_; }

  void multiply(const double* in, double* out) {
    std::fill_n(out, pairs_, 0.0);
    for (const CommonLabel& label : common_) {
      add_steps(label, in, out);
    }
  }

 private:
  struct CommonLabel {
    std::span<const WalkStep> of_x;
    std::span<const WalkStep> of_y;
  };
  // The vertices of y with the label of a vertex of x, and the place of the first such pair.
  struct Partners {
    Index begin;
    Index end;
    Index first_pair;
  };

  static std::span<const WalkStep> with_label(const std::vector<WalkStep>& steps, std::size_t begin,
                                              std::int32_t label) {
    std::size_t end = begin;
    while (end < steps.size() && steps[end].label == label) {
      ++end;
    }
    return std::span(steps).subspan(begin, end - begin);
  }

  // Of steps with one label, those that end in these vertices.
  static std::span<const WalkStep> ending_in(std::span<const WalkStep> steps, const Partners& vertices) {
    const auto ends_before = [](const WalkStep& step, Index v) { return step.to < v; };
    const auto begin = std::lower_bound(steps.begin(), steps.end(), vertices.begin, ends_before);
    return {begin, std::lower_bound(begin, steps.end(), vertices.end, ends_before)};
  }

  // out += A_x · in · A_yᵀ with the steps of one label, from the right to the left.
  void add_steps(const CommonLabel& label, const double* in, double* out) {
    const Index n = y_.size();
    std::fill_n(half_way_.data(), x_.size() * n, 0.0);
    for (Index u = 0; u < x_.size(); ++u) {
      const Partners& partners = partners_[u];
      double* const to = half_way_.data() + u * n;
      for (const WalkStep& step : ending_in(label.of_y, partners)) {
        to[step.from] += step.weight * in[partners.first_pair + step.to - partners.begin];
      }
    }
    for (const WalkStep& step : label.of_x) {
      const Partners& partners = partners_[step.from];
      const double* const from = half_way_.data() + step.to * n + partners.begin;
      double* const to = out + partners.first_pair;
      for (Index v = 0; v < partners.end - partners.begin; ++v) {
        to[v] += step.weight * from[v];
      }
    }
  }

  const WalkGraph& x_;
  const WalkGraph& y_;
  Buffer<double> half_way_;
  std::vector<Partners> partners_;  // of the vertices of x
  Index pairs_ = 0;
  std::vector<CommonLabel> common_;
};

constexpr double walk_tolerance = 1e-13;

[[noreturn]] void refuse_slow_sum(double lambda) {
  throw NumericalError("random_walk: the sum over walks did not converge: decay = " + shortest(lambda) +
                       " is too close to the bound above which it has no limit; choose a smaller decay");
}

// Σ_ij (1ᵀu_i)² (1ᵀv_j)² / (1 − λ μ_i ν_j): the eigenvectors of a product of graphs are products of theirs.
double spectral_walk_sum(const WalkGraph& x, const WalkGraph& y, double lambda) {
  double sum = 0;
  for (const WalkMode& u : x.modes) {
    for (const WalkMode& v : y.modes) {
      const double rest = 1 - lambda * u.eigenvalue * v.eigenvalue;
      if (!(rest > 0)) {
        refuse_slow_sum(lambda);
      }
      sum += u.share * v.share / rest;
    }
  }
  return sum;
}

// 1ᵀx with (I − λW) x = 1, W symmetric and λ‖W‖ < 1.
double symmetric_walk_sum(ProductWalks& walks, double lambda, const Run& run) {
  const Index pairs = walks.pairs();
  const std::vector<double> ones(pairs, 1.0);
  std::vector<double> solution = ones;
  const BlockOperator<double> multiply = [&](ConstMatrixView<double> in, MatrixView<double> out) {
    walks.multiply(in.data(), out.data());
    for (Index pair = 0; pair < pairs; ++pair) {
      out.data()[pair] = in.data()[pair] - lambda * out.data()[pair];
    }
  };
  const auto result = conjugate_gradient<double>(multiply, ConstMatrixView<double>(ones.data(), pairs, 1),
                                                 MatrixView<double>(solution.data(), pairs, 1),
                                                 {.tolerance = walk_tolerance, .max_iterations = 10000}, run);
  run.check_stop();
  constexpr double acceptable = 1e-10;  // rounding keeps λ close to its bound from more
  if (!(result.relative_residuals[0] <= acceptable)) {
    refuse_slow_sum(lambda);
  }
  return std::accumulate(solution.begin(), solution.end(), 0.0);
}

double norm_of(StepWeights weights, const std::vector<double>& term) {
  double squares = 0;
  double largest = 0;
  for (const double value : term) {
    squares += value * value;
    largest = std::max(largest, value);
  }
  return weights == StepWeights::normalized ? std::sqrt(squares) : largest;
}

// The same for any W: the series itself, term by term. Terms shrink by `ratio` < 1 at least, normalized ones in
// Euclidean norm and plain ones in their largest entry (the sums of the rows of W are products of degrees), which
// bounds what is left out: the sum of p numbers is at most √p times the first norm and p times the second.
double directed_walk_sum(ProductWalks& walks, double lambda, StepWeights weights, double ratio, const Run& run) {
  std::vector<double> term(walks.pairs(), 1.0);
  std::vector<double> next(term.size());
  const auto pairs = static_cast<double>(walks.pairs());
  const double unit = (weights == StepWeights::normalized ? std::sqrt(pairs) : pairs) * ratio / (1 - ratio);
  double sum = 0;
  constexpr int most_terms = 100000;
  for (int steps = 0; steps < most_terms; ++steps) {
    for (const double value : term) {
      sum += value;
    }
    if (!(unit * norm_of(weights, term) > walk_tolerance * sum)) {
      return sum;
    }
    run.check_stop();
    walks.multiply(term.data(), next.data());
    for (std::size_t pair = 0; pair < term.size(); ++pair) {
      term[pair] = lambda * next[pair];
    }
  }
  refuse_slow_sum(lambda);
}

class RandomWalkNode final : public ObjectNode<WalkSet> {
 public:
  RandomWalkNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        lambda_(this->parameters().number_or("decay", 0.5)),
        weights_(this->parameters().word("walks") == "plain" ? StepWeights::plain : StepWeights::normalized),
        uses_edge_labels_(this->parameters().word("edge_labels") == "use") {
    if (!(lambda_ < 1)) {
      reject_argument("random_walk: decay", lambda_, "below 1, or the sum over walks has no limit");
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  WalkSet encode(const Samples& samples, const WalkSet* reference, const Run& run) const override {
    require_graphs(entry().name, samples);
    const auto& rows = samples.as<GraphRows>();
    WalkSet set{.graphs = std::vector<WalkGraph>(samples.size()),
                .largest_degree = reference != nullptr ? reference->largest_degree : 0,
                .trained = reference != nullptr ? reference->trained : graph_labels(samples),
                .run = run.stop_only()};
    for (Index i = 0; i < samples.size(); ++i) {
      set.graphs[i] = walk_graph(GraphView(rows, i), weights_, uses_edge_labels_);
      set.largest_degree = std::max(set.largest_degree, set.graphs[i].largest_degree);
    }
    require_convergence(set.largest_degree);
    require_same_labels(entry().name, uses_edge_labels_ ? LabelUse::vertices_and_edges : LabelUse::vertices,
                        graph_labels(samples), set.trained);
    parallel_for(run, samples.size(), [&](Index i) {
      WalkGraph& graph = set.graphs[i];
      if (graph.size() > 0 && graph.size() <= most_modes && graph.symmetric && has_one_label(graph)) {
        graph.modes = walk_modes(graph, set.run);
      }
    });
    return set;
  }

  double value(const WalkSet& x, Index i, const WalkSet& y, Index j) const override {
    const WalkGraph& g = x.graphs[i];
    const WalkGraph& h = y.graphs[j];
    if (share_their_label(g, h)) {
      return spectral_walk_sum(g, h, lambda_);
    }
    constexpr Index most_pairs = 4'000'000;  // 220 MB a thread
    if (g.size() > 0 && h.size() > most_pairs / g.size()) {
      throw DataError("random_walk: graphs " + std::to_string(i) + " and " + std::to_string(j) + " have " +
                      std::to_string(g.size()) + " and " + std::to_string(h.size()) +
                      " vertices, too many pairs to walk on; take weisfeiler_lehman, whose cost is linear");
    }
    if (g.size() == 0 || h.size() == 0) {
      return 0;
    }
    ProductWalks walks(g, h);
    if (walks.pairs() == 0) {
      return 0;
    }
    return g.symmetric && h.symmetric ? symmetric_walk_sum(walks, lambda_, x.run)
                                      : directed_walk_sum(walks, lambda_, weights_, ratio(g, h), x.run);
  }

 private:
  static constexpr Index most_modes = 2000;  // vertices of graphs whose eigenvectors are computed

  // How much shorter walks count more than those with one step more.
  double ratio(const WalkGraph& g, const WalkGraph& h) const {
    return weights_ == StepWeights::normalized
               ? lambda_
               : lambda_ * static_cast<double>(g.largest_degree) * static_cast<double>(h.largest_degree);
  }

  void require_convergence(Index largest_degree) const {
    const double bound = 1 / std::pow(static_cast<double>(std::max<Index>(largest_degree, 1)), 2);
    if (weights_ == StepWeights::plain && !(lambda_ < bound)) {
      reject_argument("random_walk: decay", lambda_,
                      "below 1/(largest degree)^2 = " + std::to_string(bound) +
                          " for plain walks on these graphs; walks=normalized takes every decay below 1");
    }
  }

  double lambda_;
  StepWeights weights_;
  bool uses_edge_labels_;
};

}  // namespace

const KernelEntry& random_walk_entry() {
  static const KernelEntry entry{
      .name = "random_walk",
      .formula = "1' (I - decay W)^-1 1; W: steps on pairs of vertices with equal labels, one of each graph",
      .summary = "graphs by their common walks of any length, t steps with weight decay^t",
      .definiteness = "positive definite",
      .input = KernelInput::graphs,
      .parameters = {{.name = "decay",
                      .aliases = {"lambda"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive,
                      .default_text = "0.5",
                      .meaning = "weight of a step; below 1, for plain walks below 1/(largest degree)^2"},
                     {.name = "walks",
                      .role = ParameterRole::word,
                      .default_text = "normalized",
                      .meaning = "weight of a step from u to v: 1/sqrt(degrees of u and v), or 1",
                      .words = {"normalized", "plain"}},
                     {.name = "edge_labels",
                      .role = ParameterRole::word,
                      .default_text = "ignore",
                      .meaning = "whether common walks pass through equal labels of edges as well",
                      .words = {"ignore", "use"}}},
      .make = make_node<RandomWalkNode>,
      .examples = {"random_walk()", "random_walk(decay=0.9, edge_labels=use)", "random_walk(decay=0.03, walks=plain)",
                   "normalize(random_walk())"}};
  return entry;
}

}  // namespace mercer
