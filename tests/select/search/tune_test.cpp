// Tuning against brute-force refits; stopped and resumed searches; folds, scaling and nesting.
#include "mercer/select/search/tune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/data/files/data_file.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TuneData example(const char* name, const char* target, Index stride) {
  const DataFile file = read_data(std::string(MERCER_EXAMPLE_DATA_DIR "/") + name, {.targets = {target}});
  std::vector<Index> rows;
  for (Index i = 0; i < file.samples.size(); i += stride) {
    rows.push_back(i);
  }
  return {{file.samples.select(rows), file.targets->select(rows)}, {}};
}

TuneData wave(Index rows, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<double> x;
  std::vector<double> y;
  for (Index i = 0; i < rows; ++i) {
    x.push_back(3 * random.normal());
    x.push_back(100 * random.normal());
    y.push_back(std::sin(x[x.size() - 2]) + 0.1 * random.normal());
  }
  return {{make_dense(std::move(x), rows, 2), Targets::numeric(std::move(y))}, {}};
}

class Tune : public ::testing::Test {
 protected:
  Tune() {
    folder_ = std::filesystem::temp_directory_path() / "mercer_tune_XXXXXX";
    folder_ = mkdtemp(folder_.data());
  }
  ~Tune() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string folder_;
};

const std::vector<OptionSetting> few_C = {{"C", "0.5..50"}, {"tolerance", "1e-4"}};

TuneResult tune_iris(TuneOptions options = {}, int threads = 2) {
  static const TuneData data = example("iris.csv", "species", 2);
  options.search.grid = options.search.grid == 0 ? 3 : options.search.grid;
  return tune(find_model("svc"), parse_kernel("rbf(gamma=0.02..2)"), few_C, data, options,
              mercer::Run{{.threads = threads, .seed = 3}});
}

// The table by plain fits, one after the other.
TEST_F(Tune, GridEqualsRefits) {
  for (const auto& [name, target, stride] :
       {std::tuple("iris.csv", "species", 2), {"breast_cancer.csv", "diagnosis", 6}}) {
    const TuneData data = example(name, target, stride);
    const mercer::Run run{{.threads = 2, .seed = 1}};
    TuneOptions options;
    options.search.grid = 3;
    options.metric = "accuracy";
    const ModelEntry& model = find_model("svc");
    const std::vector<OptionSetting> range = {{"C", "0.5..50"}};
    const TuneResult result = tune(model, parse_kernel("rbf(gamma=0.002..0.2)"), range, data, options, run);
    ASSERT_EQ(result.table.points.size(), 9U);
    const Samples scaled = fit_scaling({ScalingKind::standard}, data.data.samples).apply(data.data.samples);
    const ClassLabels labels = data.data.targets.labels(0);
    const auto folds = make_folds({FoldKind::stratified, 5, 1}, scaled.size(), labels.codes, {}, 1);
    double best = 0;
    for (const TunePoint& point : result.table.points) {
      double mean = 0;
      for (std::size_t f = 0; f < 5; ++f) {
        const std::vector<OptionSetting> settings = {{"C", shortest(point.values[0])}};
        const auto fitted = model.fit(parse_kernel("rbf(gamma=" + shortest(point.values[1]) + ")"), settings,
                                      {scaled.select(folds[f].train), data.data.targets.select(folds[f].train)}, run);
        const auto answers = fitted->predict(scaled.select(folds[f].test), run);
        double right = 0;
        for (Index i = 0; i < answers.rows(); ++i) {
          const auto row = static_cast<std::size_t>(folds[f].test[i]);
          right += answers(i, 0) == labels.codes[row] ? 1 : 0;
        }
        const double score = right / static_cast<double>(answers.rows());
        // Solutions within the solver's tolerance may differ in a row that lies on the boundary.
        EXPECT_NEAR(point.scores[f], score, 1.01 / static_cast<double>(answers.rows()));
        mean += score / 5;
      }
      best = std::max(best, mean);
    }
    EXPECT_NEAR(result.table.points[result.table.best].mean, best, 0.01);
  }
}

