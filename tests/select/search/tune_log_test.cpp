// Logs of searches: what is written is read back; hostile files end in an error or a table, never otherwise.
#include "mercer/select/search/tune_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

class TuneLogTest : public ::testing::Test {
 protected:
  TuneLogTest() {
    folder_ = std::filesystem::temp_directory_path() / "mercer_log_XXXXXX";
    folder_ = mkdtemp(folder_.data());
    path_ = folder_ + "/a.tune.jsonl";
    SearchAxis number;
    number.name = "C";
    number.lower = 0.1;
    number.upper = 3;
    number.scale = AxisScale::logarithmic;
    SearchAxis word;
    word.name = "slack";
    word.words = {"linear", "squared"};
    header_.version = "0.1.0";
    header_.model = "svc";
    header_.kernel = "rbf(gamma=1)";
    header_.settings = {{"tolerance", "0.01"}};
    header_.axes = {number, word};
    header_.search = {SearchKind::grid, 2, 0};
    header_.metric = "accuracy";
    header_.seed = ~std::uint64_t{0};
    header_.rows = 10;
    header_.columns = 2;
    header_.data = "00ff";
  }
  ~TuneLogTest() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << text; }

  TuneUnit unit(Index fold) const { return {{}, 0, fold, 1, {{0.1, 0}, {1.0 / 3, 1}}, {0.1 + 0.2, std::nan("")}, 0.5}; }
  std::string whole_log() {
    TuneLog log(path_, header_, LogStart::continue_or_set_aside);
    log.add(unit(0));
    log.add(unit(1));
    log.add(OuterScore{{0, 1}, 0.75, {0.1, 1}});
    TuneTable table;
    table.header = header_;
    table.points = {{{0.1, 0}, 1, {}, 0.1 + 0.2, 0.01}, {{1.0 / 3, 1}, 1, {}, std::nan(""), std::nan("")}};
    table.best = table.chosen = 0;
    log.add_result(table, Choice::best, NestedEstimate{{{{0, 1}, 0.75, {0.1, 1}}}, 0.75, 0.1});
    return bytes();
  }

  std::string folder_;
  std::string path_;
  TuneHeader header_;
};

TEST_F(TuneLogTest, KeepsStagesAndWhatWasGivenUp) {
  header_.axes[1].place = AxisPlace::scaling;
  header_.axes[1].stage = AxisStage::first;
  TuneUnit partly = unit(0);
  partly.given_up = 1;
  {
    TuneLog log(path_, header_, LogStart::continue_or_set_aside);
    log.add(partly);
    log.add(unit(1));
  }
  const TuneLog log(path_, header_, LogStart::must_continue);
  EXPECT_EQ(log.units_found(), 2);
  ASSERT_NE(log.find({}, 0, 0, partly.points), nullptr);
  EXPECT_EQ(log.find({}, 0, 0, partly.points)->given_up, 1);
  EXPECT_EQ(log.find({}, 0, 0, partly.points, TuneLog::Wanted::whole), nullptr);
  EXPECT_NE(log.find({}, 0, 1, partly.points, TuneLog::Wanted::whole), nullptr);
  const TuneRecord record = read_tune_log(path_);
  EXPECT_EQ(record.table.header.axes[1].place, AxisPlace::scaling);
  EXPECT_EQ(record.table.header.axes[1].stage, AxisStage::first);
  EXPECT_EQ(record.table.header.axes[0].stage, AxisStage::ranges);
  // Stages and points given up stand in a log only where there are any: older logs are read as they were.
  EXPECT_EQ(bytes().find("ranges"), std::string::npos);
  std::string text = bytes();
  text.replace(text.find("\"given_up\":1"), 12, "\"given_up\":3");
  put(text);
  EXPECT_ERROR(read_tune_log(path_), DataError, "'given_up' is not a whole number from 0 to 2");
}

TEST_F(TuneLogTest, ReadsBackWhatWasWritten) {
  whole_log();
  const TuneRecord record = read_tune_log(path_);
  EXPECT_TRUE(record.is_complete);
  ASSERT_EQ(record.table.points.size(), 2U);
  EXPECT_EQ(record.table.points[0].mean, 0.1 + 0.2);
  EXPECT_EQ(record.table.points[1].values[0], 1.0 / 3);
  EXPECT_EQ(record.table.points[0].scores, (std::vector<double>{0.1 + 0.2, 0.1 + 0.2}));
  EXPECT_TRUE(std::isnan(record.table.points[1].mean));
  EXPECT_EQ(record.table.header.seed, ~std::uint64_t{0});
  EXPECT_EQ(record.table.header.axes[1].words, header_.axes[1].words);
  EXPECT_EQ(record.table.header.settings[0].value, "0.01");
  ASSERT_TRUE(record.nested.has_value());
  EXPECT_EQ(record.nested->folds.size(), 1U);
}

