// The page: data in its place, and no text that could leave it.
#include "mercer/report/report_page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/report/data_hash.h"
#include "mercer/report/report_json.h"
#include "mercer/report/sections/tuning_section.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

constexpr std::string_view opening = "<script type=\"application/json\" id=\"report-data\">";

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string data_of(std::string_view page) {
  const std::size_t begin = page.find(opening) + opening.size();
  return std::string(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(ReportPage, TemplateHasOnePlaceForData) {
  EXPECT_EQ(count_of(report_template(), opening), 1U);
  EXPECT_EQ(data_of(report_template()), "{}");
  EXPECT_TRUE(report_template().starts_with("<!doctype html>"));
  EXPECT_GT(report_template().find("</html>"), report_template().find(opening));
}

TEST(ReportPage, TextsCannotEndTheData) {
  Report report;
  report.title = "</script><script>alert(1)</script> <!-- \xff";
  const std::string page = report_page(report);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(count_of(page, "<"), count_of(report_template(), "<"));
  const auto json = nlohmann::json::parse(data_of(page));
  EXPECT_EQ(json["title"].get<std::string>().substr(0, 30), report.title.substr(0, 30));
}

TEST(ReportPage, OtherTemplatesAreRefused) {
  EXPECT_ERROR(fill_template("<html></html>", "{}"), InvalidArgument,
               "the template of the report has no place for data");
  EXPECT_ERROR(fill_template(std::string(opening) + "{}", "{}"), InvalidArgument,
               "the template of the report has no place for data");
}

TEST(ReportJson, NumbersThatAreNotFiniteAreNull) {
  Report report;
  report.metrics.push_back({{.name = "m",
                             .value = std::nan(""),
                             .lower = -std::numeric_limits<double>::infinity(),
                             .upper = 1234567.4,
                             .baseline = 0.123456789},
                            "meaning"});
  const auto json = nlohmann::json::parse(report_json(report));
  const auto& metric = json["metrics"][0];
  EXPECT_TRUE(metric["value"].is_null());
  EXPECT_TRUE(metric["lower"].is_null());
  EXPECT_EQ(metric["upper"], 1234570);
  EXPECT_EQ(metric["baseline"], 0.123457);
  for (const char* section :
       {"classification", "regression", "novelty", "regions", "gram", "tuning", "learning", "influence", "relevance"}) {
    EXPECT_FALSE(json.contains(section)) << section;
  }
}

// The published values of the function.
TEST(DataHash, IsFnv1a) {
  EXPECT_EQ(hash_text(fnv1a("")), "fnv1a64:cbf29ce484222325");
  EXPECT_EQ(hash_text(fnv1a("a")), "fnv1a64:af63dc4c8601ec8c");
  EXPECT_EQ(hash_text(fnv1a("foobar")), "fnv1a64:85944171f73967e8");
  const std::string path = std::filesystem::temp_directory_path() / "mercer_hash_test";
  const std::string bytes(200000, 'x');
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(file_hash(path), hash_text(fnv1a(bytes)));
  std::filesystem::remove(path);
  EXPECT_EQ(file_hash("-"), "");
  EXPECT_ERROR(file_hash(path), IoError, "cannot be opened");
}

SearchAxis range_axis(const char* name) {
  SearchAxis axis;
  axis.name = name;
  axis.scale = AxisScale::logarithmic;
  axis.lower = 0.1;
  axis.upper = 10;
  return axis;
}

TEST(TuningSection, GridsHaveASurface) {
  TuneRecord record;
  record.table.header.metric = "accuracy";
  record.table.header.axes = {range_axis("C"), range_axis("gamma")};
  for (const double gamma : {1.0, 0.1}) {
    for (const double c : {1.0, 10.0, 0.1}) {
      record.table.points.push_back(
          {.values = {c, gamma}, .fraction = 1, .scores = {}, .mean = c + 100 * gamma, .error = 0.5});
    }
  }
  record.table.best = 1;
  record.table.chosen = 4;
  const auto section = tuning_section(record);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->x->values, (std::vector<double>{0.1, 1, 10}));
  EXPECT_EQ(section->y->values, (std::vector<double>{0.1, 1}));
  EXPECT_EQ(section->mean(0, 2), 20);
  EXPECT_EQ(section->mean(1, 0), 100.1);
  EXPECT_EQ(section->best, 1);
  EXPECT_EQ(section->chosen, 4);
  // Rounds on fewer rows are left out; what is left is no grid.
  record.table.points[0].fraction = 0.5;
  const auto rest = tuning_section(record);
  EXPECT_EQ(rest->points.size(), 5U);
  EXPECT_EQ(rest->best, 0);
  EXPECT_FALSE(rest->x);
  record.table.best = -1;
  EXPECT_FALSE(tuning_section(record));
}

TEST(TuningSection, TheSurfaceIsThatOfTheWordsThatWereTaken) {
  TuneRecord record;
  SearchAxis scaling;
  scaling.name = "scaling";
  scaling.place = AxisPlace::scaling;
  scaling.stage = AxisStage::first;
  scaling.words = {"standard", "none"};
  record.table.header.axes = {range_axis("C"), scaling};
  // One place of the other word, then the grid.
  for (const auto& [c, word] : {std::pair{0.5, 0.0}, {1.0, 1.0}, {0.1, 1.0}, {10.0, 1.0}}) {
    record.table.points.push_back({.values = {c, word}, .fraction = 1, .scores = {}, .mean = c, .error = 0.5});
  }
  record.table.best = record.table.chosen = 3;
  const auto section = tuning_section(record);
  ASSERT_TRUE(section);
  ASSERT_TRUE(section->x);
  EXPECT_EQ(section->x->values, (std::vector<double>{0.1, 1, 10}));
  EXPECT_FALSE(section->y);
  EXPECT_EQ(section->mean(0, 2), 10);
  EXPECT_EQ(section->points[0].parameters[1].second, "standard");
}

}  // namespace
}  // namespace mercer
