// Four groups of 20 newsgroups (the split by date), tf-idf and a linear SVM: C is chosen by 5-fold cross-validation on
// the training texts alone, the share of right answers is that of the test texts. With headers, as the files are, and
// without: cut at the first blank line.
//
//   text_bench [--kernel SPEC] [--loss hinge|squared_hinge] [--threads N]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

struct Texts {
  std::vector<std::string> texts;
  std::vector<std::string> labels;
};

// The training files of this archive have tabs where lines ended.
std::string_view without_header(std::string_view text) {
  const std::size_t line = text.find("\n\n");
  const std::size_t blank = line != std::string_view::npos ? line : text.find("\t\t");
  return blank == std::string_view::npos ? text : text.substr(blank + 2);
}

Texts read_texts(const std::string& folder, bool headers, const Run& run) {
  const DataFile file = read_data(folder, {}, run);
  const auto& rows = file.samples.as<StringRows>();
  const TargetColumn& classes = file.targets->columns().front();
  Texts result;
  for (Index i = 0; i < rows.rows; ++i) {
    const std::string_view text = rows[i];
    result.texts.emplace_back(headers ? text : without_header(text));
    result.labels.push_back(classes.labels.levels[classes.labels.codes[i]]);
  }
  return result;
}

Texts chosen(const Texts& all, const std::vector<std::size_t>& order, std::size_t fold, bool inside) {
  Texts part;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if ((i % 5 == fold) == inside) {
      part.texts.push_back(all.texts[order[i]]);
      part.labels.push_back(all.labels[order[i]]);
    }
  }
  return part;
}

double right_share(const FittedModel& model, const Texts& test, const Run& run) {
  const Matrix<double> predicted = model.predict(make_strings(test.texts), run);
  const std::vector<std::string> classes = model.classes();
  double right = 0;
  for (std::size_t i = 0; i < test.labels.size(); ++i) {
    right += classes[predicted(static_cast<Index>(i), 0)] == test.labels[i] ? 1 : 0;
  }
  return right / static_cast<double>(test.labels.size());
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::string> flags = {{"--kernel", "tfidf()"}, {"--loss", "hinge"}, {"--threads", "0"}};
  for (int i = 1; i + 1 < count; i += 2) {
    flags[arguments[i]] = arguments[i + 1];
  }
  const char* const folder = std::getenv("MERCER_DATA");
  const std::string archive =
      std::string(folder != nullptr ? folder : "../shared/data") + "/20news/20news-4class.tar.xz";
  const Run run{{.threads = std::atoi(flags["--threads"].c_str())}};
  const Kernel kernel = parse_kernel(flags["--kernel"]);
  for (const bool headers : {true, false}) {
    const Texts train = read_texts(archive + "/20news-bydate-train", headers, run);
    const Texts test = read_texts(archive + "/20news-bydate-test", headers, run);
    std::vector<std::size_t> order(train.texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    LinearSvcOptions options;
    const std::vector<OptionSetting> settings = {{"loss", flags["--loss"]}};
    apply_settings<LinearSvcOptions>("linearsvc", linearsvc_option_table(), settings, options);
    double start = seconds_now();
    double best = -1;
    double best_cost = 1;
    for (const double cost : {0.1, 0.3, 1.0, 3.0, 10.0, 30.0}) {
      options.C = cost;
      double mean = 0;
      for (std::size_t fold = 0; fold < 5; ++fold) {
        const Texts inner = chosen(train, order, fold, false);
        const auto model =
            fit_linearsvc(kernel, options, {make_strings(inner.texts), Targets::classes(inner.labels)}, run);
        mean += right_share(*model, chosen(train, order, fold, true), run) / 5;
      }
      if (mean > best) {
        best = mean;
        best_cost = cost;
      }
    }
    const double tune_s = seconds_now() - start;
    options.C = best_cost;
    start = seconds_now();
    const auto model = fit_linearsvc(kernel, options, {make_strings(train.texts), Targets::classes(train.labels)}, run);
    const double fit_s = seconds_now() - start;
    std::printf(
        "{\"bench\":\"20news\",\"headers\":%s,\"kernel\":\"%s\",\"train\":%zu,\"test\":%zu,\"C\":%g,\"cv_accuracy\":%."
        "4f,"
        "\"test_accuracy\":%.4f,\"features\":%lld,\"tune_s\":%.2f,\"fit_s\":%.2f}\n",
        headers ? "true" : "false", flags["--kernel"].c_str(), train.texts.size(), test.texts.size(), best_cost, best,
        right_share(*model, test, run), static_cast<long long>(model->machines().weights.rows()), tune_s, fit_s);
    std::fflush(stdout);
  }
  return 0;
}
