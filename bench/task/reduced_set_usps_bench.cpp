// Reduced sets on USPS, as tables 18.1-18.3 of Schölkopf & Smola (2002): ten machines, one against the rest, k =
// exp(−d²/128), C = 10, images smoothed; thresholds refitted on the training set. One JSON object per line: what was
// done, the number of vectors per machine and in all, the error rate on the 2007 test digits, ‖f − f'‖/‖f‖, seconds of
// the reduction and of predicting the test set.
//
//   reduced_set_usps_bench [all|choice]   default: construction with 25 per machine; choice: centres chosen among the
//                                         support vectors; all: every size, too
#include <cstdio>
#include <string>

#include "mercer/kernels/spec.h"
#include "mercer/models/compress/compress.h"
#include "mercer/models/svm/svc.h"
#include "timing.h"
#include "usps_images.h"

namespace mercer::bench {
namespace {

double error_rate(const FittedModel& model, const TrainingData& data, const Run& run) {
  const Matrix<double> predicted = model.predict(data.samples, run);
  const ClassLabels labels = data.targets.labels(0, model.classes());
  Index wrong = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) != labels.codes[i] ? 1 : 0;
  }
  return 100.0 * static_cast<double>(wrong) / static_cast<double>(predicted.rows());
}

struct Job {
  CompressMethod method;
  CenterSharing sharing;
  Index size;
  Index refinement;
};

void report(const char* method, const FittedModel& model, double per_machine, double relative_error,
            double reduction_seconds, const TrainingData& test, const Run& run) {
  const double seconds = best_seconds(3, 1, [&] { model.predict(test.samples, run); });
  std::printf(
      "{\"bench\":\"usps reduced set\",\"method\":\"%s\",\"per_machine\":%.4g,\"centres\":%lld,"
      "\"test_error\":%.2f,\"relative_error\":%.4g,\"reduction_s\":%.3g,\"predict_s\":%.4g}\n",
      method, per_machine, static_cast<long long>(model.expansion_form()->centers().size()),
      error_rate(model, test, run), relative_error, reduction_seconds, seconds);
  std::fflush(stdout);
}

void run_job(const Job& job, const FittedModel& model, const TrainingData& train, const TrainingData& test,
             const Run& run) {
  const CompressOptions options{
      .size = job.size, .method = job.method, .sharing = job.sharing, .refinement = job.refinement};
  for (const bool refit : {false, true}) {
    const double start = seconds_now();
    const CompressedModel small = compress(model, options, refit ? &train : nullptr, run);
    const std::string name = std::string(to_string(job.method)) + (job.refinement > 0 ? "+refine" : "") +
                             (job.sharing == CenterSharing::shared ? " shared" : " each") +
                             (refit ? ", b refitted" : "");
    const double machines = job.sharing == CenterSharing::shared ? 10.0 : 1.0;
    report(name.c_str(), *small.model, static_cast<double>(job.size) / machines,
           small.report.error() / small.report.norm(), seconds_now() - start, test, run);
  }
}

int run_all(const std::string& what) {
  const Run run;
  UspsImages images = read_usps("zip.train.csv.gz", 0.75);
  const TrainingData train{make_dense(std::move(images.pixels)), std::move(images.labels)};
  UspsImages others = read_usps("zip.test.csv.gz", 0.75);
  const TrainingData test{make_dense(std::move(others.pixels)), std::move(others.labels)};
  SvcOptions options;
  options.C = 10;
  options.multiclass = Multiclass::one_vs_rest;
  const double start = seconds_now();
  const auto model = fit_svc(parse_kernel("rbf(gamma=0.0078125)"), options, train, run);
  double vectors = 0;
  for (const MachineFacts& facts : model->machine_facts()) {
    vectors += facts.support_vectors;
  }
  report("svc", *model, vectors / 10, 0, seconds_now() - start, test, run);
  const CompressMethod construct = CompressMethod::construct;
  run_job({construct, CenterSharing::each, 25, 300}, *model, train, test, run);
  run_job({construct, CenterSharing::shared, 250, 300}, *model, train, test, run);
  for (const Index size : {10, 20, 50, 100}) {
    if (what != "all") {
      break;
    }
    run_job({construct, CenterSharing::each, size, 0}, *model, train, test, run);
    run_job({construct, CenterSharing::each, size, 300}, *model, train, test, run);
  }
  for (const CompressMethod method : {CompressMethod::kpca, CompressMethod::deletion, CompressMethod::l1,
                                      CompressMethod::greedy, CompressMethod::regression, CompressMethod::clusters}) {
    for (const Index size : {50, 100, 150}) {
      if (what.empty()) {
        break;
      }
      run_job({method, CenterSharing::each, size, 0}, *model, train, test, run);
    }
  }
  return 0;
}

}  // namespace
}  // namespace mercer::bench

int main(int count, char** arguments) { return mercer::bench::run_all(count > 1 ? arguments[1] : ""); }