TEST_F(Tune, AnyNumberOfThreadsGivesTheSameTable) {
  const std::string one = table_text(tune_iris({}, 1).table);
  EXPECT_EQ(table_text(tune_iris({}, 2).table), one);
  EXPECT_EQ(table_text(tune_iris({}, 3).table), one);
}

TuneOptions options_for(SearchKind kind) {
  TuneOptions options;
  options.search.kind = kind;
  options.search.points = kind == SearchKind::grid ? 0 : 16;
  options.nested = kind == SearchKind::grid ? 2 : 0;
  return options;
}

// Killed after any number of units, in whatever order they were done, the last line torn: the same table, byte for byte.
TEST_F(Tune, AKilledSearchGoesOnToTheSameTable) {
  for (const SearchKind kind : {SearchKind::grid, SearchKind::random, SearchKind::halving, SearchKind::bayes}) {
    TuneOptions options = options_for(kind);
    const std::string undisturbed = table_text(tune_iris(options).table);
    options.log = path(std::string(to_string(kind)) + ".jsonl");
    EXPECT_EQ(table_text(tune_iris(options).table), undisturbed);
    std::vector<std::string> lines = split(read(options.log), '\n');
    lines.pop_back();  // what follows the last line end
    const std::string result = lines.back();
    lines.pop_back();
    const auto units = static_cast<Index>(lines.size()) - 1;
    RandomStream random(7);
    for (const Index kept : {Index{1}, units / 2, units - 1}) {
      std::string text = lines.front() + "\n";
      for (const Index u : sample_without_replacement(random, units, kept)) {
        text += lines[u + 1] + "\n";
      }
      std::ofstream(options.log, std::ios::binary | std::ios::trunc) << text << R"({"round":0,"fold":1,"poi)";
      options.log_start = LogStart::must_continue;
      EXPECT_EQ(table_text(tune_iris(options).table), undisturbed) << to_string(kind) << " after " << kept;
      const std::string now = read(options.log);
      EXPECT_TRUE(now.ends_with(result + "\n"));
      EXPECT_EQ(std::count(now.begin(), now.end(), '\n'), units + 2);
      // What others read in the log is that table too.
      const TuneRecord record = read_tune_log(options.log);
      EXPECT_TRUE(record.is_complete);
      EXPECT_EQ(table_text(record.table), undisturbed);
      EXPECT_EQ(record.nested.has_value(), options.nested > 0);
    }
  }
}

TEST_F(Tune, AStoppedSearchKeepsWhatIsDone) {
  TuneOptions options = options_for(SearchKind::grid);
  const std::string undisturbed = table_text(tune_iris(options).table);
  options.log = path("stopped.jsonl");
  std::stop_source stop;
  const mercer::Run run{{.threads = 1,
                         .seed = 3,
                         .progress =
                             [&](const ProgressEvent& event) {
                               if (event.done >= 4) {  // within the second path
                                 stop.request_stop();
                               }
                             },
                         .progress_interval = {},
                         .stop = stop.get_token()}};
  options.search.grid = 3;
  EXPECT_ERROR(tune(find_model("svc"), parse_kernel("rbf(gamma=0.02..2)"), few_C, example("iris.csv", "species", 2),
                    options, run),
               Stopped, "stopped on request");
  const TuneRecord record = read_tune_log(options.log);
  EXPECT_FALSE(record.is_complete);
  EXPECT_GE(record.table.points.size(), 3U);  // a path of three values
  EXPECT_LT(record.table.points.size(), 9U);
  EXPECT_EQ(table_text(tune_iris(options).table), undisturbed);
}

