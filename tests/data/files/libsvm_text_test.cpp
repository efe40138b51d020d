#include "mercer/data/files/libsvm_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/number_text.h"
#include "mercer/data/files/write_data.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

DataFile parse(const std::string& text, ReadOptions options = {}, int threads = 2) {
  return read_libsvm(text, "t.svm", options, mercer::Run{{.threads = threads}});
}

std::string error_of(const std::string& text, ReadOptions options = {}) {
  return message_of<DataError>([&] { parse(text, options); });
}

// Rows printed back in a fixed form.
std::string printed(const DataFile& file) {
  const auto& rows = file.samples.as<SparseRows<double>>();
  std::string text;
  for (Index i = 0; i < rows.rows; ++i) {
    text += shortest(file.targets->columns()[0].values[i]) + " |";
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      text += " " + std::to_string(rows.column_numbers[p]) + ":" + shortest(rows.values[p]);
    }
    text += "\n";
  }
  return text + std::to_string(rows.columns);
}

TEST(LibsvmText, ReadsWhatPeopleWrite) {
  EXPECT_EQ(printed(parse("+1 1:0.5 3:-2e3\n-1 2:1\n")), "1 | 0:0.5 2:-2000\n-1 | 1:1\n3");
  EXPECT_EQ(printed(parse("1 1:1")), "1 | 0:1\n1");                                   // no newline at the end
  EXPECT_EQ(printed(parse("1\t1:1 \t 2:2 \r\n\r\n\n2\r\n")), "1 | 0:1 1:2\n2 |\n2");  // tabs, CRLF, blank lines
  EXPECT_EQ(printed(parse("# head: 1\n1 1:1 # tail 5:5\n  # x\n2 qid:7 4:4#\n")), "1 | 0:1\n2 | 3:4\n4");
  EXPECT_EQ(printed(parse("3.25 1:.5 2:5. 3:+1 4:-0\n")), "3.25 | 0:0.5 1:5 2:1 3:-0\n4");
  EXPECT_EQ(printed(parse("1 2147483646:1\n")), "1 | 2147483645:1\n2147483646");
  EXPECT_EQ(printed(parse("1\n2\n")), "1 |\n2 |\n0");
  EXPECT_EQ(parse("1 1:1\n", {.columns = 9}).samples.columns(), 9);
}

TEST(LibsvmText, IndicesFromZeroAndPrecomputed) {
  EXPECT_EQ(printed(parse("1 0:1 2:2\n", {.indices = LibsvmIndices::from_zero})), "1 | 0:1 2:2\n3");
  EXPECT_EQ(printed(parse("1 1:1 2:2\n2 0:1\n", {.indices = LibsvmIndices::detect})), "1 | 1:1 2:2\n2 | 0:1\n3");
  EXPECT_EQ(printed(parse("1 1:1 2:2\n2 1:1\n", {.indices = LibsvmIndices::detect})), "1 | 0:1 1:2\n2 | 0:1\n2");
  EXPECT_EQ(printed(parse("1 0:1 1:4 2:2\n", {.indices = LibsvmIndices::precomputed})), "1 | 0:1 1:4 2:2\n3");
}

TEST(LibsvmText, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_of("1 1:1\n2 3:1 2:1\n").substr(0, 12), "t.svm:2:7: t");
  EXPECT_NE(error_of("1 1:1\n2 3:1 2:1\n").find("index 2 follows 3"), std::string::npos);
  EXPECT_EQ(error_of("\n\n1 1:1 1:2\n").find("t.svm:3:7: the index 1 stands twice"), 0u);
  EXPECT_EQ(error_of("x 1:1\n").find("t.svm:1:1: the label 'x'"), 0u);
  EXPECT_EQ(error_of("1 1:abc\n").find("t.svm:1:5: the value 'abc'"), 0u);
  EXPECT_EQ(error_of("1 1:\n").find("t.svm:1:5: the value ''"), 0u);
  EXPECT_EQ(error_of("1 1:1:1\n").find("t.svm:1:5: the value '1:1'"), 0u);
  EXPECT_EQ(error_of("1 1\n").find("t.svm:1:3: '1' is not 'index:value'"), 0u);
  EXPECT_EQ(error_of("1 :1\n").find("t.svm:1:3"), 0u);
  EXPECT_EQ(error_of("1 -1:1\n").find("t.svm:1:3: the index in '-1:1' is negative"), 0u);
  EXPECT_EQ(error_of("1 0:1\n").find("t.svm:1:3: the index is 0"), 0u);
  EXPECT_EQ(error_of("1 2147483647:1\n").find("t.svm:1:3: the index 2147483647 is too large"), 0u);
  EXPECT_EQ(error_of("1 99999999999999999999:1\n").find("t.svm:1:3: the index"), 0u);
  EXPECT_EQ(error_of("1:1 2:2\n").find("t.svm:1:1: the label '1:1'"), 0u);
  EXPECT_EQ(error_of("1,2 2:2\n").find("t.svm:1:1: the label"), 0u);
  EXPECT_EQ(error_of("1 qid:x 2:2\n").find("t.svm:1:3: 'qid:x'"), 0u);
  EXPECT_EQ(error_of("1 1:1 qid:3\n").find("t.svm:1:7"), 0u);
  for (const char* value : {"nan", "inf", "-inf", "1e999"}) {
    EXPECT_EQ(error_of(std::string("1 1:") + value + "\n").find("t.svm:1:5"), 0u);
    EXPECT_EQ(error_of(std::string(value) + " 1:1\n").find("t.svm:1:1"), 0u);
  }
  EXPECT_EQ(error_of("1 1:1e39\n", {.precision = StoredPrecision::float32}).find("t.svm:1:5"), 0u);
  EXPECT_EQ(parse("1 1:nan\n", {.non_finite = NonFinite::accept}).samples.size(), 1);
  EXPECT_NE(error_of("").find("no samples"), std::string::npos);
  EXPECT_NE(error_of("\n # only a comment\n").find("no samples"), std::string::npos);
}

