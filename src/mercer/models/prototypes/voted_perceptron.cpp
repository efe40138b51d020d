#include "mercer/models/prototypes/voted_perceptron.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

namespace {

constexpr Index voting_batch = 2048;
constexpr Index voting_rows = 32;

}  // namespace

VotedPerceptron::VotedPerceptron(Parts parts, const Run& run) : parts_(std::move(parts)) {
  const auto classes = static_cast<Index>(parts_.classes.size());
  double votes = 0;
  for (const Step& step : parts_.steps) {
    if (step.center < 0 || step.center >= parts_.centers.size() || step.output < 0 ||
        step.output >= functions_for_classes(classes) || !(step.votes >= 0) || !std::isfinite(step.change)) {
      throw InvalidArgument("a voted perceptron with a step that names no center or no function");
    }
    votes += step.votes;
  }
  if (classes < 2 || !(votes > 0) || !std::isfinite(votes)) {
    throw InvalidArgument("a voted perceptron of " + std::to_string(classes) + " classes with votes that sum to " +
                          std::to_string(votes));
  }
  prepared_ = std::make_shared<const PreparedKernel>(parts_.kernel, parts_.centers, Precision::double_precision, run);
}

std::vector<std::string> VotedPerceptron::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(parts_.classes.size())).names(parts_.classes);
}

void VotedPerceptron::vote(std::span<const double> kernel_row, std::span<double> values,
                           std::span<double> votes) const {
  std::fill(values.begin(), values.end(), 0.0);
  double total = 0;
  for (const Step& step : parts_.steps) {
    values[static_cast<std::size_t>(step.output)] +=
        step.change * (kernel_row[static_cast<std::size_t>(step.center)] + parts_.offset_scale);
    if (step.votes > 0) {
      votes[static_cast<std::size_t>(class_of_values(values))] += step.votes;
      total += step.votes;
    }
  }
  for (double& share : votes) {
    share /= total;
  }
}

Matrix<double> VotedPerceptron::shares(const Samples& samples, const Run& run) const {
  const Index k = static_cast<Index>(parts_.classes.size());
  Matrix<double> votes = Matrix<double>::filled(samples.size(), k, 0.0);
  const Index batches = std::max<Index>(1, block_count(samples.size(), voting_batch));
  for (Index b = 0; b < batches; ++b) {
    const IndexRange batch = block_range(samples.size(), voting_batch, b);
    const CrossGram<double> cross(prepared_, samples.slice(batch), run);
    parallel_for(run, block_count(batch.size(), voting_rows), [&](Index task) {
      const IndexRange rows = block_range(batch.size(), voting_rows, task);
      Matrix<double> kernel_rows(rows.size(), cross.columns());
      cross.tile(rows, {0, cross.columns()}, kernel_rows.view());
      std::vector<double> values(static_cast<std::size_t>(functions_for_classes(k)));
      for (Index i = 0; i < rows.size(); ++i) {
        vote(std::as_const(kernel_rows).view().row(i), values, votes.view().row(batch.begin + rows.begin + i));
      }
    });
  }
  return votes;
}

Matrix<double> VotedPerceptron::decide(const Samples& samples, const Run& run) const {
  Matrix<double> votes = shares(samples, run);
  if (votes.columns() > 2) {
    return votes;
  }
  Matrix<double> values(samples.size(), 1);
  for (Index i = 0; i < samples.size(); ++i) {
    values(i, 0) = votes(i, 1) - votes(i, 0);
  }
  return values;
}

Matrix<double> VotedPerceptron::predict(const Samples& samples, const Run& run) const {
  const Matrix<double> votes = shares(samples, run);
  Matrix<double> predicted(samples.size(), 1);
  for (Index i = 0; i < samples.size(); ++i) {
    const std::span<const double> row = votes.view().row(i);
    predicted(i, 0) = static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return predicted;
}

ModelState VotedPerceptron::state() const {
  ModelState state;
  state.model = std::string(name());
  state.requested_kernel = parts_.requested_kernel;
  state.kernel = parts_.kernel.spec();
  state.output_names = output_names();
  state.classes = parts_.classes;
  state.settings = parts_.settings;
  state.report = parts_.report;
  const auto count = static_cast<Index>(parts_.steps.size());
  Matrix<double> numbers(count, 2);
  std::vector<Index> centers;
  std::vector<Index> outputs;
  for (Index s = 0; s < count; ++s) {
    const Step& step = parts_.steps[static_cast<std::size_t>(s)];
    centers.push_back(step.center);
    outputs.push_back(step.output);
    numbers(s, 0) = step.change;
    numbers(s, 1) = step.votes;
  }
  state.arrays.emplace("step_centers", index_column(centers));
  state.arrays.emplace("step_outputs", index_column(outputs));
  state.arrays.emplace("steps", std::move(numbers));
  state.arrays.emplace("offset_scale", number_column(std::span(&parts_.offset_scale, 1)));
  state.samples.emplace("centers", parts_.centers);
  return state;
}

std::unique_ptr<VotedPerceptron> VotedPerceptron::from_state(const ModelState& state, const Run& run) {
  if (state.classes.size() < 2 || state.output_names.size() != 1) {
    throw DataError("a stored perceptron with " + std::to_string(state.classes.size()) + " classes and " +
                    std::to_string(state.output_names.size()) + " outputs; it needs two at least, and one output");
  }
  const Samples& centers = state.sample_set("centers");
  const Index count = state.array("steps").rows();
  const Matrix<double> numbers = state.finite_array("steps", count, 2);
  const std::vector<Index> center = state.indices("step_centers", count, centers.size());
  const std::vector<Index> output =
      state.indices("step_outputs", count, functions_for_classes(static_cast<Index>(state.classes.size())));
  std::vector<Step> steps;
  double votes = 0;
  for (Index s = 0; s < count; ++s) {
    const auto at = static_cast<std::size_t>(s);
    if (numbers(s, 1) < 0) {
      throw DataError("a stored perceptron with a negative number of votes");
    }
    votes += numbers(s, 1);
    steps.push_back({center[at], output[at], numbers(s, 0), numbers(s, 1)});
  }
  if (!(votes > 0)) {
    throw DataError("a stored voted perceptron without votes");
  }
  return std::make_unique<VotedPerceptron>(Parts{.requested_kernel = state.requested_kernel,
                                                 .settings = state.settings,
                                                 .output_name = state.output_names.front(),
                                                 .classes = state.classes,
                                                 .kernel = parse_kernel(state.kernel),
                                                 .centers = centers,
                                                 .offset_scale = state.finite_column("offset_scale", 1).front(),
                                                 .steps = std::move(steps),
                                                 .report = state.report},
                                           run);
}

}  // namespace mercer