TEST_F(Tune, ACompleteLogIsNotComputedAgain) {
  TuneOptions options;
  options.log = path("a.jsonl");
  const std::string first = table_text(tune_iris(options).table);
  const std::string bytes = read(options.log);
  EXPECT_EQ(table_text(tune_iris(options).table), first);
  EXPECT_EQ(read(options.log), bytes);
}

TEST_F(Tune, AnotherNumberOfOuterFoldsUsesItsOwnLines) {
  TuneOptions options;
  options.search.grid = 2;
  options.nested = 3;
  const double alone = tune_iris(options).nested->mean;
  options.log = path("a.jsonl");
  options.nested = 2;
  tune_iris(options);
  options.nested = 3;
  EXPECT_EQ(tune_iris(options).nested->mean, alone);
  const TuneRecord record = read_tune_log(options.log);
  ASSERT_TRUE(record.nested.has_value());
  EXPECT_EQ(record.nested->folds.size(), 3U);
}

TEST_F(Tune, ALogOfAnotherSearchIsKept) {
  TuneOptions options;
  options.log = path("a.tune.jsonl");
  tune_iris(options);
  const std::string bytes = read(options.log);
  options.folds = FoldPlan{FoldKind::stratified, 3, 1};
  TuneOptions resume = options;
  resume.log_start = LogStart::must_continue;
  EXPECT_ERROR(tune_iris(resume), InvalidArgument, "folds");
  EXPECT_EQ(read(options.log), bytes);
  tune_iris(options);
  EXPECT_EQ(read(path("a.tune.1.jsonl")), bytes);
  EXPECT_NE(read(options.log), bytes);
  // Whatever is no log is left alone.
  std::ofstream(path("notes.txt")) << "important\n";
  options.log = path("notes.txt");
  EXPECT_ERROR(tune_iris(options), DataError, "this is not the log of a search by mercer tune");
  EXPECT_EQ(read(options.log), "important\n");
}

TEST_F(Tune, OneStandardErrorTakesTheSimplerPoint) {
  TuneOptions options;
  options.search.grid = 4;
  options.choice = Choice::one_standard_error;
  const TuneTable table = tune_iris(options).table;
  const TunePoint& best = table.points[table.best];
  const TunePoint& chosen = table.points[table.chosen];
  EXPECT_GE(chosen.mean, best.mean - best.error);
  EXPECT_LE(chosen.values[0], best.values[0]);
  EXPECT_LE(chosen.values[1], best.values[1]);
  // No point that is simpler on every axis is good enough.
  for (const TunePoint& point : table.points) {
    const bool simpler =
        point.values[0] <= chosen.values[0] && point.values[1] <= chosen.values[1] && point.values != chosen.values;
    EXPECT_FALSE(simpler && point.mean >= best.mean - best.error);
  }
}

TEST_F(Tune, RegressionByRidgeFindsTheWave) {
  const TuneData data = wave(60, 4);
  TuneOptions options;
  options.search.grid = 4;
  const ModelEntry& ridge = find_model("ridge");
  const TuneResult result =
      tune(ridge, parse_kernel(ridge.default_kernel), {}, data, options, mercer::Run{{.seed = 1}});
  EXPECT_EQ(result.table.header.metric, "rmse");
  const TunePoint& best = result.table.points[result.table.best];
  EXPECT_LT(best.mean, 0.6);  // the deviation of the targets is 0.7, and the second column is noise
  for (const TunePoint& point : result.table.points) {
    EXPECT_GE(point.mean, best.mean);
  }
  // The result can be fitted as it is.
  const Samples scaled = result.scaling.apply(data.data.samples);
  EXPECT_NO_THROW(ridge.fit(result.kernel, result.settings, {scaled, data.data.targets}, {}));
}

