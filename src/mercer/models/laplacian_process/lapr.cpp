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
  const auto prepared = std::make_shared<const PreparedKernel>(expansion.kernel(), expansion.centres(),
                                                               Precision::double_precision, run.quiet());
  const Index k = expansion.centres().size();
  for (Index begin = 0; begin < samples.size(); begin += process_block) {
    run.check_stop();
    const Index count = std::min(process_block, samples.size() - begin);
    std::vector<Index> rows;
    for (Index i = begin; i < begin + count; ++i) {
      rows.push_back(i);
    }
    Matrix<double> values(count, k + 1);
    CrossGram<double>(prepared, samples.select(rows), run.quiet())
        .evaluate(values.view().block(0, 0, count, k), run.quiet());
    for (Index i = 0; i < count; ++i) {
      values(i, k) = 1;
    }
    consume(begin, values.view());
  }
}

}  // namespace

void LaprOptions::validate() const {
  check_options<LaprOptions>("lapr", lapr_option_table(), *this);
  if (epsilon && likelihood != ProcessLoss::insensitive) {
    throw InvalidArgument("lapr: epsilon belongs to likelihood=insensitive, not to likelihood=" +
                          std::string(word_of(likelihood)));
  }
  if (concavity > 0 && prior != ProcessPrior::concave) {
    throw InvalidArgument("lapr: concavity belongs to prior=concave, not to prior=" + std::string(word_of(prior)));
  }
}

std::span<const Option<LaprOptions>> lapr_option_table() {
  static const std::array<Option<LaprOptions>, 11> table{{
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
  visit.require(spread.rows() == 0 || spread.rows() == outputs * (expansion.centres().size() + 1),
                "a 'spread' of " + std::to_string(spread.rows()) + " rows for " +
                    std::to_string(expansion.centres().size()) + " centres");
}

Matrix<double> LaprModel::predict(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.expansion.outputs());
  parts_.expansion.evaluate(samples, values.view(), run);
  return values;
}

void LaprModel::require_distribution() const {
  if (!has_distribution()) {
    throw InvalidArgument(
        "lapr: this model has no distribution: it needs likelihood=gaussian, and functions that were not compressed");
  }
}

PredictiveMoments LaprModel::moments(const Samples& samples, PredictionOf of, const Run& run) const {
  require_distribution();
  PredictiveMoments result{.mean = predict(samples, run),
                           .variance = Matrix<double>(samples.size(), parts_.expansion.outputs())};
  const Index block = parts_.expansion.centres().size() + 1;
  const Index rank = parts_.spread.columns();
  for_process_rows(parts_.expansion, samples, run, [&](Index begin, ConstMatrixView<double> rows) {
    Matrix<double> parts(rows.rows(), rank);
    for (Index o = 0; o < parts_.expansion.outputs(); ++o) {
      parallel_gemm<double>(1.0, rows, Transpose::no, parts_.spread.view().row_block({o * block, (o + 1) * block}),
                            Transpose::no, 0.0, parts.view(), run);
      const double noise = parts_.noise[static_cast<std::size_t>(o)];
      for (Index i = 0; i < rows.rows(); ++i) {
        const std::span<const double> part = std::as_const(parts).view().row(i);
        result.variance(begin + i, o) = noise * (dot(part, part) + (of == PredictionOf::observation ? 1.0 : 0.0));
      }
    }
  });
  return result;
}

Matrix<double> LaprModel::quantiles(const Samples& samples, std::span<const double> levels, PredictionOf of,
                                    const Run& run) const {
  for (const double level : levels) {
    if (!(level > 0 && level < 1)) {
      reject_argument("level of a quantile", level, "between 0 and 1");
    }
  }
  const PredictiveMoments m = moments(samples, of, run);
  const auto count = static_cast<Index>(levels.size());
  Matrix<double> result(samples.size(), m.mean.columns() * count);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index column = 0; column < result.columns(); ++column) {
      const Index o = column / count;
      const double level = levels[static_cast<std::size_t>(column % count)];
      result(i, column) = m.mean(i, o) + std::sqrt(m.variance(i, o)) * normal_quantile(level);
    }
  }
  return result;
}

Matrix<double> LaprModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  require_distribution();
  const Index outputs = parts_.expansion.outputs();
  const Index block = parts_.expansion.centres().size() + 1;
  const Index rank = parts_.spread.columns();
  RandomStream random(run.seed(), process_draw_stream);
  Matrix<double> coefficients(block, outputs * count);
  Matrix<double> normal(rank, count);
  for (Index o = 0; o < outputs; ++o) {
    fill_normal(random, {normal.data(), static_cast<std::size_t>(rank * count)});
    const MatrixView<double> part = coefficients.view().block(0, o * count, block, count);
    gemm(std::sqrt(parts_.noise[static_cast<std::size_t>(o)]),
         parts_.spread.view().row_block({o * block, (o + 1) * block}), Transpose::no, normal.view(), Transpose::no, 0.0,
         part);
    for (Index c = 0; c < count; ++c) {
      for (Index j = 0; j + 1 < block; ++j) {
        part(j, c) += parts_.expansion.coefficients()(j, o);
      }
      part(block - 1, c) += parts_.expansion.parametric_coefficients()(0, o);
    }
  }
  Matrix<double> result(samples.size(), outputs * count);
  for_process_rows(parts_.expansion, samples, run, [&](Index begin, ConstMatrixView<double> rows) {
    parallel_gemm<double>(1.0, rows, Transpose::no, coefficients.view(), Transpose::no, 0.0,
                          result.view().row_block({begin, begin + rows.rows()}), run);
  });
  if (of == PredictionOf::observation) {
    for (Index i = 0; i < result.rows(); ++i) {
      for (Index column = 0; column < result.columns(); ++column) {
        result(i, column) += std::sqrt(parts_.noise[static_cast<std::size_t>(column / count)]) * random.normal();
      }
    }
  }
  return result;
}

Matrix<double> LaprModel::log_density(const Samples& samples, ConstMatrixView<double> truth, const Run& run) const {
  require_distribution();
  if (truth.rows() != samples.size() || truth.columns() != parts_.expansion.outputs()) {
    throw InvalidArgument("targets of " + std::to_string(truth.rows()) + " by " + std::to_string(truth.columns()) +
                          " for " + std::to_string(samples.size()) + " samples");
  }
  const PredictiveMoments m = moments(samples, PredictionOf::observation, run);
  Matrix<double> result(truth.rows(), truth.columns());
  for (Index i = 0; i < truth.rows(); ++i) {
    for (Index o = 0; o < truth.columns(); ++o) {
      const double r = truth(i, o) - m.mean(i, o);
      result(i, o) = -0.5 * (r * r / m.variance(i, o) + std::log(2 * std::numbers::pi * m.variance(i, o)));
    }
  }
  return result;
}

std::unique_ptr<FittedModel> LaprModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centres().size(), expansion.centres().size());
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
       .default_kernel = "rbf(gamma=scale)"},
      lapr_option_table(), fit_lapr);
  return entry;
}

}  // namespace mercer
