#include "mercer/solvers/falkon/falkon.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/conjugate_gradient.h"
#include "mercer/linalg/pivoted_cholesky.h"

namespace mercer {

void FalkonOptions::validate() const {
  if (!(lambda > 0) || !std::isfinite(lambda)) {
    reject_argument("lambda", lambda, "finite and positive");
  }
  if (!(tolerance > 0) || !(tolerance < 1)) {
    reject_argument("tolerance", tolerance, "between 0 and 1");
  }
  if (max_iterations < 1) {
    reject_argument("max_iterations", static_cast<double>(max_iterations), "1 or more");
  }
}

namespace {

constexpr std::size_t patience = 40;  // iterations in single precision without a smaller residual
constexpr std::uint64_t landmark_stream = 0x66616c6b6f6e;

std::vector<double> column_lengths(ConstMatrixView<double> a) {
  std::vector<double> lengths(a.columns(), 0.0);
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index o = 0; o < a.columns(); ++o) {
      lengths[o] += a(i, o) * a(i, o);
    }
  }
  for (double& length : lengths) {
    length = std::sqrt(length);
  }
  return lengths;
}

// The system in the coordinates of the factor.
class FalkonLeastSquares {
 public:
  FalkonLeastSquares(const FalkonRows& rows, const FalkonFactor& factor, ConstMatrixView<double> targets,
                     std::span<const double> weights, const FalkonOptions& options)
      : rows_(rows), factor_(factor), targets_(targets), weights_(weights), options_(options) {}

  Index passes() const { return passes_; }

  /// L⁻¹(T⁻ᵀKᵀW K T⁻¹ + λ1) L⁻ᵀ β.
  void multiply(ConstMatrixView<double> beta, MatrixView<double> out, Precision precision, const Run& run) {
    auto c = Matrix<double>::copy_of(beta);
    factor_.precondition(c.view(), run);
    normal_product(
        c.view(), [this](IndexRange part, MatrixView<double> values) { weigh(part, values); }, 1.0, out, precision,
        run);
  }

  /// L⁻¹ of the gradient at coordinates c, with its sign turned: KᵀW(y − Kc) − λc.
  Matrix<double> residual(ConstMatrixView<double> c, Precision precision, const Run& run) {
    Matrix<double> out(c.rows(), c.columns());
    const auto subtract = [this](IndexRange part, MatrixView<double> values) {
      for (Index i = 0; i < part.size(); ++i) {
        for (Index o = 0; o < values.columns(); ++o) {
          values(i, o) = targets_(part.begin + i, o) - values(i, o);
        }
      }
      weigh(part, values);
    };
    normal_product(c, subtract, -1.0, out.view(), precision, run);
    return out;
  }

 private:
  void weigh(IndexRange part, MatrixView<double> values) const {
    for (Index i = 0; i < part.size(); ++i) {
      scale(weights_[part.begin + i], values.row(i));
    }
  }

  // out = L⁻¹(T⁻ᵀ Kᵀ f(K T⁻¹c) + sign λ c), the constant without penalty.
  void normal_product(ConstMatrixView<double> c, const RowMap& map, double sign, MatrixView<double> out,
                      Precision precision, const Run& run) {
    auto a = Matrix<double>::copy_of(c);
    factor_.to_coefficients(a.view(), run);
    rows_.multiply(a.view(), map, out, precision, run);
    ++passes_;
    factor_.to_coordinates_transposed(out, run);
    for (Index i = 0; i < rows_.landmarks(); ++i) {
      axpy(sign * options_.lambda, c.row(i), out.row(i));
    }
    factor_.precondition_transposed(out, run);
  }

  const FalkonRows& rows_;
  const FalkonFactor& factor_;
  ConstMatrixView<double> targets_;
  std::span<const double> weights_;
  const FalkonOptions& options_;
  Index passes_ = 0;
};

// Corrections are solved for by conjugate gradients until the true residual is small.
class FalkonRefinement {
 public:
  FalkonRefinement(FalkonLeastSquares& system, const FalkonFactor& factor, const FalkonOptions& options,
                   FalkonSolution& solution, const Run& run)
      : system_(system), factor_(factor), options_(options), solution_(solution), run_(run), quiet_(run.quiet()) {}