TEST_F(Tune, ModelsWithoutKernelsAreTunedByTheirOptions) {
  const TuneData data = wave(60, 5);
  const ModelEntry& loess = find_model("loess");
  const std::vector<OptionSetting> settings = {{"span", "0.1|0.3|1"}, {"degree", "1"}};
  const TuneResult result = tune(loess, {}, settings, data, {}, mercer::Run{{.seed = 1}});
  EXPECT_EQ(result.table.points.size(), 3);
  EXPECT_FALSE(result.kernel.has_value());
  EXPECT_EQ(result.table.header.kernel, "");
  const Samples scaled = result.scaling.apply(data.data.samples);
  EXPECT_NO_THROW(loess.fit(result.kernel, result.settings, {scaled, data.data.targets}, {}));
}

// A column that is huge in the validation rows of one fold only: scaled on all rows it shrinks everything else.
TEST_F(Tune, ScalingWithinFoldsSeesTrainingRowsOnly) {
  TuneData data = wave(24, 8);
  const std::vector<OptionSetting> range = {{"lambda", "0.01..1"}};
  TuneOptions options;
  options.folds = FoldPlan{FoldKind::time_ordered, 2, 1};
  options.search.grid = 2;
  const ModelEntry& ridge = find_model("ridge");
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  options.scale_fit = ScaleFit::within_folds;
  const TuneResult within = tune(ridge, kernel, range, data, options);
  // Fold 0 by hand.
  const auto folds = make_folds(*options.folds, 24, {}, {}, 0);
  const Samples train = data.data.samples.select(folds[0].train);
  const Scaling scaling = fit_scaling({ScalingKind::standard}, train);
  const std::vector<OptionSetting> settings = {{"lambda", "0.01"}};
  const auto fitted = ridge.fit(kernel, settings, {scaling.apply(train), data.data.targets.select(folds[0].train)}, {});
  const Matrix<double> answers = fitted->predict(scaling.apply(data.data.samples.select(folds[0].test)), {});
  const Matrix<double> truth = data.data.targets.select(folds[0].test).values();
  double squares = 0;
  for (Index i = 0; i < truth.rows(); ++i) {
    squares += (answers(i, 0) - truth(i, 0)) * (answers(i, 0) - truth(i, 0));
  }
  EXPECT_NEAR(within.table.points[0].scores[0], std::sqrt(squares / static_cast<double>(truth.rows())), 1e-6);
  options.scale_fit = ScaleFit::once;
  EXPECT_GT(
      std::abs(tune(ridge, kernel, range, data, options).table.points[0].scores[0] - within.table.points[0].scores[0]),
      1e-4);
}

// Rows come in pairs of equal rows with equal random labels: only folds that keep pairs together tell the truth.
TEST_F(Tune, GroupsDoNotLeak) {
  RandomStream random(2);
  std::vector<double> x;
  std::vector<std::string> y;
  TuneData data;
  for (int i = 0; i < 40; ++i) {
    const double a = random.normal();
    const double b = random.normal();
    const std::string label = random.uniform() < 0.5 ? "no" : "yes";
    for (int copy = 0; copy < 2; ++copy) {
      x.insert(x.end(), {a, b});
      y.push_back(label);
      data.groups.push_back(i);
    }
  }
  data.data = {make_dense(std::move(x), 80, 2), Targets::classes(y)};
  const std::vector<OptionSetting> range = {{"C", "100|1000"}};
  const Kernel kernel = parse_kernel("rbf(gamma=100)");
  const TuneResult grouped = tune(find_model("svc"), kernel, range, data, {});
  EXPECT_EQ(grouped.table.header.folds.kind, FoldKind::grouped);
  EXPECT_LT(grouped.table.points[0].mean, 0.75);
  data.groups.clear();
  EXPECT_GT(tune(find_model("svc"), kernel, range, data, {}).table.points[0].mean, 0.8);
}

