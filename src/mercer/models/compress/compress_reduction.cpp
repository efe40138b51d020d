#include "mercer/models/compress/compress_reduction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/expansion/reduced_set/clustering.h"
#include "mercer/expansion/reduced_set/construction.h"
#include "mercer/expansion/reduced_set/kpca_selection.h"
#include "mercer/expansion/reduced_set/l1_selection.h"
#include "mercer/expansion/reduced_set/refinement.h"
#include "mercer/expansion/reduced_set/regression_selection.h"
#include "mercer/expansion/reduced_set/selection.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

// Numbers of the kind that the model stores: a model in single precision keeps its centres so.
Samples stored_like(const Samples& pattern, const Samples& made) {
  const Samples& rows = pattern.kind() == SampleKind::table ? pattern.table().numeric() : pattern;
  const bool single =
      std::holds_alternative<DenseRows<float>>(rows.rows()) || std::holds_alternative<SparseRows<float>>(rows.rows());
  return single ? to_precision<float>(made) : made;
}

struct Reduction {
  Samples centers;
  bool made_points = false;
  std::vector<Index> chosen = {};  // numbers of the target's centres, where they are no points that were made up
  double first_squared_error = 0;
  Index evaluations = 0;
};

// The joint refinement all but forgets where it came from, so that before it the fixed point alone is good enough where
// searching on from it would take long.
ConstructionOptions construction_of(const ReductionTarget& target, const CompressOptions& options) {
  constexpr double long_search = 1e10;  // operations
  ConstructionOptions construction{.size = options.size};
  const double evaluations =
      static_cast<double>(options.size * construction.starts * construction.preimage.max_evaluations);
  const double entries = static_cast<double>(target.size() * default_columns(target.centers()).columns());
  if (options.refinement > 0 && 4 * evaluations * entries > long_search && RadialForm::of(target.kernel())) {
    construction.preimage.method = PreimageMethod::fixed_point;
  }
  return construction;
}

std::vector<Index> choose(const ReductionTarget& target, CompressMethod method, Index size, const Run& run) {
  switch (method) {
    case CompressMethod::deletion:
      return select_by_deletion(target, size, run).chosen;
    case CompressMethod::kpca:
      return select_by_kpca(target, size, run).chosen;
    case CompressMethod::l1:
      return select_by_l1(target, size, PenaltyWeights::inverse, run).chosen;
    case CompressMethod::regression:
      return select_by_regression(target, size, run).chosen;
    default:
      return select_greedy(target, size, run).chosen;
  }
}

// The centres alone: coefficients are fitted once, at the end, to what is stored.
Reduction reduce(const ReductionTarget& target, CompressMethod method, const CompressOptions& options, const Run& run) {
  Reduction result;
  if (!makes_points(method) || options.size >= target.size()) {
    if (options.size >= target.size()) {
      // Nothing has to go, whatever the method.
      result.chosen.resize(target.size());
      std::iota(result.chosen.begin(), result.chosen.end(), Index{0});
    } else {
      result.chosen = choose(target, method, options.size, run);
    }
    result.centers = target.centers().select(result.chosen);
    return result;
  }
  result.made_points = true;
  const Matrix<double> points = method == CompressMethod::clusters
                                    ? cluster_points(target, options.size, run)
                                    : construct(target, construction_of(target, options), run).points;
  result.centers = points_like(target.centers(), points.view());
  if (options.refinement > 0 && target.kernel().node().has_input_derivatives()) {
    RefinedSet refined = refine(target, points.view(), {.max_evaluations = options.refinement}, run);
    result.first_squared_error = refined.first_squared_error;
    result.evaluations = refined.evaluations;
    result.centers = std::move(refined.set.centers);
  }
  result.centers = stored_like(target.centers(), result.centers);
  return result;
}

// Coefficients with every output divided by its norm where outputs have units of their own; the machines of a
// classifier do not, so that theirs stay.
Matrix<double> weighted_coefficients(const FittedModel& model, const Expansion& f, const Run& run) {
  Matrix<double> weighted = Matrix<double>::copy_of(f.coefficients());
  if (f.outputs() == 1 || model.task() == Task::classification) {
    return weighted;
  }
  const std::vector<double> norms = squared_norm(f, run);
  for (Index o = 0; o < f.outputs(); ++o) {
    const double norm = std::sqrt(norms[o]);
    for (Index i = 0; norm > 0 && i < weighted.rows(); ++i) {
      weighted(i, o) /= norm;
    }
  }
  return weighted;
}

