#include "mercer/models/compress/compress.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/expansion.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/models/compress/compress_constants.h"
#include "mercer/models/compress/compress_reduction.h"

namespace mercer {

namespace {

struct MethodName {
  CompressMethod method;
  std::string_view name;
};
constexpr MethodName method_names[] = {{CompressMethod::automatic, "auto"},
                                       {CompressMethod::construct, "construct"},
                                       {CompressMethod::clusters, "clusters"},
                                       {CompressMethod::greedy, "greedy"},
                                       {CompressMethod::deletion, "delete"},
                                       {CompressMethod::kpca, "kpca"},
                                       {CompressMethod::l1, "l1"},
                                       {CompressMethod::regression, "svr"}};

double root_of_sum(const std::vector<CompressReport::Output>& outputs, double CompressReport::Output::* member) {
  double sum = 0;
  for (const CompressReport::Output& output : outputs) {
    sum += output.*member * output.*member;
  }
  return std::sqrt(sum);
}

// Points that are made up are dense: with many sparse columns they would cost more than they save.
constexpr Index most_sparse_columns = 2000;

bool should_construct(const Expansion& f) {
  if (!has_numeric_points(f.centers()) || !f.kernel().node().has_input_derivatives()) {
    return false;
  }
  const Samples numeric = default_columns(f.centers());
  return numeric.kind() != SampleKind::sparse || numeric.columns() <= most_sparse_columns;
}

std::vector<std::string> function_names(const FittedModel& model, Index outputs) {
  std::vector<std::string> names = model.decision_names();
  if (static_cast<Index>(names.size()) != outputs) {
    names = model.output_names();
  }
  names.resize(outputs);
  return names;
}

CompressMethod chosen_method(const Expansion& f, CompressMethod method) {
  if (method == CompressMethod::automatic) {
    return should_construct(f) ? CompressMethod::construct : CompressMethod::greedy;
  }
  return method;
}

}  // namespace

std::string_view to_string(CompressMethod method) {
  return std::ranges::find(method_names, method, &MethodName::method)->name;
}

CompressMethod compress_method_named(std::string_view name) {
  const auto* const found = std::ranges::find(method_names, name, &MethodName::name);
  if (found == std::ranges::end(method_names)) {
    std::string all;
    for (const std::string& each : compress_method_names()) {
      all += (all.empty() ? "" : ", ") + each;
    }
    reject_argument("method", name, "one of " + all);
  }
  return found->method;
}

std::vector<std::string> compress_method_names() {
  std::vector<std::string> names;
  for (const MethodName& each : method_names) {
    names.emplace_back(each.name);
  }
  return names;
}

void CompressOptions::validate() const {
  if (size < 1) {
    reject_argument("size", static_cast<double>(size), "1 or more");
  }
  if (refinement < 0) {
    reject_argument("refinement", static_cast<double>(refinement), "0 or more");
  }
}

double CompressReport::norm() const { return root_of_sum(outputs, &Output::norm); }
double CompressReport::error() const { return root_of_sum(outputs, &Output::error); }

CompressedModel compress(const FittedModel& model, const CompressOptions& options, const TrainingData* data,
                         const Run& run) {
  options.validate();
  const Expansion* const form = model.expansion_form();
  if (form == nullptr) {
    throw InvalidArgument(model.name() +
                          " is not a kernel expansion, so that there is nothing to make smaller: svc, svr, ridge, gp "
                          "and kfd are models that can be compressed");
  }
  const Expansion& f = *form;
  CompressReport report;
  report.method = chosen_method(f, options.method);
  report.centers_before = f.centers().size();
  for (std::string& name : function_names(model, f.outputs())) {
    report.outputs.push_back({.name = std::move(name)});
  }
  if (makes_points(report.method)) {
    require_numeric_points(f.centers());
    if (report.method == CompressMethod::construct && !f.kernel().node().has_input_derivatives()) {
      throw InvalidArgument("method = construct needs a kernel that can be differentiated by its inputs, and " +
                            f.kernel().spec() + " cannot; choose among the centres: greedy, delete, l1");
    }
  }
  ReducedFunctions functions = options.sharing == CenterSharing::shared
                                   ? reduce_together(model, f, options, report, run)
                                   : reduce_apart(f, options, report, run);
  report.centers_after = functions.centers.size();
  const Expansion reduced(f.kernel(), std::move(functions.centers), std::move(functions.coefficients),
                          f.parametric_part(), Matrix<double>::copy_of(f.parametric_coefficients()), f.precision(),
                          run);
  CompressedModel result;
  result.model = model.with_expansion(reduced, run);
  if (data != nullptr) {
    result.model = with_refitted_constants(model, std::move(result.model), reduced, *data, report, run);
  }
  result.report = std::move(report);
  return result;
}

CompressAgreement agreement(const FittedModel& before, const FittedModel& after, const Samples& samples,
                            const Targets* targets, const Run& run) {
  CompressAgreement result;
  result.rows = samples.size();
  const auto n = static_cast<double>(std::max<Index>(1, samples.size()));
  const Matrix<double> then = before.predict(samples, run);
  const Matrix<double> now = after.predict(samples, run);
  const bool labels = before.task() == Task::classification || before.task() == Task::novelty;
  const bool decides = !before.decision_names().empty() && !after.decision_names().empty() && labels;
  const Matrix<double> values = decides ? before.decide(samples, run) : Matrix<double>::copy_of(then.view());
  const Matrix<double> others = decides ? after.decide(samples, run) : Matrix<double>::copy_of(now.view());
  double squares = 0;
  for (Index i = 0; i < values.rows() * values.columns(); ++i) {
    squares += (values.data()[i] - others.data()[i]) * (values.data()[i] - others.data()[i]);
  }
  result.rmse = std::sqrt(squares / std::max(1.0, n * static_cast<double>(values.columns())));
  if (!labels) {
    return result;
  }
  Index same = 0;
  for (Index i = 0; i < then.rows(); ++i) {
    same += then(i, 0) == now(i, 0) ? 1 : 0;
  }
  result.same_labels = static_cast<double>(same) / n;
  if (targets != nullptr && targets->outputs() > 0 && before.task() == Task::classification) {
    const ClassLabels known = targets->labels(0, before.classes());
    double wrong_then = 0;
    double wrong_now = 0;
    for (Index i = 0; i < then.rows(); ++i) {
      const double truth = known.codes[i];
      wrong_then += then(i, 0) != truth || truth < 0 ? 1 : 0;
      wrong_now += now(i, 0) != truth || truth < 0 ? 1 : 0;
    }
    result.errors_before = wrong_then / n;
    result.errors_after = wrong_now / n;
  }
  return result;
}

}  // namespace mercer