// Rows of a matrix of kernel values are what they are.
TEST_F(Tune, PrecomputedMatricesAreNotScaled) {
  TuneData data = wave(30, 3);
  const PreparedKernel prepared(parse_kernel("rbf(gamma=0.5)"), data.data.samples, Precision::double_precision, {});
  Matrix<double> gram(30, 30);
  evaluate_gram<double>(prepared, Triangle::both, gram.view(), {});
  data.data.samples = make_dense(std::move(gram));
  const std::vector<OptionSetting> range = {{"lambda", "0.1|1"}};
  const TuneResult result = tune(find_model("ridge"), parse_kernel("precomputed()"), range, data, {});
  EXPECT_EQ(result.scaling.rule, ScalingRule{});
  const TuneResult direct = [&] {
    TuneOptions options;
    options.scaling = ScalingRule{};
    return tune(find_model("ridge"), parse_kernel("rbf(gamma=0.5)"), range, wave(30, 3), options);
  }();
  for (std::size_t p = 0; p < result.table.points.size(); ++p) {
    EXPECT_NEAR(result.table.points[p].mean, direct.table.points[p].mean, 1e-9 * direct.table.points[p].mean);
  }
}

TEST_F(Tune, LeaveOneOutEqualsTheClosedFormOfRidge) {
  const TuneData data = wave(15, 3);
  TuneOptions options;
  options.folds = FoldPlan{.kind = FoldKind::leave_one_out};
  options.scaling = ScalingRule{};
  const std::vector<OptionSetting> range = {{"lambda", "0.1|1"}};
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  const TuneResult result = tune(find_model("ridge"), kernel, range, data, options);
  for (const TunePoint& point : result.table.points) {
    const std::vector<OptionSetting> settings = {{"lambda", shortest(point.values[0])}, {"loo", "yes"}};
    const auto fitted = find_model("ridge").fit(kernel, settings, data.data, {});
    const auto& measures = fitted->report().measures;
    const auto loo = std::find_if(measures.begin(), measures.end(),
                                  [](const auto& m) { return m.name.find("RMSE") != std::string::npos; });
    ASSERT_NE(loo, measures.end());
    EXPECT_NEAR(point.mean, loo->value, 1e-6 * loo->value);
  }
}

