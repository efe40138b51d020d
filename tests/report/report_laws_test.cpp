// Laws of reports, over every model of the registry.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/models/support_rows.h"
#include "mercer/report/make_report.h"
#include "mercer/report/report_json.h"
#include "report/report_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;
using Json = nlohmann::json;

class ReportLaws : public ::testing::TestWithParam<const ModelEntry*> {};

void expect_keys(const Json& json, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    EXPECT_TRUE(json.contains(key)) << key << " in " << json.dump().substr(0, 200);
  }
}

void expect_rectangle(const Json& rows, std::size_t height, std::size_t width) {
  if (rows.empty()) {
    return;
  }
  ASSERT_EQ(rows.size(), height);
  for (const Json& row : rows) {
    EXPECT_EQ(row.size(), width);
  }
}

// The kernel of chi2map is one of histograms; these samples have both signs.
bool has_gram_section(const ModelEntry& entry) { return !entry.default_kernel.empty() && entry.name != "chi2map"; }

void expect_sections(const Json& json, const ModelEntry& entry, std::string_view name, std::size_t rows) {
  expect_keys(json, {"title", "model", "data", "warnings", "metrics", "baselines", "cost", "provenance"});
  expect_keys(json["model"], {"name", "task", "summary", "kernel", "kernel_facts", "options", "scaling", "outputs"});
  expect_keys(json["provenance"], {"spec", "seed", "version", "created", "data_hash"});
  EXPECT_EQ(json["model"]["name"], name);
  EXPECT_EQ(json["data"]["rows"], rows);
  for (const Json& metric : json["metrics"]) {
    EXPECT_TRUE(metric["value"].is_number()) << metric.dump();
    EXPECT_FALSE(metric["meaning"].get<std::string>().empty()) << metric.dump();
  }
  EXPECT_EQ(json.contains("classification"), entry.task == Task::classification);
  EXPECT_EQ(json.contains("regression"), entry.task == Task::regression);
  EXPECT_EQ(json.contains("novelty"), entry.task == Task::novelty);
  EXPECT_EQ(json.contains("density"), entry.task == Task::density);
  EXPECT_EQ(json.contains("features"), entry.task == Task::features);
  EXPECT_EQ(json.contains("clusters"), entry.task == Task::clustering);
  ASSERT_EQ(json.contains("gram"), has_gram_section(entry));
  if (json.contains("gram")) {
    const auto size = json["gram"]["size"].get<std::size_t>();
    expect_rectangle(json["gram"]["values"], size, size);
  }
}

void expect_regions(const Json& regions) {
  expect_keys(regions, {"axes", "how", "x", "y", "value", "label", "points"});
  expect_rectangle(regions["value"], regions["y"].size(), regions["x"].size());
  expect_rectangle(regions["label"], regions["y"].size(), regions["x"].size());
  EXPECT_EQ(regions["points"]["x"].size(), regions["points"]["y"].size());
  for (const char* key : {"class", "value", "support"}) {
    if (regions["points"].contains(key)) {
      EXPECT_EQ(regions["points"][key].size(), regions["points"]["x"].size()) << key;
    }
  }
}

TEST_P(ReportLaws, EveryModelHasOne) {
  const ModelEntry& entry = *GetParam();
  for (const Index columns : {1, 2, 4}) {
    const ReportProblem problem = report_problem(entry.name, 60, columns, 3);
    for (const DataPart part : {DataPart::test, DataPart::training}) {
      const ReportInput input = problem.input(part);
      const Report report = make_report(input, {});
      const Json json = Json::parse(report_json(report));
      expect_sections(json, entry, input.model().name(), static_cast<std::size_t>(input.rows()));
      // More than two columns are shown on a plane of the kernel's space.
      const bool pictured =
          entry.task != Task::features && (columns == 2 || (columns > 2 && !entry.default_kernel.empty()));
      EXPECT_EQ(json.contains("regions"), pictured);
      if (pictured) {
        expect_regions(json["regions"]);
      }
      if (predicts_targets(entry.task)) {
        ASSERT_TRUE(report.learning);
        EXPECT_EQ(report.learning->rows.size(), report.learning->validation.size());
        EXPECT_EQ(report.baselines.size(), 2U);
      }
    }
  }
}

// Without the training rows there is still a report; with other rows in their place there is an error, not a wrong one.
TEST_P(ReportLaws, TrainingRowsAreNotNeededAndNotGuessed) {
  const ReportProblem problem = report_problem(GetParam()->name, 60, 2, 2);
  ReportInput input = problem.input(DataPart::test);
  input.training.reset();
  const Report report = make_report(input, {});
  EXPECT_FALSE(report.influence);
  EXPECT_FALSE(report.data.train_rows);
  EXPECT_EQ(report.gram.has_value(), has_gram_section(*GetParam()));
  input.training = problem.test;
  if (offered<SupportRows>(*problem.stored.model) != nullptr) {
    EXPECT_ERROR(make_report(input, {}), DataError, "the training data are not those that the model was fitted to");
  }
}

TEST_P(ReportLaws, AnyNumberOfThreadsGivesTheSameText) {
  const ReportProblem problem = report_problem(GetParam()->name, 50, 3, 2);
  const auto text = [&](int threads) {
    Report report = make_report(problem.input(DataPart::test), mercer::Run{{.threads = threads}});
    report.cost = {};
    return report_json(report);
  };
  EXPECT_EQ(text(1), text(3));
}

INSTANTIATE_TEST_SUITE_P(Registry, ReportLaws, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& one) { return one.param->name; });

TEST(Report, RefusesWhatCannotBeCompared) {
  const ReportProblem problem = report_problem("svc", 40, 2, 2);
  ReportInput input = problem.input(DataPart::test);
  input.axes = {"0", "7"};
  EXPECT_ERROR(make_report(input, {}), InvalidArgument, "axis '7' is no numeric column");
  input.axes = {"0", "0"};
  EXPECT_ERROR(make_report(input, {}), InvalidArgument, "axes: two different columns are needed");
  input.axes = {"0"};
  EXPECT_ERROR(make_report(input, {}), InvalidArgument, "axes: two columns are needed");
  input.axes.clear();
  input.targets.reset();
  EXPECT_ERROR(make_report(input, {}), DataError, "0 of the model's targets found (kind)");
  input.targets = Targets::classes(std::vector<std::string>{});
  input.samples = make_dense(Matrix<double>(0, 2));
  EXPECT_ERROR(make_report(input, {}), DataError, "there are no rows to report on");
}

// A single row, and labels that the model has never seen.
TEST(Report, OneRowOfAnUnknownClass) {
  const ReportProblem problem = report_problem("svc", 40, 2, 2);
  ReportInput input = problem.input(DataPart::test);
  input.samples = make_dense(std::vector<double>{0.1, 0.2}, 1, 2);
  input.targets = Targets::classes(std::vector<std::string>{"never seen"});
  const Report report = make_report(input, {});
  ASSERT_TRUE(report.classification);
  EXPECT_EQ(report.classification->confusion.rows(), 3);
  EXPECT_EQ(report.metrics.front().metric.value, 0);
  EXPECT_TRUE(report.classification->curves.empty());
  EXPECT_TRUE(Json::accept(report_json(report)));
}

}  // namespace
}  // namespace mercer
