#include "mercer/models/prototypes/voted_perceptron.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/fields.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

namespace {

constexpr Index voting_batch = 2048;
constexpr Index voting_rows = 32;

}  // namespace

// Changes and votes are one matrix of a file; centers and functions one column each.
void VotedPerceptron::Parts::fields(Fields& visit) {
  visit.kernel(kernel);
  visit.samples("centers", centers);
  visit.number("offset_scale", offset_scale);
  Matrix<double> numbers(static_cast<Index>(steps.size()), 2);
  std::vector<Index> step_centers;
  std::vector<Index> step_outputs;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    numbers(static_cast<Index>(s), 0) = steps[s].change;
    numbers(static_cast<Index>(s), 1) = steps[s].votes;
    step_centers.push_back(steps[s].center);
    step_outputs.push_back(steps[s].output);
  }
  visit.matrix("steps", numbers, {any_count, 2});
  visit.indices("step_centers", step_centers, numbers.rows(), centers.size());
  visit.indices("step_outputs", step_outputs, numbers.rows(), functions_for_classes(visit.classes()));
  if (!visit.loading()) {
    return;
  }
  for (std::size_t s = 0; s < step_centers.size(); ++s) {
    const auto row = static_cast<Index>(s);
    visit.require(numbers(row, 1) >= 0, "a negative number of votes");
    steps.push_back({step_centers[s], step_outputs[s], numbers(row, 0), numbers(row, 1)});
  }
}

VotedPerceptron::VotedPerceptron(ModelHead head, Parts parts, const Run& run)
    : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const auto count = static_cast<Index>(classes().size());
  double votes = 0;
  for (const Step& step : parts_.steps) {
    if (step.center < 0 || step.center >= parts_.centers.size() || step.output < 0 ||
        step.output >= functions_for_classes(count) || !(step.votes >= 0) || !std::isfinite(step.change)) {
      throw InvalidArgument("a voted perceptron with a step that names no center or no function");
    }
    votes += step.votes;
  }
  if (count < 2 || !(votes > 0) || !std::isfinite(votes)) {
    throw InvalidArgument("a voted perceptron of " + std::to_string(count) + " classes with votes that sum to " +
                          std::to_string(votes));
  }
  prepared_ = std::make_shared<const PreparedKernel>(parts_.kernel, parts_.centers, Precision::double_precision, run);
}

std::vector<std::string> VotedPerceptron::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

void VotedPerceptron::vote(std::span<const double> kernel_row, std::span<double> values,
                           std::span<double> votes) const {
  std::fill(values.begin(), values.end(), 0.0);
  double total = 0;
  for (const Step& step : parts_.steps) {
    values[step.output] += step.change * (kernel_row[step.center] + parts_.offset_scale);
    if (step.votes > 0) {
      votes[class_of_values(values)] += step.votes;
      total += step.votes;
    }
  }
  for (double& share : votes) {
    share /= total;
  }
}

Matrix<double> VotedPerceptron::shares(const Samples& samples, const Run& run) const {
  const Index k = static_cast<Index>(classes().size());
  Matrix<double> votes = Matrix<double>::filled(samples.size(), k, 0.0);
  const Index batches = std::max<Index>(1, block_count(samples.size(), voting_batch));
  for (Index b = 0; b < batches; ++b) {
    const IndexRange batch = block_range(samples.size(), voting_batch, b);
    const CrossGram<double> cross(prepared_, samples.slice(batch), run);
    parallel_for(run, block_count(batch.size(), voting_rows), [&](Index task) {
      const IndexRange rows = block_range(batch.size(), voting_rows, task);
      Matrix<double> kernel_rows(rows.size(), cross.columns());
      cross.tile(rows, {0, cross.columns()}, kernel_rows.view());
      std::vector<double> values(functions_for_classes(k));
      for (Index i = 0; i < rows.size(); ++i) {
        vote(std::as_const(kernel_rows).view().row(i), values, votes.view().row(batch.begin + rows.begin + i));
      }
    });
  }
  return votes;
}

Answers VotedPerceptron::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> votes = shares(samples, run);
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = classes_of_shares(votes.view());
  }
  if (votes.columns() > 2) {
    answers.decisions = std::move(votes);
    return answers;
  }
  answers.decisions = Matrix<double>(samples.size(), 1);
  for (Index i = 0; i < samples.size(); ++i) {
    answers.decisions(i, 0) = votes(i, 1) - votes(i, 0);
  }
  return answers;
}

}  // namespace mercer
