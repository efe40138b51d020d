#include "mercer/solvers/falkon/falkon_logistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/conjugate_gradient.h"

namespace mercer {

namespace {

double logistic_function(double value) {
  const double small = std::exp(-std::abs(value));
  return value >= 0 ? 1 / (1 + small) : small / (1 + small);
}

}  // namespace

void logistic_probabilities(std::span<const double> values, std::span<double> probabilities) {
  if (values.size() == 1) {
    probabilities[1] = logistic_function(values[0]);
    probabilities[0] = logistic_function(-values[0]);
    return;
  }
  const double largest = *std::max_element(values.begin(), values.end());
  double total = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    probabilities[c] = std::exp(values[c] - largest);
    total += probabilities[c];
  }
  for (double& p : probabilities) {
    p /= total;
  }
}

namespace {

// What the rows contribute, as functions of the values u (n × outputs).
class LogisticLosses {
 public:
  LogisticLosses(std::span<const std::int32_t> classes, Index class_count, std::span<const double> weights)
      : classes_(classes), outputs_(class_count == 2 ? 1 : class_count), weights_(weights) {}

  Index outputs() const { return outputs_; }

  double sum(ConstMatrixView<double> u, const Run& run) const {
    constexpr Index block = 4096;
    return sum_in_order(run, block_count(u.rows(), block), [&](Index b) {
      const IndexRange rows = block_range(u.rows(), block, b);
      double total = 0;
      for (Index i = rows.begin; i < rows.end; ++i) {
        total += weight(i) * loss(u.row(i), i);
      }
      return total;
    });
  }

  // values (those of row i) become minus the gradient.
  void to_negative_gradient(Index i, std::span<double> values) const {
    if (outputs_ == 1) {
      values[0] = weight(i) * (classes_[at(i)] - logistic_function(values[0]));
      return;
    }
    std::vector<double> p(values.size());
    logistic_probabilities(values, p);
    for (std::size_t c = 0; c < values.size(); ++c) {
      values[c] = weight(i) * ((static_cast<std::int32_t>(c) == classes_[at(i)] ? 1.0 : 0.0) - p[c]);
    }
  }

  // values (a direction) are multiplied by the Hessian at u.
  void multiply_hessian(Index i, std::span<const double> u, std::span<double> values) const {
    if (outputs_ == 1) {
      values[0] *= weight(i) * logistic_function(u[0]) * logistic_function(-u[0]);
      return;
    }
    std::vector<double> p(u.size());
    logistic_probabilities(u, p);
    const double mean = std::inner_product(p.begin(), p.end(), values.begin(), 0.0);
    for (std::size_t c = 0; c < p.size(); ++c) {
      values[c] = weight(i) * p[c] * (values[c] - mean);
    }
  }

  // The mean diagonal entry of the Hessian: one weight for all outputs.
  double curvature(Index i, std::span<const double> u) const {
    if (outputs_ == 1) {
      return weight(i) * logistic_function(u[0]) * logistic_function(-u[0]);
    }
    std::vector<double> p(u.size());
    logistic_probabilities(u, p);
    double total = 0;
    for (const double q : p) {
      total += q * (1 - q);
    }
    return weight(i) * total / static_cast<double>(p.size());
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double weight(Index i) const { return weights_[at(i)]; }

  double loss(std::span<const double> u, Index i) const {
    const std::int32_t t = classes_[at(i)];
    if (outputs_ == 1) {
      const double margin = t == 1 ? u[0] : -u[0];
      return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    }
    const double largest = *std::max_element(u.begin(), u.end());
    double total = 0;
    for (const double value : u) {
      total += std::exp(value - largest);
    }
    return std::log(total) + largest - u[t];
  }

  std::span<const std::int32_t> classes_;
  Index outputs_;
  std::span<const double> weights_;
};

class FalkonNewton {
 public:
  FalkonNewton(const FalkonRows& rows, FalkonFactor& factor, const FalkonSample& sample, const LogisticLosses& losses,
               const FalkonOptions& options, FalkonLogisticSolution& solution, const Run& run)
      : rows_(rows),
        factor_(factor),
        sample_(sample),
        losses_(losses),
        options_(options),
        solution_(solution),
        run_(run),
        quiet_(run.quiet()),
        c_(Matrix<double>::filled(factor.size(), losses.outputs(), 0.0)),
        u_(Matrix<double>::filled(rows.rows(), losses.outputs(), 0.0)),
        next_u_(rows.rows(), losses.outputs()) {}

  const Matrix<double>& coordinates() const { return c_; }