Matrix<double> coefficient_column(ConstMatrixView<double> all, Index column) {
  Matrix<double> result(all.rows(), 1);
  for (Index i = 0; i < all.rows(); ++i) {
    result(i, 0) = all(i, column);
  }
  return result;
}

struct SeparateSets {
  std::vector<ReducedSet> sets;            // per output
  std::vector<std::vector<Index>> chosen;  // numbers of the model's centres, where they were chosen among these
};

// Points that were made up, one output after another.
ReducedFunctions stacked(const Expansion& f, const SeparateSets& parts) {
  Index rows = 0;
  for (const ReducedSet& set : parts.sets) {
    rows += set.size();
  }
  ReducedFunctions all{{}, Matrix<double>::filled(rows, f.outputs(), 0.0)};
  Matrix<double> points(rows, default_columns(f.centers()).columns());
  Index at = 0;
  for (Index o = 0; o < f.outputs(); ++o) {
    const ReducedSet& set = parts.sets[o];
    const Matrix<double> own = points_of(set.centers);
    for (Index j = 0; j < set.size(); ++j, ++at) {
      std::ranges::copy(own.view().row(j), points.view().row_data(at));
      all.coefficients(at, o) = set.coefficients(j, 0);
    }
  }
  all.centers = stored_like(f.centers(), points_like(f.centers(), points.view()));
  return all;
}

// Centres that were chosen: those of several outputs stand once.
ReducedFunctions united(const Expansion& f, const SeparateSets& parts) {
  std::vector<Index> all;
  for (const std::vector<Index>& some : parts.chosen) {
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  ReducedFunctions result{f.centers().select(all),
                          Matrix<double>::filled(static_cast<Index>(all.size()), f.outputs(), 0.0)};
  for (std::size_t o = 0; o < parts.sets.size(); ++o) {
    for (std::size_t j = 0; j < parts.chosen[o].size(); ++j) {
      const auto at = std::ranges::lower_bound(all, parts.chosen[o][j]) - all.begin();
      result.coefficients(at, static_cast<Index>(o)) = parts.sets[o].coefficients(static_cast<Index>(j), 0);
    }
  }
  return result;
}

}  // namespace

bool makes_points(CompressMethod method) {
  return method == CompressMethod::construct || method == CompressMethod::clusters;
}

ReducedFunctions reduce_together(const FittedModel& model, const Expansion& f, const CompressOptions& options,
                                 CompressReport& report, const Run& run) {
  const Matrix<double> weighted = weighted_coefficients(model, f, run);
  const Reduction reduction =
      reduce(ReductionTarget(f.kernel(), f.centers(), weighted.view(), run), report.method, options, run);
  const ReductionTarget target(f.kernel(), f.centers(), f.coefficients(), run);
  ReducedSet set = fit_coefficients(target, reduction.centers, run);
  for (std::size_t o = 0; o < report.outputs.size(); ++o) {
    report.outputs[o].norm = std::sqrt(target.squared_norms()[o]);
    report.outputs[o].error = std::sqrt(set.squared_errors[o]);
  }
  report.first_error = std::sqrt(reduction.first_squared_error);
  report.evaluations = reduction.evaluations;
  return {reduction.centers, std::move(set.coefficients)};
}

ReducedFunctions reduce_apart(const Expansion& f, const CompressOptions& options, CompressReport& report,
                              const Run& run) {
  const auto outputs = static_cast<std::size_t>(f.outputs());
  SeparateSets parts{std::vector<ReducedSet>(outputs), std::vector<std::vector<Index>>(outputs)};
  std::vector<Reduction> reductions(outputs);
  const Run inner = run.quiet();
  parallel_for(run, f.outputs(), "compressing", [&](Index o) {
    const auto at = static_cast<std::size_t>(o);
    const ReductionTarget target(f.kernel(), f.centers(), coefficient_column(f.coefficients(), o).view(), inner);
    reductions[at] = reduce(target, report.method, options, inner);
    parts.sets[at] = fit_coefficients(target, reductions[at].centers, inner);
    report.outputs[at].norm = std::sqrt(target.squared_norms()[0]);
    report.outputs[at].error = std::sqrt(parts.sets[at].squared_errors[0]);
    for (const Index own : reductions[at].chosen) {
      parts.chosen[at].push_back(target.kept()[own]);
    }
  });
  double first = 0;
  bool made = false;
  for (const Reduction& reduction : reductions) {
    first += reduction.first_squared_error;
    report.evaluations += reduction.evaluations;
    made = made || reduction.made_points;
  }
  report.first_error = std::sqrt(first);
  return made ? stacked(f, parts) : united(f, parts);
}

}  // namespace mercer
