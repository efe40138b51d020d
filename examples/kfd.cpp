// Kernel Fisher discriminants: draw ten classes in two directions, tell two classes apart with probabilities, and do the
// same with a few kernel functions.
//
//   example_kfd examples/data
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/scaling.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/discriminant/kfd.h"

namespace {

struct Problem {
  mercer::TrainingData train;
  mercer::TrainingData test;
};

Problem split_problem(const mercer::DataFile& file, const mercer::Split& split, const mercer::Run& run) {
  const mercer::Samples train = file.samples.select(split.train);
  const mercer::Preparation preparation = mercer::fit_preparation(train);
  return {{preparation.apply(train, run), file.targets->select(split.train)},
          {preparation.apply(file.samples.select(split.test), run), file.targets->select(split.test)}};
}

struct Score {
  double right = 0;     // rows
  double log_loss = 0;  // summed over rows
  double rows = 0;
  double functions = 0;
};

void add_score(const mercer::KfdModel& model, const mercer::TrainingData& data, Score& score, const mercer::Run& run) {
  const mercer::Answers answers = model.answer(data.samples, {.predictions = true, .probabilities = true}, run);
  const mercer::Matrix<double>& predicted = answers.predictions;
  const mercer::Matrix<double>& probabilities = answers.probabilities;
  const mercer::ClassLabels truth = data.targets.labels(0, model.classes());
  for (mercer::Index i = 0; i < predicted.rows(); ++i) {
    const std::int32_t code = truth.codes[i];
    score.right += predicted(i, 0) == code ? 1 : 0;
    score.log_loss -= std::log(probabilities(i, code));
  }
  score.rows += static_cast<double>(predicted.rows());
  score.functions += static_cast<double>(model.parts().expansion.centers().size());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run{{.seed = 1}};

  const mercer::Kernel kernel = mercer::parse_kernel("rbf(gamma=scale)");

  const mercer::DataFile digits = mercer::read_data(folder + "/digits.csv", {.targets = {"label"}}, run);
  const Problem half = split_problem(digits, mercer::train_test_split(digits.samples.size(), 0.5, run.seed()), run);
  const auto ten = mercer::fit_kfd(kernel, {}, half.train, run);
  Score of_digits;
  add_score(*ten, half.test, of_digits, run);
  std::printf("digits: %zu classes, %zu directions, accuracy %.3f\n", ten->classes().size(),
              ten->decision_names().size(), of_digits.right / of_digits.rows);
  for (mercer::Index c = 0; c < 3; ++c) {
    std::printf("  mean of %s in the first two directions: %6.2f %6.2f\n", ten->classes()[c].c_str(),
                ten->parts().densities.means()(c, 0), ten->parts().densities.means()(c, 1));
  }

  // Every row is tested once: one split of a set this small says little.
  const mercer::DataFile cancer = mercer::read_data(folder + "/breast_cancer.csv", {.targets = {"diagnosis"}}, run);
  const mercer::Index folds = 4;
  const mercer::Folds assignment = mercer::k_fold(cancer.samples.size(), folds, run.seed());
  double worst = 1;
  for (const mercer::KfdForm form : {mercer::KfdForm::exact, mercer::KfdForm::greedy, mercer::KfdForm::sparse}) {
    mercer::KfdOptions options;
    options.form = form;
    Score score;
    for (mercer::Index f = 0; f < folds; ++f) {
      const Problem problem = split_problem(cancer, assignment.split(f), run);
      add_score(*mercer::fit_kfd(kernel, options, problem.train, run), problem.test, score, run);
    }
    worst = std::min(worst, score.right / score.rows);
    std::printf("breast cancer, %-6s: %3.0f kernel functions, accuracy %.3f, log-loss %.3f\n",
                std::string(word_of(form)).c_str(), score.functions / static_cast<double>(folds),
                score.right / score.rows, score.log_loss / score.rows);
  }
  return of_digits.right > 0.95 * of_digits.rows && worst > 0.94 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
