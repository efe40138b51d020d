// leastsquares: least squares in a basis that the user gives, f = Σ_p β_p ψ_p, with no kernel and no penalty: polynomials,
// waves, named columns (expansion/parametric_part.h). Functions that depend on each other, or more functions than rows,
// leave a family of solutions; the one of least norm is taken, and said.
//
//   var f(x) = σ² ‖Vᵀψ(x)‖²,   σ² = Σ w_i e_i² / (Σ w_i − rank)      V as in solvers/linear/basis_least_squares.h
//
// Errors are of Student's distribution with Σ w_i − rank degrees of freedom. The baseline that every kernel machine should
// beat. Reference: Schölkopf & Smola (2002), 3.3.1, (3.15)-(3.17).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/expansion/parametric_part.h"
#include "mercer/models/model.h"

namespace mercer {

class ParametricFunctions;

struct LeastSquaresOptions {
  ParametricPart parametric = ParametricPart::linear;

  /// InvalidArgument for a part without functions.
  void validate() const;
};

std::span<const Option<LeastSquaresOptions>> least_squares_option_table();

class LeastSquaresModel final : public FittedModel {
 public:
  struct Parts {
    LeastSquaresOptions options;
    Matrix<double> coefficients;    ///< functions × outputs
    Matrix<double> spread;          ///< V, functions × rank
    std::vector<double> variances;  ///< σ², per output; 0 where nothing is left to estimate it from
    double degrees_of_freedom = 0;  ///< Σ w_i − rank, or 0

    void fields(Fields& visit);
  };
  LeastSquaresModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  bool has_kernel() const override { return false; }
  bool has_distribution() const override { return true; }
  std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const override;

  /// β drawn around the solution: joint over all samples.
  Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }
  /// DataError where the samples do not have the functions of the fit.
  ParametricFunctions functions_on(const Samples& samples) const;

  Parts parts_;
};

/// 4 n k² flops and two n × k matrices for k functions. DataError for no rows.
std::unique_ptr<LeastSquaresModel> fit_least_squares(const LeastSquaresOptions& options, const TrainingData& data,
                                                     const Run& run = {});

const ModelEntry& least_squares_entry();

}  // namespace mercer
