#include "mercer/select/estimates/svr_leave_one_out.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/prior.h"
#include "mercer/models/target_scaling.h"
#include "mercer/models/training_rows.h"
#include "mercer/select/estimates/mean_field.h"
#include "mercer/select/estimates/semiparametric_mean_field.h"

namespace mercer {

namespace {

[[noreturn]] void reject_other_rows(const std::string& why) {
  throw DataError("this is not what the model was fitted to: " + why +
                  ". Give the training file, with the same rows, targets and weights");
}

// β of every counted row (rows) and output (columns).
Matrix<double> coefficients_by_row(const SvrModel& model, const std::vector<Index>& rows) {
  const ConstMatrixView<double> given = model.expansion().coefficients();
  Matrix<double> beta = Matrix<double>::filled(static_cast<Index>(rows.size()), given.columns(), 0.0);
  for (std::size_t s = 0; s < model.support_rows().size(); ++s) {
    if (model.support_rows()[s] == no_training_row) {
      throw InvalidArgument(
          "the model was compressed: its centres are no training rows; inspect the model before that");
    }
    const auto at = std::ranges::lower_bound(rows, model.support_rows()[s]);
    if (at == rows.end() || *at != model.support_rows()[s]) {
      reject_other_rows("support vector " + std::to_string(model.support_rows()[s]) + " is not there");
    }
    std::copy_n(given.row_data(static_cast<Index>(s)), given.columns(), beta.view().row_data(at - rows.begin()));
  }
  return beta;
}

// Rows within the tube have no coefficient, those outside the largest.
void require_optimal_tube(std::span<const double> beta, std::span<const double> bounds,
                          std::span<const double> residuals, double width, double slip) {
  for (std::size_t i = 0; i < beta.size(); ++i) {
    const double size = std::abs(beta[i]);
    const double out = beta[i] == 0 ? std::abs(residuals[i]) : std::copysign(1.0, beta[i]) * residuals[i];
    const bool too_far = out > width + slip && size < bounds[i] * (1 - 1e-9);
    const bool too_near = beta[i] != 0 && out < width - slip;
    if (too_far || too_near || size > bounds[i] * (1 + 1e-6)) {
      reject_other_rows("the coefficients are not optimal for row " + std::to_string(i));
    }
  }
}

std::vector<double> coefficients_of_output(const Matrix<double>& values, Index column) {
  std::vector<double> result;
  for (Index i = 0; i < values.rows(); ++i) {
    result.push_back(values(i, column));
  }
  return result;
}

}  // namespace

double SvrLeaveOneOut::rmse() const {
  double sum = 0;
  for (Index i = 0; i < residuals.rows() * residuals.columns(); ++i) {
    sum += residuals.data()[i] * residuals.data()[i];
  }
  return std::sqrt(sum / static_cast<double>(residuals.rows() * residuals.columns()));
}

double SvrLeaveOneOut::mae() const {
  double sum = 0;
  for (Index i = 0; i < residuals.rows() * residuals.columns(); ++i) {
    sum += std::abs(residuals.data()[i]);
  }
  return sum / static_cast<double>(residuals.rows() * residuals.columns());
}

SvrLeaveOneOut svr_leave_one_out(const SvrModel& model, const TrainingData& training, const Run& run, Index max_free) {
  const TrainingData data = beyond_offsets(training);
  if (const auto* svr = std::get_if<SvrOptions>(&model.parts().options); svr != nullptr && svr->parametric_l1 > 0) {
    throw InvalidArgument(
        "leave-one-out errors without refitting are known of machines whose functions beside the kernel have no price, "
        "this one has parametric_l1 = " +
        shortest(svr->parametric_l1) + ": score it by folds");
  }
  if (!model.parts().is_usual()) {
    throw InvalidArgument(
        model.name() +
        ": leave-one-out errors without refitting are known of machines with slack beyond one tube of "
        "two sides, and this one has another: score it by folds");
  }
  if (ended_early(model.report().status)) {
    return {.residuals = {},
            .rows = {},
            .why_none = "the estimate is about optimal coefficients, and the solver ended with " +
                        std::string(to_string(model.report().status)) + " before they were: raise max_steps"};
  }
  const RegressionSvmOptions& options = shared_options(model.parts().options);
  const HeldSums held =
      std::holds_alternative<NuSvrOptions>(model.parts().options) ? HeldSums::each_sign : HeldSums::all;
  SvrLeaveOneOut result{.residuals = {}, .rows = weighted_rows(data, model.name().c_str())};
  const Samples samples = counted_samples(data.samples, result.rows);
  const Matrix<double> targets = data.targets.select(result.rows).values();
  const Matrix<double> beta = coefficients_by_row(model, result.rows);
  const Matrix<double> values = model.predict(samples, run);
  if (targets.columns() != beta.columns()) {
    reject_other_rows("it has other targets");
  }
  const std::vector<double> weights = weights_or_ones(data.weights, result.rows);
  const TargetScaling scaling =
      target_scaling(targets.view(), weights, options.standardize ? Standardization::each : Standardization::none);
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(model.kernel(), samples, Precision::double_precision, run));
  const ParametricPart part = model.expansion().parametric_part();
  const ParametricBasis functions(samples, part);
  result.residuals = Matrix<double>(samples.size(), beta.columns());
  for (Index o = 0; o < beta.columns(); ++o) {
    std::vector<double> bounds = weights;
    for (double& bound : bounds) {
      bound *= options.C * scaling.scale(o);  // coefficients are in the units of the target
    }
    std::vector<double> residuals;
    double largest = 0;
    for (Index i = 0; i < samples.size(); ++i) {
      residuals.push_back(targets(i, o) - values(i, o));
      largest = std::max(largest, std::abs(values(i, o)));
    }
    const std::vector<double> own = coefficients_of_output(beta, o);
    const double slip = 10 * options.tolerance * scaling.scale(o) + 1e-4 * (scaling.scale(o) + 1e-2 * largest);
    require_optimal_tube(own, bounds, residuals, model.tube_widths()[o], slip);
    const std::optional<MeanField> field = part.is_constant()
                                               ? mean_field(gram, own, bounds, held, max_free, run)
                                               : mean_field(gram, own, bounds, functions.q(), max_free, run);
    if (!field || std::ranges::any_of(field->changes, [](double change) { return !std::isfinite(change); })) {
      return {.residuals = {},
              .rows = {},
              .why_none =
                  "too few coefficients are between their bounds to take over from a row that is left out (or "
                  "more than " +
                  std::to_string(max_free) + " are)"};
    }
    for (std::size_t s = 0; s < field->rows.size(); ++s) {
      residuals[field->rows[s]] += field->changes[s];
    }
    for (Index i = 0; i < samples.size(); ++i) {
      result.residuals(i, o) = residuals[i];
    }
  }
  return result;
}

}  // namespace mercer