  // Newton steps with one penalty: at most `steps`, or until the decrement is small. False: it cannot go on.
  bool descend(double lambda, Index steps, double tolerance, Precision precision) {
    lambda_ = lambda;
    Matrix<double> gradient = gradient_at_values(precision);
    double objective = losses_.sum(u_.view(), quiet_) + penalty(c_);
    for (Index step = 0; step < steps; ++step) {
      if (step < 3) {
        reweight();
      }
      auto right = Matrix<double>::copy_of(std::as_const(gradient).view());
      factor_.precondition_transposed(right.view(), quiet_);
      Matrix<double> d = direction(right);
      const double slope = product(right, d);
      const double decrement = 0.5 * slope / std::max(objective, std::numeric_limits<double>::min());
      ++solution_.newton_steps;
      solution_.history.push_back({lambda, objective, decrement});
      solution_.objective = objective;
      solution_.decrement = decrement;
      if (!(slope > 0) && product(right, right) > 0) {
        // The direction is rounding: nothing is known of what is left.
        solution_.status = SolveStatus::stalled;
        return false;
      }
      if (!(slope > 0) || decrement <= tolerance) {
        return true;
      }
      if (solution_.iterations >= options_.max_iterations) {
        solution_.status = SolveStatus::iteration_limit;
        return false;
      }
      factor_.precondition(d.view(), quiet_);
      if (!move(d, slope, objective, gradient, precision)) {
        solution_.status = SolveStatus::stalled;
        return false;
      }
    }
    return true;
  }

 private:
  static double product(const Matrix<double>& a, const Matrix<double>& b) {
    double sum = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      sum += dot(a.view().row(i), b.view().row(i));
    }
    return sum;
  }

  double penalty(const Matrix<double>& c) const {
    double sum = 0;
    for (Index i = 0; i < rows_.landmarks(); ++i) {
      sum += dot(c.view().row(i), c.view().row(i));
    }
    return 0.5 * lambda_ * sum;
  }

  void reweight() {
    std::vector<double> weights(rows_.rows(), 0.0);
    double largest = 0;
    for (const Index row : sample_.rows) {
      double& weight = weights[row];
      weight = losses_.curvature(row, std::as_const(u_).view().row(row));
      largest = std::max(largest, weight);
    }
    // Rows that are certain have no curvature; a little of it keeps the factor of use for the next steps.
    for (const Index row : sample_.rows) {
      double& weight = weights[row];
      weight = std::max(weight, 1e-3 * largest);
    }
    build_factor(factor_, rows_, sample_, weights, lambda_, quiet_);
  }

  // T⁻ᵀKᵀf − λc: minus the gradient in coordinates.
  Matrix<double> finish_gradient(Matrix<double> sums) const {
    factor_.to_coordinates_transposed(sums.view(), quiet_);
    for (Index i = 0; i < rows_.landmarks(); ++i) {
      axpy(-lambda_, c_.view().row(i), sums.view().row(i));
    }
    return sums;
  }

  // From the values u_, whatever they came from.
  Matrix<double> gradient_at_values(Precision precision) {
    Matrix<double> sums(c_.rows(), c_.columns());
    const Matrix<double> none = Matrix<double>::filled(c_.rows(), c_.columns(), 0.0);
    const auto map = [this](IndexRange part, MatrixView<double> values) {
      for (Index i = 0; i < part.size(); ++i) {
        std::copy_n(u_.view().row_data(part.begin + i), values.columns(), values.row_data(i));
        losses_.to_negative_gradient(part.begin + i, values.row(i));
      }
    };
    rows_.multiply(none.view(), map, sums.view(), precision, quiet_);
    ++solution_.passes;
    return finish_gradient(std::move(sums));
  }

  // The Newton direction to a tenth of the residual, in the coordinates of the preconditioner. The outputs of several
  // classes are one vector: the Hessian couples them.
  Matrix<double> direction(const Matrix<double>& right) {
    const Index size = right.rows() * right.columns();
    const auto shaped = [&](auto view) { return MatrixView(view.data(), right.rows(), right.columns()); };
    const Precision products = options_.precision == FalkonPrecision::double_precision ? Precision::double_precision
                                                                                       : Precision::single_precision;
    const auto map = [this](IndexRange part, MatrixView<double> values) {
      for (Index i = 0; i < part.size(); ++i) {
        losses_.multiply_hessian(part.begin + i, std::as_const(u_).view().row(part.begin + i), values.row(i));
      }
    };
    const auto multiply = [&](ConstMatrixView<double> x, MatrixView<double> y) {
      auto a = Matrix<double>::copy_of(shaped(x));
      factor_.precondition(a.view(), quiet_);
      const auto c = Matrix<double>::copy_of(std::as_const(a).view());
      factor_.to_coefficients(a.view(), quiet_);
      const MatrixView<double> out = shaped(y);
      rows_.multiply(a.view(), map, out, products, quiet_);
      ++solution_.passes;
      factor_.to_coordinates_transposed(out, quiet_);
      for (Index i = 0; i < rows_.landmarks(); ++i) {
        axpy(lambda_, c.view().row(i), out.row(i));
      }
      factor_.precondition_transposed(out, quiet_);
    };
    ConjugateGradientOptions iteration;
    iteration.tolerance = 0.1;
    iteration.max_iterations =
        static_cast<int>(std::clamp<Index>(options_.max_iterations - solution_.iterations, 1, 50));
    iteration.refresh_every = std::numeric_limits<int>::max();
    Matrix<double> d = Matrix<double>::filled(right.rows(), right.columns(), 0.0);
    const ConjugateGradientResult result =
        conjugate_gradient<double>(multiply, ConstMatrixView<double>(right.data(), size, 1),
                                   MatrixView<double>(d.data(), size, 1), iteration, run_);
    solution_.iterations += result.iterations;
    run_.check_stop();
    return d;
  }