TEST_F(TuneLogTest, UnitsAreFoundByNumbersAndPoints) {
  whole_log();
  const TuneLog log(path_, header_, LogStart::must_continue);
  EXPECT_EQ(log.units_found(), 2);
  const TuneUnit wanted = unit(1);
  ASSERT_NE(log.find({}, 0, 1, wanted.points), nullptr);
  EXPECT_EQ(log.find({}, 0, 1, wanted.points)->scores[0], 0.1 + 0.2);
  EXPECT_EQ(log.find({}, 0, 2, wanted.points), nullptr);
  EXPECT_EQ(log.find({}, 1, 1, wanted.points), nullptr);
  EXPECT_EQ(log.find({0, 2}, 0, 1, wanted.points), nullptr);
  EXPECT_EQ(log.find({}, 0, 1, {{0.1, 0}}), nullptr);
  ASSERT_NE(log.find_outer({0, 1}), nullptr);
  EXPECT_EQ(log.find_outer({0, 3}), nullptr);
}

// Killed at any byte: what was whole before stays, the rest is taken away, and writing goes on.
TEST_F(TuneLogTest, CutAtAnyByteItGoesOn) {
  const std::string whole = whole_log();
  const std::size_t header_end = whole.find('\n') + 1;
  for (std::size_t length = 0; length <= whole.size();
       length += whole[std::min(length, whole.size() - 1)] == '\n' ? 1 : 6) {
    put(whole.substr(0, length));
    {
      TuneLog log(path_, header_, LogStart::continue_or_set_aside);
      EXPECT_TRUE(log.set_aside().empty()) << length;
      const auto lines = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n');
      EXPECT_EQ(log.units_found(), std::clamp<Index>(lines - 1, 0, 2)) << length;
      log.add(unit(2));
    }
    const TuneRecord record = read_tune_log(path_);
    EXPECT_EQ(record.table.header.model, "svc");
    if (length < header_end) {
      EXPECT_EQ(record.table.points.size(), 2U);
    }
  }
}

TEST_F(TuneLogTest, DamagedFilesEndInAnErrorOrATable) {
  const std::string whole = whole_log();
  RandomStream random(5);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      const auto place = random.below(text.size());
      text[place] = static_cast<char>(text[place] ^ static_cast<char>(1U << random.below(8)));
    }
    if (random.below(3) == 0) {
      text.erase(random.below(text.size()), random.below(40));
    }
    put(text);
    try {
      const TuneRecord record = read_tune_log(path_);
      table_text(record.table);
      ranked_points(record.table);
      range_ends(record.table);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 120);
}

TEST_F(TuneLogTest, HostileTextsAreRefused) {
  const std::string header = whole_log().substr(0, bytes().find('\n') + 1);
  const std::vector<std::string> lines = {
      "[]",
      "3",
      "null",
      "{}",
      R"({"round":0})",
      R"({"round":-1,"fold":0,"points":[],"scores":[],"seconds":0})",
      R"({"round":0,"fold":1e300,"points":[],"scores":[],"seconds":0})",
      R"({"round":0,"fold":0,"points":[[1]],"scores":[1],"seconds":0})",
      R"({"round":0,"fold":0,"points":[[1,7]],"scores":[1],"seconds":0})",
      R"({"round":0,"fold":0,"points":[[1,0]],"scores":[],"seconds":0})",
      R"({"round":0,"fold":0,"points":[[1,"x"]],"scores":[1],"seconds":0})",
      R"({"round":0,"fold":0,"points":[[1,1e999]],"scores":[1],"seconds":0})",
      R"({"outer":[0,2],"score":1,"chosen":[1,9]})",
      R"({"outer":[2,2],"score":1,"chosen":[1,0]})",
      R"({"outer":0,"score":1,"chosen":[1,0]})",
      R"({"result":{"choose":"best","best":5,"chosen":0,"points":[],"fraction":[],"mean":[],"error":[]}})",
      R"({"result":{"choose":"worst","best":-1,"chosen":-1,"points":[],"fraction":[],"mean":[],"error":[]}})",
      std::string(100000, '[')};
  for (const std::string& line : lines) {
    put(header + line + "\n");
    EXPECT_ERROR(read_tune_log(path_), DataError, "damaged log of a search") << line.substr(0, 80);
    if (line.find("result") == std::string::npos) {
      EXPECT_ERROR(TuneLog(path_, header_, LogStart::must_continue), DataError, "damaged log of a search")
          << line.substr(0, 80);
    }
  }
  for (const std::string& text : {std::string(), std::string("\n"), std::string("{}\n"), std::string("a,b\n1,2\n"),
                                  std::string(R"({"mercer_tune":2})") + "\n", std::string(5000, '\0')}) {
    put(text);
    EXPECT_ERROR(read_tune_log(path_), DataError, ": this ");
  }
  EXPECT_ERROR(read_tune_log(folder_ + "/none"), IoError, "cannot be opened: No such file or directory");
}

TEST_F(TuneLogTest, TwoSearchesDoNotWriteOneLog) {
  const TuneLog first(path_, header_, LogStart::continue_or_set_aside);
  EXPECT_ERROR(TuneLog(path_, header_, LogStart::continue_or_set_aside), IoError, "another search is writing this log");
}

}  // namespace
}  // namespace mercer
