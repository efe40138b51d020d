#include "mercer/solvers/glm/elastic_net.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/glm/net_descent.h"
#include "mercer/solvers/svm/free_columns.h"

namespace mercer {

namespace {

constexpr Index most_added = 10;       // features that a round adds, at least
constexpr double shortest_step = 0.3;  // strong rule: 2λ1 − the last λ1, relative to λ1

}  // namespace

// Everything below is in coordinates where the weights are 1 and the free columns are gone: X (k × n) holds the columns
// of the working set, Y (C × n) the targets.
class ElasticNet::Search {
 public:
  Search(const ElasticNetProblem& problem, const Run& run)
      : problem_(problem),
        run_(run),
        n_(problem.features.rows()),
        outputs_(problem.targets.columns()),
        free_(problem.features, problem.weights, problem.factors, problem.intercept),
        targets_(outputs_, n_),
        place_(static_cast<std::size_t>(problem.features.columns()), -1),
        products_(Matrix<double>::filled(problem.features.columns(), outputs_, 0.0)) {
    for (Index o = 0; o < outputs_; ++o) {
      free_.project_target(problem.targets, o, targets_.view().row(o));
    }
    residual_ = Matrix<double>::copy_of(targets_.view());
    null_loss_ = 0.5 * std::pow(nrm2({targets_.data(), static_cast<std::size_t>(n_ * outputs_)}), 2);
  }

  void measure_largest() {
    update_products();
    for (Index j = 0; j < products_.rows(); ++j) {
      if (factor(j) > 0) {
        largest_l1_ = std::max(largest_l1_, net_norm(products_.view().row(j)) / factor(j));
      }
    }
    last_l1_ = largest_l1_;
  }

  double largest_l1() const { return largest_l1_; }

  void start_at(ConstMatrixView<double> coefficients) {
    if (coefficients.rows() != products_.rows() || coefficients.columns() != outputs_) {
      throw InvalidArgument("elastic net: a start of " + std::to_string(coefficients.rows()) + " by " +
                            std::to_string(coefficients.columns()) + " coefficients for " +
                            std::to_string(products_.rows()) + " features and " + std::to_string(outputs_) +
                            " targets");
    }
    std::vector<Index> list;
    for (Index j = 0; j < coefficients.rows(); ++j) {
      if (factor(j) > 0 && net_norm(coefficients.row(j)) > 0 && place_[j] < 0) {
        list.push_back(j);
      }
    }
    extend(list);
    for (std::size_t a = 0; a < working_.size(); ++a) {
      std::ranges::copy(coefficients.row(working_[a]), values_.view().row(static_cast<Index>(a)).begin());
    }
    last_l1_ = std::numeric_limits<double>::infinity();
  }

  ElasticNetSolution solve(const ElasticNetPenalty& penalty, const ElasticNetOptions& options) {
    penalty_ = penalty;
    ElasticNetSolution result;
    if (null_loss_ > 0) {
      strong_rule();
      search(options, result);
      last_l1_ = penalty.l1;
    } else if (size() > 0) {
      std::fill_n(values_.data(), size() * outputs_, 0.0);
    }
    finish(result);
    return result;
  }

 private:
  Index size() const { return static_cast<Index>(working_.size()); }
  double factor(Index j) const { return problem_.factors.empty() ? 1.0 : problem_.factors[j]; }
  double threshold(Index a) const { return penalty_.l1 * factor(working_[a]); }
  double ridge(Index a) const { return penalty_.l2 * factor(working_[a]); }

  void search(const ElasticNetOptions& options, ElasticNetSolution& result) {
    double inner = std::sqrt(options.tolerance);
    for (;; ++result.iterations) {
      run_.check_stop();
      descend(inner, options, result);
      update_residual();
      update_products();
      objective_ = primal();
      gap_ = std::max(0.0, objective_ - dual());
      if (gap_ <= options.tolerance * null_loss_) {
        return;
      }
      if (result.iterations >= options.max_iterations) {
        result.status = SolveStatus::iteration_limit;
        return;
      }
      if (add_violators() == 0) {
        if (inner < 1e-15) {
          result.status = SolveStatus::stalled;
          return;
        }
        inner *= 1e-2;
      }
    }
  }

  // The features that a step of λ1 of this size may bring in; nothing is known after a long one.
  void strong_rule() {
    const double least = 2 * penalty_.l1 - last_l1_;
    if (least < shortest_step * penalty_.l1) {
      return;
    }
    std::vector<Index> list;
    for (Index j = 0; j < products_.rows(); ++j) {
      const bool near = net_norm(products_.view().row(j)) >= factor(j) * least;
      if (factor(j) > 0 && near && place_[j] < 0) {
        list.push_back(j);
      }
    }
    extend(list);
  }

