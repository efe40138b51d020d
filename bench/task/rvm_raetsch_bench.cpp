// Relevance vector machines beside support vector machines on the splits of Rätsch, Onoda & Müller (2001): the errors are
// of the same size, the relevance vectors several times fewer than the support vectors.
//
//   rvm_raetsch_bench SPLITS FOLDER SET …     FOLDER/SET/data.csv.gz (label, inputs), train_idx.txt.gz, test_idx.txt.gz
//
// The width of the RBF kernel (and C of the support vector machine) is chosen by 5-fold cross-validation on the first
// training sets, up to three, the median of them. Prints one JSON object per set: mean test errors in percent of the
// first SPLITS splits, the numbers of vectors, the log-loss of the relevance vector machine, and seconds per fit.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/relevance/rvc.h"
#include "mercer/models/svm/svc.h"
#include "raetsch.h"
#include "timing.h"

namespace mercer::bench {
namespace {

struct Setting {
  double factor = 1;  // of 1/(d · variance)
  double C = 1;
};

std::unique_ptr<FittedModel> fit(const std::string& model, const Setting& setting, const TrainingData& data,
                                 const Run& run) {
  const double base = width_gamma(WidthRule::scale, data.samples, run);
  const Kernel kernel = parse_kernel("rbf(gamma=" + shortest(setting.factor * base) + ")");
  if (model == "rvc") {
    return fit_rvc(kernel, {}, data, run);
  }
  SvcOptions options;
  options.C = setting.C;
  return fit_svc(kernel, options, data, run);
}

struct Outcome {
  double error = 0;
  double log_loss = 0;
  double vectors = 0;
  double seconds = 0;
};

Outcome outcome(const std::string& model, const Setting& setting, const RaetschSet& data, const Split& split,
                const Run& run) {
  Outcome result;
  const double start = seconds_now();
  const auto fitted = fit(model, setting, {data.samples.select(split.train), data.targets.select(split.train)}, run);
  result.seconds = seconds_now() - start;
  const Samples test = data.samples.select(split.test);
  const ClassLabels truth = data.targets.select(split.test).labels(0, fitted->classes());
  const Matrix<double> predicted = fitted->predict(test, run);
  const auto n = static_cast<double>(test.size());
  for (Index i = 0; i < test.size(); ++i) {
    result.error += predicted(i, 0) == truth.codes[i] ? 0 : 100 / n;
  }
  if (fitted->has_probabilities()) {
    const Matrix<double> probabilities = fitted->probabilities(test, run);
    for (Index i = 0; i < test.size(); ++i) {
      result.log_loss -= std::log(probabilities(i, truth.codes[i])) / n;
    }
  }
  result.vectors = static_cast<double>(fitted->expansion_form()->centers().size());
  return result;
}

// The setting with the fewest errors in five folds of a training set.
Setting chosen_setting(const std::string& model, const RaetschSet& data, const std::vector<Index>& train,
                       const Run& run) {
  Setting best;
  double least = 1e300;
  const std::vector<double> prices = model == "svc" ? std::vector<double>{1, 10, 100} : std::vector<double>{1};
  for (const double factor : {1 / 64.0, 1 / 16.0, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    for (const double C : prices) {
      double errors = 0;
      for (std::size_t fold = 0; fold < 5; ++fold) {
        Split part;
        for (std::size_t i = 0; i < train.size(); ++i) {
          (i % 5 == fold ? part.test : part.train).push_back(train[i]);
        }
        errors += outcome(model, {factor, C}, data, part, run).error;
      }
      if (errors < least) {
        least = errors;
        best = {factor, C};
      }
    }
  }
  return best;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const std::string& folder, const std::string& set, std::size_t most, const Run& run) {
  const RaetschSet data = read_raetsch(folder + "/" + set);
  const std::size_t splits = std::min(most, data.splits.size());
  std::string line = "{\"set\":\"" + set + "\",\"splits\":" + std::to_string(splits);
  for (const std::string model : {"rvc", "svc"}) {
    std::vector<double> factors;
    std::vector<double> prices;
    for (std::size_t s = 0; s < std::min<std::size_t>(3, splits); ++s) {
      const Setting setting = chosen_setting(model, data, data.splits[s].train, run);
      factors.push_back(setting.factor);
      prices.push_back(setting.C);
    }
    const Setting setting{median(factors), median(prices)};
    Outcome mean;
    const auto count = static_cast<double>(splits);
    for (std::size_t s = 0; s < splits; ++s) {
      const Outcome one = outcome(model, setting, data, data.splits[s], run);
      mean.error += one.error / count;
      mean.log_loss += one.log_loss / count;
      mean.vectors += one.vectors / count;
      mean.seconds += one.seconds / count;
    }
    char text[256];
    std::snprintf(text, sizeof(text),
                  ",\"%s_error\":%.2f,\"%s_vectors\":%.1f,\"%s_log_loss\":%.4f,\"%s_factor\":%g,\"%s_C\":%g,"
                  "\"%s_seconds\":%.3f",
                  model.c_str(), mean.error, model.c_str(), mean.vectors, model.c_str(), mean.log_loss, model.c_str(),
                  setting.factor, model.c_str(), setting.C, model.c_str(), mean.seconds);
    line += text;
  }
  std::printf("%s}\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: rvm_raetsch_bench SPLITS FOLDER SET ...\n");
    return 2;
  }
  const mercer::Run run;
  for (int a = 3; a < argc; ++a) {
    mercer::bench::compare(argv[2], argv[a], static_cast<std::size_t>(std::atoi(argv[1])), run);
  }
  return 0;
}
