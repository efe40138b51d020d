#include "mercer/models/laplacian_process/lapr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/special_functions.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

namespace {

constexpr std::uint64_t process_draw_stream = 0x6c6171;
constexpr Index process_block = 1024;

// β(x): kernel values at the centres and a 1, block by block of samples.
template <class Consume>
void for_process_rows(const Expansion& expansion, const Samples& samples, const Run& run, Consume consume) {
  const auto prepared = std::make_shared<const PreparedKernel>(expansion.kernel(), expansion.centers(),
                                                               Precision::double_precision, run.quiet());
  const Index k = expansion.centers().size();
  for (Index b = 0; b < block_count(samples.size(), process_block); ++b) {
    run.check_stop();
    const IndexRange range = block_range(samples.size(), process_block, b);
    Matrix<double> values(range.size(), k + 1);
    CrossGram<double>(prepared, samples.slice(range), run.quiet())
        .evaluate(values.view().block(0, 0, range.size(), k), run.quiet());
    for (Index i = 0; i < range.size(); ++i) {
      values(i, k) = 1;
    }
    consume(range, values.view());
  }
}

}  // namespace

void LaprOptions::validate() const {
  check_options<LaprOptions>("lapr", lapr_option_table(), *this);
  if (epsilon && likelihood != ProcessLoss::insensitive) {
    throw InvalidArgument("lapr: epsilon belongs to likelihood=insensitive, not to likelihood=" +
                          std::string(word_of(likelihood)));
  }
  if (nu && likelihood != ProcessLoss::insensitive) {
    throw InvalidArgument("lapr: nu belongs to likelihood=insensitive, not to likelihood=" +
                          std::string(word_of(likelihood)));
  }
  if (nu && epsilon) {
    throw InvalidArgument("lapr: nu finds the tube that epsilon gives: set one of them");
  }
  if (concavity > 0 && prior != ProcessPrior::concave) {
    throw InvalidArgument("lapr: concavity belongs to prior=concave, not to prior=" + std::string(word_of(prior)));
  }
}