TEST(LibsvmText, NumbersAreCorrectlyRounded) {
  std::mt19937_64 random(3);
  const auto check = [](std::string text) {
    const double expected = std::strtod(text.c_str(), nullptr);
    text += '\n';
    double value = -1;
    ASSERT_EQ(detail::parse_token(text.data(), value), text.data() + text.size() - 1) << text;
    EXPECT_EQ(std::memcmp(&value, &expected, 8), 0) << text;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const int digits = 1 + static_cast<int>(random() % 22);
    const int point = static_cast<int>(random() % (digits + 3));
    for (int k = 0; k < digits; ++k) {
      text += k == point ? "." : "";
      text += static_cast<char>('0' + random() % 10);
    }
    check(text);
    check(text + "e" + std::to_string(static_cast<int>(random() % 600) - 300));
    check(shortest(std::bit_cast<double>((random() & ~(0x7ffull << 52)) | ((512 + random() % 1000) << 52))));
  }
}

std::string random_text(std::mt19937& random, int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    if (random() % 10 == 0) {
      text += random() % 2 == 0 ? "\n" : "# 1:2 qid:3\n";
    }
    text += std::to_string(static_cast<int>(random() % 5)) + (random() % 7 == 0 ? " qid:4" : "");
    int index = 0;
    for (int k = static_cast<int>(random() % 8); k > 0; --k) {
      index += 1 + static_cast<int>(random() % 50);
      text += " " + std::to_string(index) + ":" + shortest(static_cast<double>(random() % 1000) / 64);
    }
    text += random() % 9 == 0 ? " # c: d\r\n" : "\n";
  }
  return text;
}

TEST(LibsvmText, AnyChunkAnyThreadsAnyCompressionTheSameRows) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const std::string text = random_text(random, 1 + static_cast<int>(random() % 60));
    const std::string expected = printed(parse(text));
    for (const Index chunk : {1, 2, 5, 17, 64, 1000}) {
      for (const int threads : {1, 2, 3}) {
        EXPECT_EQ(printed(parse(text, {.chunk_bytes = chunk}, threads)), expected);
      }
    }
    InputStream stream("memory", text);  // not a plain file: the way of pipes and compressed files
    EXPECT_EQ(printed(read_libsvm(stream, {.chunk_bytes = 50}, {})), expected);
  }
}

TEST(LibsvmText, TheFirstErrorWinsForAnyThreads) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += i == 37 || i == 38 || i == 300 ? "1 2:1 1:1\n" : "1 1:1 2:2 3:3\n";
  }
  for (const int threads : {1, 2, 3}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::string message = message_of<DataError>([&] { parse(text, {.chunk_bytes = 16}, threads); });
      EXPECT_EQ(message.find("t.svm:38:7"), 0u) << message;
    }
  }
}

TEST(LibsvmText, EveryTruncationIsReadOrRefused) {
  const std::string text = "+1 1:0.5 3:-2e3 # c\n\n-1 qid:2 2:1.25\n";
  int refused = 0;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    try {
      parse(text.substr(0, length), {.chunk_bytes = 8});
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 3);
}

TEST(LibsvmText, LongLinesAndManyEmptyChunks) {
  std::string text = "1";
  for (int j = 1; j <= 100000; ++j) {
    text += " " + std::to_string(j) + ":1";
  }
  const DataFile file = parse(text + "\n2 1:1\n", {.chunk_bytes = 100});
  EXPECT_EQ(file.samples.size(), 2);
  EXPECT_EQ(file.samples.columns(), 100000);
}

TEST(LibsvmText, WrittenAndReadAgain) {
  const TemporaryFolder folder;
  std::mt19937 random(9);
  const DataFile first = parse(random_text(random, 200));
  write_libsvm(folder.file("a.svm"), first.samples, &*first.targets);
  EXPECT_EQ(printed(read_data(folder.file("a.svm"), {.columns = first.samples.columns()})), printed(first));
  const DataFile single = read_data(folder.file("a.svm"), {.precision = StoredPrecision::float32});
  EXPECT_EQ(single.samples.as<SparseRows<float>>().rows, first.samples.size());
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(LibsvmText, StopsOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  const mercer::Run run{{.stop = stop.get_token()}};
  EXPECT_ERROR(read_libsvm("1 1:1\n", "t", {}, run), Stopped, "stopped on request");
}

TEST(LibsvmText, RealFiles) {
  const std::string heart = real_data("libsvm/heart_scale");
  const std::string a9a = real_data("a9a/a9a.gz");
  const std::string ijcnn1 = real_data("ijcnn1/ijcnn1.trn.bz2");
  if (heart.empty() || a9a.empty() || ijcnn1.empty()) {
    GTEST_SKIP() << "MERCER_DATA is not there";
  }
  const DataFile small = read_data(heart);
  EXPECT_EQ(small.samples.size(), 270);
  EXPECT_EQ(small.samples.columns(), 13);
  EXPECT_EQ(small.targets->labels().levels, (std::vector<std::string>{"-1", "1"}));
  const DataFile adult = read_data(a9a);
  EXPECT_EQ(adult.format, FileFormat::libsvm);
  EXPECT_EQ(adult.samples.size(), 32561);
  EXPECT_EQ(adult.samples.columns(), 123);
  EXPECT_EQ(adult.samples.as<SparseRows<double>>().offsets[32561], 451592);
  EXPECT_EQ(read_data(ijcnn1).samples.size(), 49990);
}

}  // namespace
}  // namespace mercer
