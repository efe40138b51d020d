// GlmSearch: proximal Newton steps for the elastic net of a generalized linear model on all of the features it is given;
// GlmNet (glm_net.h) decides which these are. Arguments are taken as they are: GlmNet has checked them.
#pragma once

#include <memory>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/glm/glm_net.h"
#include "mercer/solvers/glm/glm_newton.h"

namespace mercer {

class GlmSearch {
 public:
  /// At the offsets alone. Views must outlive it.
  GlmSearch(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept, const Run& run);
  ~GlmSearch();
  GlmSearch(const GlmSearch&) = delete;
  GlmSearch& operator=(const GlmSearch&) = delete;
  GlmSearch(GlmSearch&&) = delete;
  GlmSearch& operator=(GlmSearch&&) = delete;

  double null_loss() const;
  /// θ = w(y − m) of the present point, without its mean where there are offsets: n × C.
  ConstMatrixView<double> dual_point() const;
  /// Φᵀθ of its features.
  const Matrix<double>& products() const;
  /// The dual value of θ, made feasible, for features with these products Φᵀθ.
  double dual_value(const Matrix<double>& products) const;
  void start_at(GlmPoint point);
  GlmNetSolution solve(const ElasticNetPenalty& penalty, const GlmNetOptions& options);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace mercer