std::span<const Option<LaprOptions>> lapr_option_table() {
  static const std::array<Option<LaprOptions>, 12> table{{
      {"likelihood",
       &LaprOptions::likelihood,
       "of the noise: gaussian (squared errors, with intervals), laplacian (absolute errors) or insensitive (absolute "
       "errors beyond epsilon)",
       {ProcessLoss::gaussian, ProcessLoss::laplacian, ProcessLoss::insensitive}},
      {"lambda", &LaprOptions::lambda,
       "rate of the prior exp(-lambda |a|), per unit of y; if it is not given, noise * lambda is chosen by "
       "cross-validation",
       Constraint::positive},
      {"noise", &LaprOptions::noise,
       "variance of the noise, in squared units of y (laplacian, insensitive: 2b^2, where errors are divided by b); 0: "
       "estimated from the residuals",
       Constraint::nonnegative},
      {"epsilon", &LaprOptions::epsilon,
       "errors up to this cost nothing with likelihood=insensitive, in units of y; a tenth of the standard deviation "
       "if "
       "it is not given",
       Constraint::nonnegative},
      {"nu", &LaprOptions::nu,
       "with likelihood=insensitive: at most this fraction of rows lie outside the tube; its width follows, in place "
       "of "
       "epsilon",
       Limits::above_to(0, 1)},
      {"prior", &LaprOptions::prior,
       "laplacian: lambda |a|; concave: lambda (1 - exp(-p |a|))/p, which takes still fewer kernel functions and "
       "shrinks large coefficients less (a local minimum)"},
      {"concavity", &LaprOptions::concavity,
       "p of prior=concave; 0: 5 over the largest coefficient under the laplacian prior", Constraint::nonnegative},
      {"intercept", &LaprOptions::intercept, "add a constant that is not penalised"},
      {"folds", &LaprOptions::folds, "of the cross-validation", Limits::from(2)},
      {"select_rows", &LaprOptions::select_rows, "rows, drawn at random, that cross-validation looks at; 0: all",
       Constraint::nonnegative},
      {"basis", &LaprOptions::basis,
       "number of kernel functions, of rows drawn at random; 0: of all rows, or as many as the memory allows",
       Constraint::nonnegative},
      {"memory_mb", &LaprOptions::memory_mb, "what matrices may take; 0: the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

void LaprModel::Parts::fields(Fields& visit) {
  const Index outputs = visit.outputs();
  visit.expansion(expansion, {.outputs = outputs});
  visit.column("noise", noise, outputs, Constraint::positive);
  visit.column("lambda", lambda, outputs);
  visit.matrix("spread", spread, {any_count, any_count});
  visit.require(spread.rows() == 0 || spread.rows() == outputs * (expansion.centers().size() + 1),
                "a 'spread' of " + std::to_string(spread.rows()) + " rows for " +
                    std::to_string(expansion.centers().size()) + " centres");
}

Answers LaprModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.expansion.values(samples, run)};
}

void LaprModel::require_distribution() const {
  if (!has_distribution()) {
    throw InvalidArgument(
        "lapr: this model has no distribution: it needs likelihood=gaussian, and functions that were not compressed");
  }
}

std::unique_ptr<const PredictiveDistribution> LaprModel::distribution(const Samples& samples, const Run& run) const {
  require_distribution();
  const Expansion& expansion = parts_.expansion;
  const Index outputs = expansion.outputs();
  const Index block = expansion.centers().size() + 1;
  StudentPredictions::Parts normal{.mean = Matrix<double>(samples.size(), outputs),
                                   .function_variance = Matrix<double>(samples.size(), outputs),
                                   .observation_variance = Matrix<double>(samples.size(), outputs)};
  const bool shares = expansion.sums_double_values();
  if (!shares) {
    expansion.evaluate(samples, normal.mean.view(), run);
  }
  for_process_rows(expansion, samples, run, [&](IndexRange range, ConstMatrixView<double> rows) {
    if (shares) {
      const ConstMatrixView<double> kernel_values = rows.block(0, 0, rows.rows(), block - 1);
      expansion.evaluate_from(samples.slice(range), kernel_values, normal.mean.view().row_block(range), run);
    }
    Matrix<double> parts(rows.rows(), parts_.spread.columns());
    for (Index o = 0; o < outputs; ++o) {
      parallel_gemm<double>(1.0, rows, Transpose::no, parts_.spread.view().row_block({o * block, (o + 1) * block}),
                            Transpose::no, 0.0, parts.view(), run);
      const double noise = parts_.noise[o];
      for (Index i = 0; i < rows.rows(); ++i) {
        const std::span<const double> part = std::as_const(parts).view().row(i);
        normal.function_variance(range.begin + i, o) = noise * dot(part, part);
        normal.observation_variance(range.begin + i, o) = noise * (dot(part, part) + 1.0);
      }
    }
  });
  return std::make_unique<StudentPredictions>(std::move(normal));
}

Matrix<double> LaprModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  require_distribution();
  const Index outputs = parts_.expansion.outputs();
  const Index block = parts_.expansion.centers().size() + 1;
  const Index rank = parts_.spread.columns();
  RandomStream random(run.seed(), process_draw_stream);
  Matrix<double> coefficients(block, outputs * count);
  Matrix<double> normal(rank, count);
  for (Index o = 0; o < outputs; ++o) {
    fill_normal(random, {normal.data(), static_cast<std::size_t>(rank * count)});
    const MatrixView<double> part = coefficients.view().block(0, o * count, block, count);
    gemm(std::sqrt(parts_.noise[o]), parts_.spread.view().row_block({o * block, (o + 1) * block}), Transpose::no,
         normal.view(), Transpose::no, 0.0, part);
    for (Index c = 0; c < count; ++c) {
      for (Index j = 0; j + 1 < block; ++j) {
        part(j, c) += parts_.expansion.coefficients()(j, o);
      }
      part(block - 1, c) += parts_.expansion.parametric_coefficients()(0, o);
    }
  }
  Matrix<double> result(samples.size(), outputs * count);
  for_process_rows(parts_.expansion, samples, run, [&](IndexRange range, ConstMatrixView<double> rows) {
    parallel_gemm<double>(1.0, rows, Transpose::no, coefficients.view(), Transpose::no, 0.0,
                          result.view().row_block(range), run);
  });
  if (of == PredictionOf::observation) {
    for (Index i = 0; i < result.rows(); ++i) {
      for (Index column = 0; column < result.columns(); ++column) {
        result(i, column) += std::sqrt(parts_.noise[column / count]) * random.normal();
      }
    }
  }
  return result;
}

std::unique_ptr<FittedModel> LaprModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), expansion.centers().size());
  if (has_distribution()) {
    changed.report.notes.emplace_back(
        "the distribution of the predictions belonged to the former centres: none is left");
  }
  return std::make_unique<LaprModel>(
      std::move(changed),
      Parts{.expansion = std::move(expansion), .noise = parts_.noise, .lambda = parts_.lambda, .spread = {}});
}

const ModelEntry& lapr_entry() {
  static const ModelEntry entry = make_entry<LaprModel>(
      {.name = "lapr",
       .aliases = {"laplacian-process"},
       .summary = "Laplacian process regression: few kernel functions of any kernel, with intervals",
       .task = Task::regression,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "lapc"},
      lapr_option_table(), fit_lapr);
  return entry;
}

}  // namespace mercer
