// Tuning: search C and the width of a support vector machine by cross-validation, stop and go on, and fit the winner.
//
//   example_tune examples/data
#include <cstdio>
#include <filesystem>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/stored_model.h"
#include "mercer/select/search/tune.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run{{.seed = 1}};
  const mercer::DataFile file = mercer::read_data(folder + "/breast_cancer.csv", {.targets = {"diagnosis"}}, run);
  const mercer::Split split = mercer::train_test_split(file.samples.size(), 0.25, run.seed());
  const mercer::TuneData data{{file.samples.select(split.train), file.targets->select(split.train)}};

  // Ranges stand where values would stand; what is left open is searched over its default range.
  const mercer::ModelEntry& svc = mercer::find_model("svc");
  const mercer::Kernel kernel = mercer::parse_kernel("rbf(gamma=2^-11..2)");
  const std::vector<mercer::OptionSetting> ranges = {{"C", "2^-3..2^9"}};
  mercer::TuneOptions options;
  options.search.grid = 6;
  options.choice = mercer::Choice::one_standard_error;
  options.nested = 3;
  options.log = (std::filesystem::temp_directory_path() / "example.tune.jsonl").string();
  std::filesystem::remove(options.log);
  const mercer::TuneResult result = mercer::tune(svc, kernel, ranges, data, options, run);

  const mercer::TuneTable& table = result.table;
  const auto print = [&](const char* label, mercer::Index number) {
    const mercer::TunePoint& point = table.points[number];
    std::printf("%s C=%.4g gamma=%.4g: %s %.4f, standard error %.4f\n", label, point.values[0], point.values[1],
                table.header.metric.c_str(), point.mean, point.error);
  };
  print("best  ", table.best);
  print("chosen", table.chosen);
  std::printf("nested estimate %.4f, standard error %.4f\n", result.nested->mean, result.nested->error);

  // A second call with the same log has nothing left to do: a search that was killed goes on in the same way.
  options.started = [](const mercer::TuneLog& log) {
    std::printf("%lld units of work are in the log\n", static_cast<long long>(log.units_found()));
  };
  const mercer::TuneResult again = mercer::tune(svc, kernel, ranges, data, options, run);

  mercer::Preparation preparation{.schema = file.schema, .scaling = result.scaling};
  const mercer::TrainingData scaled{preparation.apply(data.data.samples), data.data.targets};
  const mercer::StoredModel best =
      mercer::fit_stored_model(svc, result.kernel, result.settings, scaled, std::move(preparation), run);
  const auto predicted = best.predict(file.samples.select(split.test), run);
  const mercer::ClassLabels truth = file.targets->select(split.test).labels(0, best.model->classes());
  double right = 0;
  for (mercer::Index i = 0; i < predicted.rows(); ++i) {
    right += predicted(i, 0) == truth.codes[i] ? 1 : 0;
  }
  const double accuracy = right / static_cast<double>(predicted.rows());
  std::printf("on unseen rows: accuracy %.4f\n", accuracy);
  std::filesystem::remove(options.log);
  const bool same = mercer::table_text(again.table) == mercer::table_text(table);
  return same && accuracy > 0.9 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
