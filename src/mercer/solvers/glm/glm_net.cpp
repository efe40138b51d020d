#include "mercer/solvers/glm/glm_net.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/glm/glm_search.h"

namespace mercer {

namespace {

constexpr Index most_net_rounds = 100;
constexpr Index least_features_added = 10;

}  // namespace

// A working set: the features in use, those that the strong rule lets in, those that break the optimality conditions.
// Least squares has a working set of its own, whose products of features last for the whole path: all features then.
class GlmNet::Search {
 public:
  Search(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept, const Run& run)
      : features_(features),
        targets_(targets),
        intercept_(intercept),
        run_(run),
        point_{Matrix<double>::filled(features.columns(), targets.outputs(), 0.0), {}} {
    const bool whole = targets.family == GlmFamily::gaussian;
    search_ = std::make_unique<GlmSearch>(
        whole ? features : ConstMatrixView<double>(columns_.data(), targets.rows(), 0), targets, intercept, run);
    null_loss_ = search_->null_loss();
    point_.intercepts.assign(targets.outputs(), 0.0);
    if (intercept == NetIntercept::fitted) {
      point_.intercepts = glm_null_offsets(targets);
    }
    update_products();
    for (Index j = 0; j < features.columns(); ++j) {
      largest_l1_ = std::max(largest_l1_, nrm2(products_.view().row(j)));
    }
    last_l1_ = largest_l1_;
  }

  double largest_l1() const { return largest_l1_; }
  double null_loss() const { return null_loss_; }

  GlmNetSolution solve(const ElasticNetPenalty& penalty, const GlmNetOptions& options) {
    if (targets_.family == GlmFamily::gaussian) {
      return search_->solve(penalty, options);
    }
    GlmNetSolution result;
    std::vector<Index> working = first_features(penalty.l1);
    for (Index round = 0;; ++round) {
      GlmNetSolution part = solve_on(working, penalty, options);
      result.iterations += part.iterations;
      result.status = part.status;
      result.loss = part.loss;
      result.objective = part.objective;
      update_products();
      result.gap = std::max(0.0, result.objective - search_->dual_value(products_));
      if (result.gap <= options.tolerance * null_loss_) {
        result.status = SolveStatus::converged;
        break;
      }
      if (!add_violators(penalty.l1, working)) {
        break;
      }
      if (round == most_net_rounds) {
        result.status = SolveStatus::iteration_limit;
        break;
      }
    }
    last_l1_ = penalty.l1;
    fill(penalty, result);
    return result;
  }

 private:
  std::vector<Index> first_features(double l1) const {
    // Nothing is known after a long step: then the features that would move from where they are.
    const double least = std::max(2 * l1 - last_l1_, 0.5 * l1);
    std::vector<Index> chosen;
    for (Index j = 0; j < features_.columns(); ++j) {
      if (nrm2(point_.coefficients.view().row(j)) > 0 || nrm2(products_.view().row(j)) >= least) {
        chosen.push_back(j);
      }
    }
    return chosen;
  }

  GlmNetSolution solve_on(const std::vector<Index>& working, const ElasticNetPenalty& penalty,
                          const GlmNetOptions& options) {
    const auto k = static_cast<Index>(working.size());
    columns_ = Matrix<double>(targets_.rows(), k);
    GlmPoint start{Matrix<double>(k, targets_.outputs()), point_.intercepts};
    for (Index a = 0; a < k; ++a) {
      std::ranges::copy(point_.coefficients.view().row(working[a]), start.coefficients.view().row(a).begin());
    }
    for (Index i = 0; i < targets_.rows(); ++i) {
      const std::span<const double> from = features_.row(i);
      const std::span<double> to = columns_.view().row(i);
      for (std::size_t a = 0; a < working.size(); ++a) {
        to[a] = from[working[a]];
      }
    }
    search_ = std::make_unique<GlmSearch>(columns_.view(), targets_, intercept_, run_);
    search_->start_at(std::move(start));
    GlmNetSolution part = search_->solve(penalty, options);
    for (Index a = 0; a < k; ++a) {
      std::ranges::copy(part.coefficients.view().row(a), point_.coefficients.view().row(working[a]).begin());
    }
    point_.intercepts = part.intercepts;
    return part;
  }

  void update_products() {
    products_ = Matrix<double>(features_.columns(), targets_.outputs());
    parallel_gemm<double>(1.0, features_, Transpose::yes, search_->dual_point(), Transpose::no, 0.0, products_.view(),
                          run_);
  }

  bool add_violators(double l1, std::vector<Index>& working) const {
    std::vector<std::pair<double, Index>> list;
    for (Index j = 0; j < features_.columns(); ++j) {
      const double excess = nrm2(products_.view().row(j)) - l1;
      if (excess > 0 && !std::ranges::binary_search(working, j)) {
        list.emplace_back(-excess, j);
      }
    }
    std::ranges::sort(list);
    list.resize(std::min(list.size(), std::max<std::size_t>(least_features_added, working.size())));
    for (const auto& [excess, j] : list) {
      working.push_back(j);
    }
    std::ranges::sort(working);
    return !list.empty();
  }

  void fill(const ElasticNetPenalty& penalty, GlmNetSolution& result) const {
    result.coefficients = Matrix<double>::copy_of(point_.coefficients.view());
    result.intercepts = point_.intercepts;
    std::vector<double> rest(targets_.outputs());
    for (Index j = 0; j < features_.columns(); ++j) {
      const double norm = nrm2(point_.coefficients.view().row(j));
      for (std::size_t c = 0; c < rest.size(); ++c) {
        const double value = point_.coefficients(j, static_cast<Index>(c));
        rest[c] = products_(j, static_cast<Index>(c)) - (norm > 0 ? (penalty.l2 + penalty.l1 / norm) * value : 0.0);
      }
      result.violation = std::max(result.violation, nrm2(rest) - (norm > 0 ? 0.0 : penalty.l1));
      if (norm > 0) {
        result.active.push_back(j);
      }
    }
  }

  ConstMatrixView<double> features_;
  GlmTargets targets_;
  NetIntercept intercept_;
  Run run_;
  GlmPoint point_;
  Matrix<double> columns_;  // of the working set
  std::unique_ptr<GlmSearch> search_;
  Matrix<double> products_;  // Φᵀθ of all features
  double null_loss_ = 0;
  double largest_l1_ = 0;
  double last_l1_ = 0;
};

GlmNet::GlmNet(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept, const Run& run) {
  ElasticNetProblem{.features = features, .targets = targets.values, .weights = targets.weights}.validate();
  targets.validate();
  search_ = std::make_unique<Search>(features, targets, intercept, run);
}

GlmNet::~GlmNet() = default;

double GlmNet::largest_l1() const { return search_->largest_l1(); }

double GlmNet::null_loss() const { return search_->null_loss(); }

GlmNetSolution GlmNet::solve(const ElasticNetPenalty& penalty, const GlmNetOptions& options) {
  penalty.validate();
  if (penalty.l1 == 0) {
    reject_argument("l1", penalty.l1, "positive: without it there is nothing to set to 0");
  }
  return search_->solve(penalty, options);
}

}  // namespace mercer