  Index add_violators() {
    std::vector<std::pair<double, Index>> list;
    for (Index j = 0; j < products_.rows(); ++j) {
      if (factor(j) > 0 && place_[j] < 0) {
        const double excess = net_norm(products_.view().row(j)) / factor(j) - penalty_.l1;
        if (excess > 0) {
          list.emplace_back(-excess, j);
        }
      }
    }
    std::ranges::sort(list);
    list.resize(std::min(list.size(), static_cast<std::size_t>(std::max(most_added, size() / 2))));
    std::vector<Index> chosen;
    for (const auto& [excess, j] : list) {
      chosen.push_back(j);
    }
    extend(chosen);
    return static_cast<Index>(chosen.size());
  }

  // Adds features to the working set: their columns, the products with all others, coefficients 0.
  void extend(const std::vector<Index>& list) {
    if (list.empty()) {
      return;
    }
    const Index before = size();
    const Index after = before + static_cast<Index>(list.size());
    reserve(after);
    for (std::size_t a = 0; a < list.size(); ++a) {
      const Index at = before + static_cast<Index>(a);
      working_.push_back(list[a]);
      place_[list[a]] = at;
      free_.project_column(problem_.features, list[a], columns_.view().row(at));
      std::ranges::fill(values_.view().row(at), 0.0);
    }
    const auto fresh = columns_.view().row_block({before, after});
    parallel_gemm<double>(1.0, fresh, Transpose::no, columns_.view().row_block({0, after}), Transpose::yes, 0.0,
                          gram_.view().block(before, 0, after - before, after), run_);
    parallel_gemm<double>(1.0, fresh, Transpose::no, targets_.view(), Transpose::yes, 0.0,
                          target_products_.view().row_block({before, after}), run_);
    for (Index a = 0; a < before; ++a) {
      for (Index b = before; b < after; ++b) {
        gram_(a, b) = gram_(b, a);
      }
    }
  }

  void reserve(Index count) {
    if (count <= values_.rows()) {
      return;
    }
    const Index room = std::min(products_.rows(), std::max<Index>({count, 2 * values_.rows(), 16}));
    const Index k = size();
    const auto grown = [k](const Matrix<double>& old, Index rows, Index columns) {
      Matrix<double> next(rows, columns);
      for (Index a = 0; a < k; ++a) {
        std::copy_n(old.view().row_data(a), std::min(old.columns(), columns), next.view().row_data(a));
      }
      return next;
    };
    columns_ = grown(columns_, room, n_);
    gram_ = grown(gram_, room, room);
    target_products_ = grown(target_products_, room, outputs_);
    values_ = grown(values_, room, outputs_);
  }

  void update_residual() {
    residual_ = Matrix<double>::copy_of(targets_.view());
    if (size() > 0) {
      parallel_gemm<double>(-1.0, values_.view().row_block({0, size()}), Transpose::yes,
                            columns_.view().row_block({0, size()}), Transpose::no, 1.0, residual_.view(), run_);
    }
  }

  // U = ΦᵀWR of all features: the residual has no part in the free columns, so that Φ needs no projection.
  void update_products() {
    Matrix<double> weighted(n_, outputs_);
    for (Index i = 0; i < n_; ++i) {
      for (Index o = 0; o < outputs_; ++o) {
        weighted(i, o) = free_.root_weight(i) * residual_(o, i);
      }
    }
    parallel_gemm<double>(1.0, problem_.features, Transpose::yes, weighted.view(), Transpose::no, 0.0, products_.view(),
                          run_);
  }

  double primal() const {
    double sum = 0.5 * std::pow(nrm2({residual_.data(), static_cast<std::size_t>(n_ * outputs_)}), 2);
    for (Index a = 0; a < size(); ++a) {
      const double norm = net_norm(values_.view().row(a));
      sum += threshold(a) * norm + 0.5 * ridge(a) * norm * norm;
    }
    return sum;
  }

  // The best of the residual itself (λ2 > 0) and the residual made feasible.
  double dual() const {
    const auto count = static_cast<std::size_t>(n_ * outputs_);
    const double with_targets = dot({targets_.data(), count}, {residual_.data(), count});
    const double square = std::pow(nrm2({residual_.data(), count}), 2);
    double largest = std::numeric_limits<double>::infinity();  // |factor| that makes the residual feasible
    double excess = 0;
    for (Index j = 0; j < products_.rows(); ++j) {
      const double c = factor(j);
      const double norm = net_norm(products_.view().row(j));
      if (c > 0 && norm > 0) {
        largest = std::min(largest, penalty_.l1 * c / norm);
        excess += std::pow(std::max(0.0, norm - penalty_.l1 * c), 2) / c;
      }
    }
    // A residual that points away from the targets (far from the solution) has a negative factor.
    const double scale = square > 0 ? std::clamp(with_targets / square, -largest, largest) : 0.0;
    const double feasible = scale * (with_targets - 0.5 * scale * square);
    if (penalty_.l2 > 0) {
      return std::max(feasible, with_targets - 0.5 * square - excess / (2 * penalty_.l2));
    }
    return feasible;
  }

