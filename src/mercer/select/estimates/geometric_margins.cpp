#include "mercer/select/estimates/geometric_margins.h"

#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/linear/feature_weights.h"

namespace mercer {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<double> norms_of_weights(const Matrix<double>& weights) {
  std::vector<double> norms(static_cast<std::size_t>(weights.columns()), 0.0);
  for (Index d = 0; d < weights.rows(); ++d) {
    for (Index m = 0; m < weights.columns(); ++m) {
      norms[m] = std::hypot(norms[m], weights(d, m));
    }
  }
  return norms;
}

std::vector<double> norms_of(const FittedModel& model, const Run& run) {
  if (const Expansion* const function = model.expansion_form()) {
    if (function->parametric_part().uses_columns()) {
      throw InvalidArgument(model.name() +
                            ": margins are distances to a plane of the kernel's feature space, and beside the kernel "
                            "stand functions of the columns (parametric = " +
                            function->parametric_part().text() + "), which have no length there");
    }
    if (function->kernel().definiteness().kind == DefinitenessKind::indefinite) {
      throw InvalidArgument(model.name() + ": margins are distances, and the kernel " + function->kernel().spec() +
                            " is not positive definite");
    }
    std::vector<double> norms = squared_norm(*function, run);
    for (double& norm : norms) {
      norm = std::sqrt(norm);
    }
    return norms;
  }
  if (const auto* const linear = offered<FeatureWeights>(model)) {
    return norms_of_weights(linear->machines().weights);
  }
  throw InvalidArgument(model.name() +
                        ": margins are known of models whose decision values are functions of a kernel's feature "
                        "space, such as svc, nusvc, lssvm, klr and linearsvc");
}

// y of a row of class c for machine m; 0 where the machine knows nothing of it.
class Sides {
 public:
  explicit Sides(const FittedModel& model) : coded_(offered<CodedClasses>(model)) {
    classes_ = static_cast<Index>(model.classes().size());
    machines_ = static_cast<Index>(model.decision_names().size());
  }

  double operator()(Index machine, Index c) const {
    if (classes_ == 0) {
      return 1;
    }
    if (c < 0) {
      return 0;
    }
    if (coded_ != nullptr) {
      return coded_->code()(machine, c);
    }
    const Index own = machines_ == 1 ? 1 : machine;
    return c == own ? 1.0 : -1.0;
  }

 private:
  const CodedClasses* coded_;
  Index classes_ = 0;
  Index machines_ = 0;
};

}  // namespace

GeometricMargins geometric_margins(const FittedModel& model, const Samples& samples,
                                   std::span<const std::int32_t> classes, const Run& run) {
  if (model.task() != Task::classification && model.task() != Task::novelty) {
    throw InvalidArgument(model.name() + ": margins are of models that tell classes apart, or one class from the rest");
  }
  if (!model.classes().empty() && static_cast<Index>(classes.size()) != samples.size()) {
    throw InvalidArgument("margins: " + std::to_string(classes.size()) + " classes for " +
                          std::to_string(samples.size()) + " rows");
  }
  GeometricMargins result;
  result.norms = norms_of(model, run);
  result.values = model.decide(samples, run);
  const auto machines = static_cast<Index>(result.norms.size());
  if (result.values.columns() != machines) {
    throw InvalidArgument(model.name() + ": its decision values are not the functions of its machines");
  }
  const Sides side(model);
  result.margins = Matrix<double>::filled(samples.size(), machines, unknown);
  result.least.assign(static_cast<std::size_t>(machines), unknown);
  result.least_row.assign(static_cast<std::size_t>(machines), -1);
  result.canonical.assign(static_cast<std::size_t>(machines), unknown);
  for (Index i = 0; i < samples.size(); ++i) {
    for (Index m = 0; m < machines; ++m) {
      const double sign = side(m, classes.empty() ? Index{-1} : Index{classes[i]});
      if (sign == 0 || result.norms[m] == 0) {
        continue;
      }
      const double margin = sign * result.values(i, m) / result.norms[m];
      result.margins(i, m) = margin;
      if (result.least_row[m] < 0 || margin < result.least[m]) {
        result.least[m] = margin;
        result.least_row[m] = i;
      }
      const double size = std::abs(result.values(i, m));
      result.canonical[m] = std::isnan(result.canonical[m]) ? size : std::min(result.canonical[m], size);
    }
  }
  return result;
}

}  // namespace mercer