  // c + t d with the largest t of 1, ½, ¼, … that lowers F by enough; brings values, objective and gradient along.
  bool move(const Matrix<double>& d, double slope, double& objective, Matrix<double>& gradient, Precision precision) {
    auto c = Matrix<double>::copy_of(std::as_const(c_).view());
    for (Index i = 0; i < c.rows(); ++i) {
      axpy(1.0, d.view().row(i), c.view().row(i));
    }
    auto a = Matrix<double>::copy_of(std::as_const(c).view());
    factor_.to_coefficients(a.view(), quiet_);
    Matrix<double> sums(c.rows(), c.columns());
    const auto map = [this](IndexRange part, MatrixView<double> values) {
      for (Index i = 0; i < part.size(); ++i) {
        std::copy_n(values.row_data(i), values.columns(), next_u_.view().row_data(part.begin + i));
        losses_.to_negative_gradient(part.begin + i, values.row(i));
      }
    };
    rows_.multiply(a.view(), map, sums.view(), precision, quiet_);
    ++solution_.passes;
    double t = 1;
    double value = losses_.sum(next_u_.view(), quiet_) + penalty(c);
    while (!(value <= objective - 1e-4 * t * slope)) {
      t /= 2;
      if (t < 1e-6) {
        return false;
      }
      for (Index i = 0; i < c.rows(); ++i) {
        axpy(-t, d.view().row(i), c.view().row(i));
      }
      for (Index i = 0; i < u_.rows(); ++i) {
        for (Index o = 0; o < u_.columns(); ++o) {
          next_u_(i, o) = 0.5 * (u_(i, o) + next_u_(i, o));
        }
      }
      value = losses_.sum(next_u_.view(), quiet_) + penalty(c);
    }
    objective = value;
    std::swap(u_, next_u_);
    std::swap(c_, c);
    gradient = t == 1 ? finish_gradient(std::move(sums)) : gradient_at_values(precision);
    return true;
  }

  const FalkonRows& rows_;
  FalkonFactor& factor_;
  const FalkonSample& sample_;
  const LogisticLosses& losses_;
  const FalkonOptions& options_;
  FalkonLogisticSolution& solution_;
  const Run& run_;
  Run quiet_;
  Matrix<double> c_;
  Matrix<double> u_;
  Matrix<double> next_u_;
  double lambda_ = 0;
};

}  // namespace

FalkonLogisticSolution solve_falkon_logistic(const FalkonRows& rows, FalkonFactor& factor, const FalkonSample& sample,
                                             std::span<const std::int32_t> classes, Index class_count,
                                             std::span<const double> weights, const FalkonOptions& options,
                                             const Run& run) {
  options.validate();
  FalkonLogisticSolution solution;
  const LogisticLosses losses(classes, class_count, weights);
  FalkonNewton newton(rows, factor, sample, losses, options, solution, run);
  const bool single = options.precision == FalkonPrecision::single_precision;
  const Precision path = options.precision == FalkonPrecision::double_precision ? Precision::double_precision
                                                                                : Precision::single_precision;
  // With a penalty of this size the functions hardly leave 0, where Newton's method is at its best.
  const double gentle = 1e-2 * std::accumulate(weights.begin(), weights.end(), 0.0) * factor.largest_kernel_value();
  const int stages = std::clamp(static_cast<int>(std::floor(std::log10(gentle / options.lambda))), 0, 10);
  try {
    bool further = true;
    for (int stage = stages; stage > 0 && further; --stage) {
      run.progress("logistic path", static_cast<double>(stages - stage), static_cast<double>(stages + 1));
      further = newton.descend(options.lambda * std::pow(10.0, stage), 2, 1e-3, path);
    }
    run.progress("logistic path", static_cast<double>(stages), static_cast<double>(stages + 1));
    if (further || solution.status == SolveStatus::stalled) {
      solution.status = SolveStatus::converged;
      newton.descend(options.lambda, 100, options.tolerance, single ? path : Precision::double_precision);
      if (solution.status == SolveStatus::converged && solution.decrement > options.tolerance) {
        solution.status = SolveStatus::iteration_limit;
      }
    }
  } catch (const Stopped&) {
    solution.status = SolveStatus::stopped;
  }
  run.progress("logistic path", static_cast<double>(stages + 1), static_cast<double>(stages + 1));
  auto c = Matrix<double>::copy_of(newton.coordinates().view());
  factor.to_coefficients(c.view(), Run{{.threads = run.threads()}});  // also after a stop
  const Index m = rows.landmarks();
  solution.coefficients = Matrix<double>::copy_of(std::as_const(c).view().row_block({0, m}));
  solution.offsets.assign(c.columns(), 0.0);
  if (rows.offset() == FalkonOffset::constant) {
    std::copy_n(c.view().row_data(m), c.columns(), solution.offsets.data());
  }
  return solution;
}

}  // namespace mercer