  /// The coordinates c of the solution.
  Matrix<double> solve(Index outputs) {
    Matrix<double> c = Matrix<double>::filled(factor_.size(), outputs, 0.0);
    Matrix<double> r = system_.residual(c.view(), checking(), quiet_);
    const std::vector<double> right = column_lengths(r.view());
    std::vector<double> relative(right.size());
    const auto judge = [&](const Matrix<double>& residual) {
      const std::vector<double> lengths = column_lengths(residual.view());
      double worst = 0;
      for (std::size_t o = 0; o < right.size(); ++o) {
        if (!std::isfinite(lengths[o])) {
          throw NumericalError("a residual is not finite: kernel values or targets overflow");
        }
        relative[o] = right[o] > 0 ? lengths[o] / right[o] : 0.0;
        worst = std::max(worst, relative[o]);
      }
      return worst;
    };
    solution_.residual = judge(r);
    Precision products = options_.precision == FalkonPrecision::double_precision ? Precision::double_precision
                                                                                 : Precision::single_precision;
    solution_.status = SolveStatus::converged;
    while (solution_.residual > options_.tolerance) {
      if (solution_.iterations >= options_.max_iterations) {
        solution_.status = SolveStatus::iteration_limit;
        break;
      }
      const auto earlier = Matrix<double>::copy_of(std::as_const(c).view());
      const SolveStatus inner = correct(r, relative, products, c);
      if (inner == SolveStatus::stopped) {
        solution_.status = inner;
        break;
      }
      const double before = solution_.residual;
      Matrix<double> next;
      try {
        next = system_.residual(c.view(), checking(), quiet_);
      } catch (const Stopped&) {
        solution_.status = SolveStatus::stopped;
        break;
      }
      solution_.residual = judge(next);
      solution_.checked.push_back(solution_.residual);
      if (solution_.residual < before) {
        r = std::move(next);
      } else {
        c = Matrix<double>::copy_of(earlier.view());
        solution_.residual = judge(r);
      }
      if (solution_.residual > options_.tolerance && !(solution_.residual < 0.3 * before)) {
        if (products == Precision::double_precision || options_.precision != FalkonPrecision::mixed) {
          solution_.status = inner == SolveStatus::converged ? SolveStatus::stalled : inner;
          break;
        }
        products = Precision::double_precision;
      }
    }
    return c;
  }

 private:
  Precision checking() const {
    return options_.precision == FalkonPrecision::single_precision ? Precision::single_precision
                                                                   : Precision::double_precision;
  }

