// A Gaussian process classifier as stored data, and back.
#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gpc.h"
#include "mercer/models/model_state.h"

namespace mercer {

namespace {

SoftmaxPosterior::Rows stored_rows(const ModelState& state, Index rows, Index classes) {
  SoftmaxPosterior::Rows result{
      {}, state.finite_column("row_weights", rows), state.finite_array("latent", rows, classes)};
  for (const Index number : state.indices("row_classes", rows, classes)) {
    result.classes.push_back(static_cast<std::int32_t>(number));
  }
  if (std::ranges::any_of(result.weights, [](double weight) { return !(weight > 0); })) {
    throw DataError("'row_weights' holds a weight that is not positive");
  }
  return result;
}

}  // namespace

ModelState GpcModel::state() const {
  ModelState state;
  state.model = std::string(name());
  state.requested_kernel = parts_.requested_kernel;
  state.kernel = kernel().spec();
  state.output_names = {parts_.output_name};
  state.classes = parts_.classes;
  state.settings = settings_of(gpc_option_table(), parts_.options);
  state.report = parts_.report;
  state.arrays.emplace("coefficients", Matrix<double>::copy_of(mean().coefficients()));
  if (binary_) {
    state.arrays.emplace("precision", number_column(parts_.precision));
  } else {
    const SoftmaxPosterior::Rows& rows = several_->rows();
    state.arrays.emplace("row_weights", number_column(rows.weights));
    state.arrays.emplace("row_classes", index_column({rows.classes.begin(), rows.classes.end()}));
    state.arrays.emplace("latent", Matrix<double>::copy_of(rows.latent.view()));
  }
  state.samples.emplace("centres", mean().centres());
  return state;
}

std::unique_ptr<GpcModel> GpcModel::from_state(const ModelState& state, const Run& run) {
  Parts parts;
  parts.requested_kernel = state.requested_kernel;
  parts.output_name = state.output_names.size() == 1 ? state.output_names.front() : std::string();
  parts.classes = state.classes;
  parts.report = state.report;
  apply_settings<GpcOptions>("gpc", gpc_option_table(), state.settings, parts.options);
  parts.options.validate();
  const auto classes = static_cast<Index>(state.classes.size());
  if (classes < 2 || state.output_names.size() != 1) {
    throw DataError("a classifier of " + std::to_string(classes) + " classes and " +
                    std::to_string(state.output_names.size()) + " targets");
  }
  const Index rows = state.sample_set("centres").size();
  const Index outputs = classes == 2 ? 1 : classes;
  Expansion mean(parse_kernel(state.kernel), state.sample_set("centres"),
                 state.finite_array("coefficients", rows, outputs), ParametricPart::none, Matrix<double>(0, outputs),
                 Precision::double_precision, run);
  if (classes == 2) {
    parts.precision = state.finite_column("precision", rows);
    return std::make_unique<GpcModel>(std::move(parts), std::move(mean));
  }
  return std::make_unique<GpcModel>(std::move(parts), std::move(mean), stored_rows(state, rows, classes));
}

}  // namespace mercer
