// Files that are damaged, wrong or meant to harm: a sentence with the place, exit code 3, nothing left behind.
#include <gtest/gtest.h>
#include <zlib.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Hostile : public CliTest {
 protected:
  // Fits, expects code 3, a message that holds `said`, no crash and no new file.
  void expect_refused(const std::string& name, const std::string& content, const std::string& said,
                      std::vector<std::string> more = {"-t", "y"}) {
    SCOPED_TRACE(name);
    const std::string data = write(name, content);
    const auto before = listing();
    std::vector<std::string> arguments = {"fit", "ridge", data, "-o", path("m.mercer")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, name)) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, said)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(listing(), before);
  }
};

std::string compressed(const std::string& text) {
  std::string result(compressBound(text.size()) + 32, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

TEST_F(Hostile, TextTables) {
  expect_refused("empty.csv", "", "empty");
  expect_refused("header.csv", "x,y\n", "header.csv");
  expect_refused("word.csv", "x,y\n1,2\n2,3\n3,nonsense4\n", "word.csv");
  expect_refused("short.csv", "x,z,y\n1,2,3\n1,2\n", "short.csv:3");
  expect_refused("long.csv", "x,z,y\n1,2,3\n1,2,3,4\n", "long.csv:3");
  expect_refused("nan.csv", "x,y\n1,2\nnan,3\n", "nan.csv:3:1", {"-t", "y", "--missing", "reject"});
  expect_refused("inf.csv", "x,y\n1,2\ninf,3\n", "inf.csv:3:1");
  expect_refused("quote.csv", "x,y\n1,\"2\n", "quote.csv");
  expect_refused("only.csv", "y\n1\n2\n", "no column");
}

// One word among numbers must not turn a column into categories that no kernel sees.
TEST_F(Hostile, WordsAmongNumbers) {
  std::string inputs = "a,b,y\n";
  std::string targets = "a,b,y\n";
  for (int i = 0; i < 40; ++i) {
    const std::string row = std::to_string(i) + "," + std::to_string(i * i) + ",";
    inputs += row + std::to_string(3 * i) + "\n";
    targets += row + std::to_string(3 * i) + "\n";
  }
  expect_refused("input.csv", inputs + "foo,3,4\n", "input.csv:42:1: column 'a': 'foo' is not a number");
  expect_refused("target.csv", targets + "1,3,abc\n", "target.csv:42:5: column 'y': 'abc' is not a number");
  const Outcome declared =
      run({"fit", "ridge", path("input.csv"), "-t", "y", "--categorical", "a", "-o", path("m.mercer"), "-q"});
  EXPECT_EQ(declared.code, 0) << declared.err;
}

TEST_F(Hostile, LibsvmText) {
  expect_refused("order.svm", "1 1:1 2:1\n2 3:1 2:5\n", "order.svm:2:7", {});
  expect_refused("twice.svm", "1 1:1 1:1\n", "twice.svm:1:7", {});
  expect_refused("word.svm", "1 1:1\n2 1:abc\n", "word.svm:2:5", {});
  expect_refused("colon.svm", "1 1:1\n2 17\n", "colon.svm:2:3", {});
  expect_refused("nan.svm", "1 1:1\n2 1:nan\n", "nan.svm:2:5", {});
  expect_refused("huge.svm", "1 1:1\n2 99999999999:1\n", "huge.svm:2:3", {});
  expect_refused("label.svm", "1 1:1\nabc 1:1\n", "label.svm", {});
}

TEST_F(Hostile, Compressed) {
  std::string text = "x,y\n";
  for (int i = 0; i < 2000; ++i) {
    text += std::to_string(i * 7919 % 1009) + "," + std::to_string(i) + "\n";
  }
  const std::string whole = compressed(text);
  expect_refused("cut.csv.gz", whole.substr(0, whole.size() / 2), "cut.csv.gz");
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  expect_refused("damaged.csv.gz", damaged, "damaged.csv.gz");
  expect_refused("empty.csv.gz", compressed(""), "empty");
}

TEST_F(Hostile, BinaryArrays) {
  const auto header = [](std::string dictionary) {
    dictionary.resize(117, ' ');
    dictionary += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(dictionary.size());
    text += '\0';
    return text + dictionary;
  };
  const std::vector<std::string> last = {"-t", "-1"};
  expect_refused("claims.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (134217728, 10), }"),
                 "claims.npy", last);
  expect_refused(
      "overflow.npy",
      header("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }"),
      "overflow.npy", last);
  expect_refused("objects.npy", header("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }"), "objects.npy",
                 last);
  expect_refused("cut.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }") + "12345", "cut.npy",
                 last);
  expect_refused("stub.npy", "\x93NUMPY", "stub.npy", last);
  expect_refused("claims.idx", std::string("\x00\x00\x08\x03\x7f\xff\xff\xff\x7f\xff\xff\xff\x00\x00\x00\x02", 16),
                 "claims.idx", last);
  expect_refused("binary.csv", std::string("x,y\n1,2\n\0\0\0", 11), "binary");
}

TEST_F(Hostile, OneRowIsEnoughToFit) {
  const Outcome outcome = run({"fit", "ridge", write("one.csv", "x,y\n1,5\n"), "-t", "y", "-o", path("m.mercer")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Outcome score = run({"score", path("m.mercer"), path("one.csv"), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_TRUE(parse(score.out)["scores"][0]["metrics"]["rmse"]["upper"].is_null());
}

TEST_F(Hostile, ModelFiles) {
  const std::string data = write_plane("p.csv");
  ASSERT_EQ(run({"fit", "ridge", data, "-t", "y", "-o", path("good.mercer"), "-q"}).code, 0);
  const std::string good = read("good.mercer");
  std::vector<std::pair<std::string, std::string>> files = {
      {"empty.mercer", ""},
      {"text.mercer", "this is no model\n"},
      {"claims.mercer", std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10)},
      {"zeros.mercer", std::string(64, '\0')},
      {"longer.mercer", good + "more"},
  };
  for (const std::size_t length :
       {std::size_t{4}, std::size_t{8}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
    files.emplace_back("cut" + std::to_string(length) + ".mercer", good.substr(0, length));
  }
  for (const auto& [name, content] : files) {
    SCOPED_TRACE(name);
    const std::string model = write(name, content);
    for (const char* command : {"predict", "score"}) {
      const Outcome outcome = run({command, model, data});
      EXPECT_EQ(outcome.code, 3) << outcome.err;
      EXPECT_TRUE(contains(outcome.err, name)) << outcome.err;
      EXPECT_EQ(outcome.out, "");
    }
  }
}

TEST_F(Hostile, NewDataThatDoesNotFitTheModel) {
  ASSERT_EQ(run({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-o", path("m.mercer"), "-q"}).code, 0);
  const Outcome missing = run({"predict", path("m.mercer"), write("new.csv", "a,c\n1,2\n"), "-o", path("out.csv")});
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(contains(missing.err, "new.csv")) << missing.err;
  EXPECT_TRUE(contains(missing.err, "'b'")) << missing.err;
  EXPECT_FALSE(exists("out.csv"));
  const Outcome words = run({"predict", path("m.mercer"), write("words.csv", "a,b\n1,two\n")});
  EXPECT_EQ(words.code, 3);
  EXPECT_TRUE(contains(words.err, "words.csv")) << words.err;
  const Outcome no_target = run({"score", path("m.mercer"), write("x.csv", "a,b\n1,2\n")});
  EXPECT_EQ(no_target.code, 3);
  EXPECT_TRUE(contains(no_target.err, "'y'")) << no_target.err;
}

}  // namespace
}  // namespace mercer::cli_test