  // c += L⁻ᵀ d with (the system) d = r, to as much accuracy as this round can have.
  SolveStatus correct(const Matrix<double>& r, const std::vector<double>& relative, Precision products,
                      Matrix<double>& c) {
    // Columns of length 1, so that none leaves the range of floats and the residuals compare.
    const std::vector<double> lengths = column_lengths(r.view());
    Matrix<double> b(r.rows(), r.columns());
    for (Index i = 0; i < r.rows(); ++i) {
      for (Index o = 0; o < r.columns(); ++o) {
        const auto at = static_cast<std::size_t>(o);
        b(i, o) = relative[at] > options_.tolerance ? r(i, o) / lengths[at] : 0.0;
      }
    }
    const double worst = solution_.residual;
    ConjugateGradientOptions iteration;
    iteration.tolerance =
        std::max(0.3 * options_.tolerance / worst,
                 products == Precision::single_precision && checking() == Precision::double_precision ? 1e-5 : 0.0);
    iteration.max_iterations = static_cast<int>(
        std::min<Index>(options_.max_iterations - solution_.iterations, std::numeric_limits<int>::max()));
    Matrix<double> d = Matrix<double>::filled(r.rows(), r.columns(), 0.0);
    const std::size_t begin = solution_.history.size();
    double best = std::numeric_limits<double>::infinity();
    std::size_t best_at = begin;
    bool gave_up = false;
    const auto record = [&](ConstMatrixView<double> rest, MatrixView<double> copy) {
      const std::vector<double> sizes = column_lengths(rest);
      const double largest = worst * *std::max_element(sizes.begin(), sizes.end());
      solution_.history.push_back(largest);
      if (largest < best) {
        best = largest;
        best_at = solution_.history.size();
      }
      // Products whose rounding is larger than what is left lead nowhere: time for the true residual.
      gave_up = products == Precision::single_precision &&
                (largest > 10 * best || solution_.history.size() > best_at + patience);
      if (gave_up) {
        throw Stopped();  // ends the iteration with what it has
      }
      const double total = std::log(1 / options_.tolerance);
      run_.progress("conjugate gradients, residual", std::clamp(-std::log(largest), 0.0, total), total);
      for (Index i = 0; i < rest.rows(); ++i) {
        std::copy_n(rest.row_data(i), rest.columns(), copy.row_data(i));
      }
    };
    const ConjugateGradientResult result = conjugate_gradient<double>(
        [&](ConstMatrixView<double> x, MatrixView<double> y) { system_.multiply(x, y, products, quiet_); }, b.view(),
        d.view(), iteration, run_, record);
    // The first entry of a round is the residual that it began with.
    if (begin > 0 && solution_.history.size() > begin) {
      solution_.history.erase(solution_.history.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    solution_.iterations += result.iterations;
    solution_.double_iterations += products == Precision::double_precision ? result.iterations : 0;
    for (Index i = 0; i < d.rows(); ++i) {
      for (Index o = 0; o < d.columns(); ++o) {
        d(i, o) *= lengths[o];
      }
    }
    factor_.precondition(d.view(), Run{{.threads = run_.threads()}});  // also after a stop
    for (Index i = 0; i < d.rows(); ++i) {
      axpy(1.0, d.view().row(i), c.view().row(i));
    }
    return gave_up ? SolveStatus::stalled : result.status;
  }

  FalkonLeastSquares& system_;
  const FalkonFactor& factor_;
  const FalkonOptions& options_;
  FalkonSolution& solution_;
  const Run& run_;
  Run quiet_;
};

}  // namespace

void build_factor(FalkonFactor& factor, const FalkonRows& rows, const FalkonSample& sample,
                  std::span<const double> weights, double lambda, const Run& run) {
  std::vector<double> scaled;
  const double share = static_cast<double>(rows.rows()) / static_cast<double>(sample.rows.size());
  for (const Index row : sample.rows) {
    scaled.push_back(share * weights[row]);
  }
  if (sample.kind == FalkonSample::Kind::landmarks) {
    factor.build_from_landmarks(scaled, lambda, run);
  } else {
    factor.build_from_rows(rows, sample.rows, scaled, lambda, run);
  }
}

FalkonSolution solve_falkon(const FalkonRows& rows, FalkonFactor& factor, const FalkonSample& sample,
                            ConstMatrixView<double> targets, std::span<const double> weights,
                            const FalkonOptions& options, const Run& run) {
  options.validate();
  build_factor(factor, rows, sample, weights, options.lambda, run);
  FalkonSolution solution;
  FalkonLeastSquares system(rows, factor, targets, weights, options);
  Matrix<double> c = FalkonRefinement(system, factor, options, solution, run).solve(targets.columns());
  solution.passes = system.passes();
  const Index m = rows.landmarks();
  for (Index i = 0; i < m; ++i) {
    solution.norm_squared += dot(std::as_const(c).view().row(i), std::as_const(c).view().row(i));
  }
  factor.to_coefficients(c.view(), Run{{.threads = run.threads()}});  // also after a stop
  solution.coefficients = Matrix<double>::copy_of(std::as_const(c).view().row_block({0, m}));
  solution.offsets.assign(targets.columns(), 0.0);
  if (rows.offset() == FalkonOffset::constant) {
    std::copy_n(c.view().row_data(m), targets.columns(), solution.offsets.data());
  }
  return solution;
}

std::vector<Index> uniform_landmarks(Index rows, Index count, const Run& run) {
  RandomStream random(run.seed(), landmark_stream);
  std::vector<Index> list = sample_without_replacement(random, rows, std::min(rows, count));
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<Index> pivoted_landmarks(const Kernel& kernel, const Samples& samples, Index count, double memory_bytes,
                                     const Run& run) {
  const double per_row = static_cast<double>(count) * sizeof(float);
  const auto affordable = static_cast<Index>(std::min(memory_bytes / per_row, 1e15));
  const Index candidates = std::min(samples.size(), std::max(affordable, std::min(samples.size(), 2 * count)));
  RandomStream random(run.seed(), landmark_stream + 1);
  std::vector<Index> pool = sample_without_replacement(random, samples.size(), candidates);
  std::sort(pool.begin(), pool.end());
  const bool all = candidates == samples.size();
  const Samples drawn = all ? samples : samples.select(pool);
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, drawn, Precision::single_precision, run);
  const KernelGram<float> gram(prepared);
  std::vector<double> diagonal(candidates);
  gram.diagonal(diagonal);
  std::vector<float> rounded(diagonal.begin(), diagonal.end());
  const auto columns = [&](std::span<const Index> pivots, MatrixView<float> out) {
    Matrix<float> block(static_cast<Index>(pivots.size()), candidates);
    gram.rows(pivots, block.view(), run.quiet());
    for (Index p = 0; p < block.rows(); ++p) {
      for (Index i = 0; i < candidates; ++i) {
        out(i, p) = block(p, i);
      }
    }
  };
  const auto square = [&](std::span<const Index> pivots, MatrixView<float> out) {
    gram.gather(pivots, pivots, out, run.quiet());
  };
  PivotedCholeskyOptions pivoting;
  pivoting.max_rank = std::min(count, candidates);
  const PivotedCholesky<float> result =
      pivoted_cholesky<float>(rounded, {.columns = columns, .square = square}, pivoting, run);
  std::vector<Index> landmarks;
  for (const Index pivot : result.pivots) {
    landmarks.push_back(pool[pivot]);
  }
  if (landmarks.empty()) {
    landmarks.push_back(pool.front());  // all kernel values are 0: any row will do
  }
  std::sort(landmarks.begin(), landmarks.end());
  return landmarks;
}

std::vector<Index> sketch_sample(Index rows, Index landmarks, const Run& run) {
  RandomStream random(run.seed(), landmark_stream + 2);
  return sample_without_replacement(random, rows, std::min(rows, 2 * landmarks));
}

}  // namespace mercer
