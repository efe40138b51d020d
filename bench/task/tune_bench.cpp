// The grid search of tune_sklearn_bench.py: an RBF support vector classifier on 10 × 10 values of C and gamma,
// C = 2^-5 … 2^15 and gamma = 2^-15 … 2^3, on given folds, by the shared evaluator.
//
//   tune_bench FILE.npy [THREADS]    columns: fold, label, inputs (standardised)
//
// Prints one JSON object: seconds, CPU seconds, and per cell (row: C, column: gamma) the fraction of errors over all
// folds and the time.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "mercer/base/text.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/select/folds/fold_evaluator.h"
#include "timing.h"

namespace mercer::bench {
namespace {

constexpr std::size_t points = 10;

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::vector<double> powers_of_two(double first, double last) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points; ++i) {
    values.push_back(std::exp2(first + (last - first) * static_cast<double>(i) / (points - 1)));
  }
  return values;
}

std::vector<Split> splits(const std::vector<double>& folds) {
  std::vector<Split> result;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const auto fold = static_cast<std::size_t>(folds[i]);
    result.resize(std::max(result.size(), fold + 1));
  }
  for (std::size_t f = 0; f < result.size(); ++f) {
    for (std::size_t i = 0; i < folds.size(); ++i) {
      (static_cast<std::size_t>(folds[i]) == f ? result[f].test : result[f].train).push_back(static_cast<Index>(i));
    }
  }
  return result;
}

void print_table(const char* name, const std::vector<double>& values) {
  std::printf(",\"%s\":[", name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::printf("%s%.6g", i == 0 ? "" : ",", values[i]);
  }
  std::printf("]");
}

void search(const std::string& file, int threads) {
  const Run run{{.threads = threads}};
  ReadOptions options;
  options.targets = {"0", "1"};
  const DataFile data = read_data(file, options, run);
  const Matrix<double> columns = data.targets->values();
  std::vector<double> folds;
  std::vector<double> labels;
  for (Index i = 0; i < columns.rows(); ++i) {
    folds.push_back(columns(i, 0));
    labels.push_back(columns(i, 1));
  }
  const std::vector<Split> parts = splits(folds);
  std::vector<PointPath> paths;
  for (const double gamma : powers_of_two(-15, 3)) {
    paths.push_back({parse_kernel("rbf(gamma=" + shortest(gamma) + ")"), {}, "C", powers_of_two(-5, 15)});
  }
  std::vector<FoldUnit> units;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (std::size_t f = 0; f < parts.size(); ++f) {
      units.push_back({static_cast<Index>(p), static_cast<Index>(f)});
    }
  }
  const Targets targets = Targets::numeric(labels);
  const std::vector<std::int32_t> codes = targets.labels().codes;
  std::vector<double> errors(points * points, 0.0);
  std::vector<double> seconds(points * points, 0.0);
  std::mutex mutex;
  const double start = seconds_now();
  const double cpu = cpu_seconds();
  const auto evaluator = make_fold_evaluator(find_model("svc"), {data.samples, targets}, FoldNeeds{});
  evaluator->evaluate(
      paths, parts, units,
      [&](FoldUnit unit, const std::vector<FoldPrediction>& predictions) {
        const std::lock_guard lock(mutex);
        const Split& split = parts[unit.fold];
        for (std::size_t c = 0; c < predictions.size(); ++c) {
          const std::size_t cell = c * points + static_cast<std::size_t>(unit.path);
          seconds[cell] += predictions[c].seconds;
          for (std::size_t i = 0; i < split.test.size(); ++i) {
            const double predicted = predictions[c].predictions(static_cast<Index>(i), 0);
            errors[cell] += predicted == codes[split.test[i]] ? 0 : 1;
          }
        }
      },
      run);
  std::printf("{\"seconds\":%.4g,\"cpu_seconds\":%.4g", seconds_now() - start, cpu_seconds() - cpu);
  for (double& error : errors) {
    error /= static_cast<double>(labels.size());
  }
  print_table("errors", errors);
  print_table("cell_seconds", seconds);
  std::printf("}\n");
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: tune_bench FILE.npy [THREADS]\n");
    return 2;
  }
  mercer::bench::search(argv[1], argc > 2 ? std::atoi(argv[2]) : 0);
  return 0;
}