// Labels that have nothing to do with the rows: the best of many points looks better than it is, the nested estimate
// does not.
TEST_F(Tune, NestedEstimateIsNotFooledByTheSearch) {
  RandomStream random(11);
  std::vector<double> x;
  std::vector<std::string> y;
  for (int i = 0; i < 60; ++i) {
    x.insert(x.end(), {random.normal(), random.normal(), random.normal()});
    y.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  const TuneData data{{make_dense(std::move(x), 60, 3), Targets::classes(y)}, {}};
  TuneOptions options;
  options.nested = 4;
  options.search.grid = 4;
  const TuneResult result = tune(find_model("svc"), parse_kernel("rbf(gamma=0.01..10)"), {}, data, options);
  ASSERT_TRUE(result.nested.has_value());
  ASSERT_EQ(result.nested->folds.size(), 4U);
  double mean = 0;
  for (const OuterScore& fold : result.nested->folds) {
    mean += fold.score / 4;
  }
  EXPECT_NEAR(result.nested->mean, mean, 1e-14);
  EXPECT_LT(result.nested->mean, result.table.points[result.table.best].mean);
  EXPECT_LT(result.nested->mean, 0.5 + 2 * 0.5 / std::sqrt(60.0));
}

TEST_F(Tune, PointsThatFailDoNotEndTheSearch) {
  const TuneData data = example("iris.csv", "species", 3);
  // nu above 2 min(n₊, n₋)/n is infeasible: here that is 1 for every pair, so an unbalanced pair is needed.
  std::vector<Index> rows;
  for (Index i = 0; i < 30; ++i) {
    rows.push_back(i);
  }
  const TuneData unbalanced{{data.data.samples.select(rows), data.data.targets.select(rows)}, {}};
  const std::vector<OptionSetting> range = {{"nu", "0.1|0.99"}};
  TuneOptions options;
  options.folds = FoldPlan{FoldKind::stratified, 3, 1};
  const TuneResult result = tune(find_model("nusvc"), parse_kernel("rbf(gamma=0.5)"), range, unbalanced, options);
  EXPECT_FALSE(std::isnan(result.table.points[0].mean));
  EXPECT_TRUE(std::isnan(result.table.points[1].mean));
  EXPECT_EQ(result.table.chosen, 0);
  const std::vector<OptionSetting> hopeless = {{"nu", "0.98|0.99"}};
  EXPECT_ERROR(tune(find_model("nusvc"), parse_kernel("rbf(gamma=0.5)"), hopeless, unbalanced, options),
               InvalidArgument, "nu = 0.98 is not feasible for these classes");
}

TEST_F(Tune, ProbabilitiesAreAskedForWhereTheMetricNeedsThem) {
  TuneOptions options;
  options.metric = "log-loss";
  options.search.grid = 2;
  const TuneResult result = tune_iris(options);
  EXPECT_EQ(result.table.header.better, Better::lower);
  EXPECT_TRUE(std::any_of(result.settings.begin(), result.settings.end(),
                          [](const auto& s) { return s.name == "probability" && s.value == "yes"; }));
  EXPECT_LT(result.table.points[result.table.best].mean, 0.4);
}

TEST_F(Tune, DegenerateInputIsRefused) {
  const std::vector<OptionSetting> range = {{"lambda", "0.1..1"}};
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const ModelEntry& ridge = find_model("ridge");
  EXPECT_ERROR(tune(ridge, kernel, range, {}, {}), DataError,
               "a search needs rows to train on and rows to validate on");
  EXPECT_ERROR(
      tune(ridge, kernel, range, {{make_dense(std::vector<double>{1.0}, 1, 1), Targets::numeric({1})}, {}}, {}),
      DataError, "a search needs rows to train on and rows to validate on");
  TuneOptions options;
  options.nested = 1;
  EXPECT_ERROR(tune(ridge, kernel, range, wave(20, 1), options), InvalidArgument, "nested = 1");
  options.nested = 0;
  options.metric = "nlpd";
  EXPECT_ERROR(tune(ridge, kernel, range, wave(20, 1), options), NumericalError,
               "no point of the search gives a value of nlpd on every fold");
  // Constant targets and equal rows are data like any other.
  const TuneData constant{
      {make_dense(std::vector<double>(20, 1.0), 10, 2), Targets::numeric(std::vector<double>(10, 2.0))}, {}};
  EXPECT_NEAR(tune(ridge, kernel, range, constant, {}).table.points[0].mean, 0, 1e-9);
}

TEST_F(Tune, EndsOfRangesAreNoticed) {
  TuneTable table;
  SearchAxis axis;
  axis.name = "C";
  axis.lower = 1;
  axis.upper = 100;
  axis.scale = AxisScale::logarithmic;
  axis.simpler = SimplerEnd::lower;
  table.header.axes = {axis};
  table.points = {{{1}, 1, {}, 0.7, 0.01}, {{10}, 1, {}, 0.8, 0.01}, {{100}, 1, {}, 0.9, 0.01}};
  choose_point(table, Choice::best);
  EXPECT_EQ(table.best, 2);
  ASSERT_EQ(range_ends(table).size(), 1U);
  EXPECT_TRUE(range_ends(table)[0].is_upper);
  table.points[1].mean = 0.9;  // as good, and inside
  choose_point(table, Choice::best);
  EXPECT_EQ(table.best, 1);
  EXPECT_TRUE(range_ends(table).empty());
  // Points on fewer rows are not chosen however good.
  table.points[0] = {{1}, 0.5, {}, 0.99, 0.01};
  choose_point(table, Choice::best);
  EXPECT_EQ(table.best, 1);
  EXPECT_EQ(ranked_points(table), (std::vector<Index>{1, 2, 0}));
}

}  // namespace
}  // namespace mercer