  // Coordinate descent over the working set until no coordinate moves the fit by more than `inner` of the targets.
  void descend(double inner, const ElasticNetOptions& options, ElasticNetSolution& result) {
    const Index k = size();
    std::vector<double> thresholds;
    std::vector<double> ridges;
    for (Index a = 0; a < k; ++a) {
      thresholds.push_back(threshold(a));
      ridges.push_back(ridge(a));
    }
    NetDescent descent({.gram = gram_.view().block(0, 0, k, k),
                        .target_products = target_products_.view().row_block({0, k}),
                        .thresholds = thresholds,
                        .ridges = ridges,
                        .values = values_.view().row_block({0, k})},
                       run_);
    result.passes += descent.descend(inner * std::sqrt(2 * null_loss_), options.max_passes);
  }

  void finish(ElasticNetSolution& result) {
    result.coefficients = Matrix<double>::filled(products_.rows(), outputs_, 0.0);
    for (Index a = 0; a < size(); ++a) {
      const Index j = working_[a];
      std::ranges::copy(values_.view().row(a), result.coefficients.view().row(j).begin());
      if (net_norm(values_.view().row(a)) > 0) {
        result.active.push_back(j);
      }
    }
    std::ranges::sort(result.active);
    result.objective = objective_;
    result.gap = gap_;
    result.violation = violation();
    result.intercepts.assign(outputs_, 0.0);
    free_.recover(problem_.features, problem_.targets, result.coefficients.view(), result.intercepts);
    for (Index j = 0; j < products_.rows(); ++j) {
      if (factor(j) == 0 && net_norm(result.coefficients.view().row(j)) > 0) {
        result.active.insert(std::ranges::lower_bound(result.active, j), j);
      }
    }
  }

  double violation() const {
    double worst = 0;
    std::vector<double> rest(outputs_);
    for (Index j = 0; j < products_.rows(); ++j) {
      const Index a = place_[j];
      const std::span<const double> product = products_.view().row(j);
      const double norm = a < 0 ? 0.0 : net_norm(values_.view().row(a));
      if (factor(j) == 0) {
        continue;
      }
      if (norm == 0) {
        worst = std::max(worst, net_norm(product) - penalty_.l1 * factor(j));
        continue;
      }
      for (std::size_t o = 0; o < rest.size(); ++o) {
        rest[o] = product[o] - (ridge(a) + threshold(a) / norm) * values_(a, static_cast<Index>(o));
      }
      worst = std::max(worst, net_norm(rest));
    }
    return worst;
  }

  ElasticNetProblem problem_;
  Run run_;
  Index n_;
  Index outputs_;
  FreeColumns free_;
  Matrix<double> targets_;   // Y
  Matrix<double> residual_;  // C × n
  std::vector<Index> working_;
  std::vector<Index> place_;        // of a feature in the working set, −1: not in it
  Matrix<double> columns_;          // X
  Matrix<double> gram_;             // XXᵀ
  Matrix<double> target_products_;  // XYᵀ
  Matrix<double> values_;           // A of the working set
  Matrix<double> products_;         // U of all features
  ElasticNetPenalty penalty_;
  double null_loss_ = 0;
  double largest_l1_ = 0;
  double last_l1_ = 0;
  double objective_ = 0;
  double gap_ = 0;
};

ElasticNet::ElasticNet(const ElasticNetProblem& problem, const Run& run) {
  problem.validate();
  search_ = std::make_unique<Search>(problem, run);
  search_->measure_largest();
}

ElasticNet::ElasticNet(const ElasticNetProblem& problem, ConstMatrixView<double> start, const Run& run)
    : search_(std::make_unique<Search>(problem, run)) {
  search_->start_at(start);
}

ElasticNet::~ElasticNet() = default;

double ElasticNet::largest_l1() const { return search_->largest_l1(); }

void ElasticNet::start_at(ConstMatrixView<double> coefficients) { search_->start_at(coefficients); }

ElasticNetSolution ElasticNet::solve(const ElasticNetPenalty& penalty, const ElasticNetOptions& options) {
  penalty.validate();
  options.validate();
  return search_->solve(penalty, options);
}

ElasticNetSolution elastic_net(const ElasticNetProblem& problem, const ElasticNetPenalty& penalty,
                               const ElasticNetOptions& options, const Run& run) {
  return ElasticNet(problem, run).solve(penalty, options);
}

}  // namespace mercer
