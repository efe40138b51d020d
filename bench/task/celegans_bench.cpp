// Splice sites of C. elegans (100 000 sequences of 398 letters, 3.3 % true sites), a linear SVM on the explicit features of
// the weighted degree kernel of order 8: seconds, peak memory, and how well it ranks sequences that it has not seen. Half
// of the rows are for training, the other half for the test; the numbers are those of a run on all of them.
//
//   celegans_bench [--kernel SPEC] [--C NUMBER] [--rows N] [--threads N]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "timing.h"

namespace {

using namespace mercer;
using bench::seconds_now;

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::strtod(line.c_str() + 6, nullptr) / 1024;
    }
  }
  return 0;
}

struct Ranking {
  double roc = 0;        // area under the receiver operating characteristic
  double precision = 0;  // average precision
};

Ranking ranking(const std::vector<double>& values, const std::vector<bool>& positive) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  double hits = 0;
  double misses = 0;
  Ranking result;
  for (const std::size_t i : order) {
    if (positive[i]) {
      hits += 1;
      result.precision += hits / (hits + misses);
    } else {
      misses += 1;
      result.roc += hits;
    }
  }
  result.precision /= std::max(hits, 1.0);
  result.roc /= std::max(hits * misses, 1.0);
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::string> flags = {{"--kernel", "normalize(weighted_degree(degree=8, alphabet=dna))"},
                                              {"--C", "1"},
                                              {"--rows", "0"},
                                              {"--threads", "0"}};
  for (int i = 1; i + 1 < count; i += 2) {
    flags[arguments[i]] = arguments[i + 1];
  }
  const char* const folder = std::getenv("MERCER_DATA");
  const Run run{{.threads = std::atoi(flags["--threads"].c_str())}};
  double start = seconds_now();
  const DataFile file = read_data(
      std::string(folder != nullptr ? folder : "../shared/data") + "/splice-celegans/C_elegans_acc_100000.fasta.bz2",
      {.targets = {"label"}}, run);
  const double read_s = seconds_now() - start;
  std::vector<Index> order(file.samples.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const std::size_t rows = std::strtoul(flags["--rows"].c_str(), nullptr, 10);
  if (rows > 0) {
    order.resize(std::min(rows, order.size()));
  }
  const std::vector<Index> train(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2));
  const std::vector<Index> test(order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2), order.end());

  std::vector<std::string> labels;
  const Matrix<double> values = file.targets->values();
  for (const Index i : order) {
    labels.emplace_back(values(i, 0) > 0 ? "site" : "other");
  }
  LinearSvcOptions options;
  options.C = std::strtod(flags["--C"].c_str(), nullptr);
  start = seconds_now();
  const auto model = fit_linearsvc(
      parse_kernel(flags["--kernel"]), options,
      {file.samples.select(train), Targets::classes(std::span<const std::string>(labels).first(train.size()))}, run);
  const double fit_s = seconds_now() - start;
  start = seconds_now();
  const Matrix<double> decided = model->decide(file.samples.select(test), run);
  const double predict_s = seconds_now() - start;
  // One machine: positive for the second class.
  const double sign = model->classes().back() == "site" ? 1 : -1;
  std::vector<double> scores;
  std::vector<bool> positive;
  for (std::size_t i = 0; i < test.size(); ++i) {
    scores.push_back(sign * decided(static_cast<Index>(i), 0));
    positive.push_back(labels[train.size() + i] == "site");
  }
  const Ranking result = ranking(scores, positive);
  std::string phases;
  for (const FitReport::Phase& phase : model->report().phases) {
    phases += "," + ("\"" + phase.name + "_s\":") + std::to_string(phase.seconds);
  }
  std::printf(
      "{\"bench\":\"celegans\",\"kernel\":\"%s\",\"C\":%g,\"train\":%zu,\"test\":%zu,\"read_s\":%.2f,\"fit_s\":%.2f%s,"
      "\"passes\":%lld,\"predict_s\":%.2f,\"features\":%lld,\"peak_mb\":%.0f,\"auc\":%.5f,\"auprc\":%.5f}\n",
      flags["--kernel"].c_str(), options.C, train.size(), test.size(), read_s, fit_s, phases.c_str(),
      static_cast<long long>(model->report().iterations), predict_s,
      static_cast<long long>(model->machines().weights.rows()), peak_megabytes(), result.roc, result.precision);
  return 0;
}
