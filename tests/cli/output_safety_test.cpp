// Whatever goes wrong with an output, no file that somebody needs is lost, and the exit code tells: every subcommand
// with closed streams, full disks, limits on sizes, outputs that are inputs.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "cli/started_program.h"
#include "mercer/data/files/input_stream.h"

namespace mercer::cli_test {
namespace {

using Files = std::map<std::string, std::string>;  // name to content

/// What a command prints on standard output.
enum class Printed {
  result,   ///< it has failed where this is lost
  message,  ///< or nothing: its files are its result
};

struct Command {
  std::string title;
  std::vector<std::string> arguments;  ///< files are named as they are in `inputs` and `outputs`
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  Printed printed = Printed::result;

  const std::string& name() const { return arguments.front(); }
  bool is_libsvm() const { return name().starts_with("svm-"); }
  int refusal() const { return is_libsvm() ? 1 : 2; }
};

std::ostream& operator<<(std::ostream& stream, const Command& command) { return stream << command.title; }

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"fit",
       {"fit", "svc", "data.csv", "-t", "label", "-o", "out.mercer", "--report", "page.html"},
       {"data.csv"},
       {"out.mercer", "page.html"},
       Printed::message},
      {"fit_with_targets",
       {"fit", "ridge", "columns.csv", "--targets-file", "targets.csv", "-o", "out.mercer"},
       {"columns.csv", "targets.csv"},
       {"out.mercer"},
       Printed::message},
      {"fit_json",
       {"fit", "svc", "data.csv", "-t", "label", "-o", "out.mercer", "--json"},
       {"data.csv"},
       {"out.mercer"}},
      {"fit_to_stdout", {"fit", "svc", "data.csv", "-t", "label", "-o", "-"}, {"data.csv"}, {}},
      {"tune",
       {"tune", "svc", "data.csv", "-t", "label", "--grid", "2", "--folds", "2", "-o", "out.mercer", "--log",
        "new.tune.jsonl"},
       {"data.csv"},
       {"out.mercer", "new.tune.jsonl"},
       Printed::message},
      {"predict",
       {"predict", "model", "data.csv", "-o", "out.csv"},
       {"model", "data.csv"},
       {"out.csv"},
       Printed::message},
      {"predict_to_stdout", {"predict", "model", "data.csv"}, {"model", "data.csv"}, {}},
      {"score", {"score", "model", "data.csv"}, {"model", "data.csv"}, {}},
      {"report",
       {"report", "model", "data.csv", "--tuning", "search.jsonl", "--no-learning", "-o", "page.html"},
       {"model", "data.csv", "search.jsonl"},
       {"page.html"},
       Printed::message},
      {"report_to_stdout", {"report", "model", "data.csv", "--no-learning", "-o", "-"}, {"model", "data.csv"}, {}},
      {"inspect", {"inspect", "model", "data.csv"}, {"model", "data.csv"}, {}},
      {"weights", {"weights", "linear", "sites.csv"}, {"linear", "sites.csv"}, {}},
      {"weights_to_files",
       {"weights", "linear", "sites.csv", "-o", "out.csv", "--svg", "out.svg"},
       {"linear", "sites.csv"},
       {"out.csv", "out.svg"},
       Printed::message},
      {"compress",
       {"compress", "model", "--to", "3", "--data", "data.csv", "-o", "out.mercer"},
       {"model", "data.csv"},
       {"out.mercer"},
       Printed::message},
      {"compress_to_stdout", {"compress", "model", "--to", "3", "-o", "-"}, {"model"}, {}},
      {"sample", {"sample", "density", "-n", "40", "-o", "out.csv"}, {"density"}, {"out.csv"}, Printed::message},
      {"sample_to_stdout", {"sample", "density", "-n", "40"}, {"density"}, {}},
      {"path",
       {"path", "svc", "data.csv", "-t", "label", "--max-c", "10", "--events", "events.csv", "-o", "out.csv"},
       {"data.csv"},
       {"events.csv", "out.csv"},
       Printed::message},
      {"path_to_stdout", {"path", "svc", "data.csv", "-t", "label", "--max-c", "10"}, {"data.csv"}, {}},
      {"test", {"test", "two-sample", "data.csv", "-t", "label", "--permutations", "50"}, {"data.csv"}, {}},
      {"gram",
       {"gram", "rbf(gamma=1)", "data.csv", "-t", "label", "-o", "out.npy"},
       {"data.csv"},
       {"out.npy"},
       Printed::message},
      {"gram_to_stdout", {"gram", "rbf(gamma=1)", "data.csv", "-t", "label", "-o", "-"}, {"data.csv"}, {}},
      {"gram_check", {"gram", "rbf(gamma=1)", "data.csv", "-t", "label", "--check"}, {"data.csv"}, {}},
      {"kernels", {"kernels"}, {}, {}},
      {"models", {"models"}, {}, {}},
      {"losses", {"losses"}, {}, {}},
      {"svm_train", {"svm-train", "data.svm", "out.model"}, {"data.svm"}, {"out.model"}, Printed::message},
      {"svm_train_folds", {"svm-train", "-v", "3", "data.svm"}, {"data.svm"}, {}},
      {"svm_predict",
       {"svm-predict", "data.svm", "libsvm.model", "out.txt"},
       {"data.svm", "libsvm.model"},
       {"out.txt"}},
      {"svm_scale", {"svm-scale", "-s", "out.scale", "data.svm"}, {"data.svm"}, {"out.scale"}},
      {"svm_scale_restored", {"svm-scale", "-r", "known.scale", "data.svm"}, {"known.scale", "data.svm"}, {}},
  };
  return table;
}

std::string classes_csv() {
  std::string text = "a,b,label\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(i % 6) + "." + std::to_string(i * 7 % 10) + "," + std::to_string(i / 6) + "," +
            (i % 6 + i / 6 > 4 + i % 2 ? "up" : "down") + "\n";
  }
  return text;
}

std::string libsvm_text() {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += (i % 6 + i / 6 > 4 + i % 2 ? "1" : "-1") + std::string(" 1:") + std::to_string(i % 6) +
            " 2:" + std::to_string(i / 6) + "\n";
  }
  return text;
}

class OutputFiles : public CliTest {
 protected:
  Outcome start(const std::vector<std::string>& arguments, const Start& how = {}) const {
    return run_started(folder_, arguments, how);
  }
  void must(const std::vector<std::string>& arguments) const {
    const Outcome outcome = start(arguments);
    EXPECT_EQ(outcome.code, 0) << testing::PrintToString(arguments) << "\n" << outcome.err;
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_symlink(target, path(name));
  }
  void link_hard(const std::string& name, const std::string& target) const {
    std::filesystem::create_hard_link(path(target), path(name));
  }

  /// Everything that commands of the table read, made once.
  void write_inputs() const {
    static const Files inputs = [this] {
      make_inputs();
      Files made;
      for (const std::string& name : listing()) {
        made[name] = read(name);
        std::filesystem::remove(path(name));
      }
      return made;
    }();
    for (const auto& [name, content] : inputs) {
      write(name, content);
    }
  }

 private:
  void make_inputs() const {
    write("data.csv", classes_csv());
    write("data.svm", libsvm_text());
    write("sites.csv",
          "label,sequence\nyes,GGTATAGG\nyes,CGTATACC\nyes,ACTATAGA\nyes,TTTATACT\nno,GGCGCAGG\nno,CGACGTCC\n"
          "no,ACGGGTGA\nno,TTCCCACT\n");
    write_plane("columns.csv");
    std::string targets;
    for (int i = 0; i < 25; ++i) {
      targets += std::to_string(i % 7) + "\n";
    }
    write("targets.csv", targets);
    must({"fit", "svc", "data.csv", "-t", "label", "-s", "C=3", "-q", "-o", "model"});
    must({"fit", "ridge", "columns.csv", "-t", "y", "-q", "-o", "old.mercer"});
    must({"fit", "kde", "columns.csv", "-q", "-o", "density"});
    must({"fit", "linearsvc", "sites.csv", "-t", "label", "--text", "sequence", "-k",
          "normalize(spectrum(k=2))[sequence]", "-q", "-o", "linear"});
    must({"tune", "svc", "data.csv", "-t", "label", "--grid", "2", "--folds", "2", "-q", "-o", "tuned", "--log",
          "search.jsonl"});
    must({"svm-train", "-q", "data.svm", "libsvm.model"});
    must({"svm-scale", "-s", "known.scale", "data.svm"});
  }
};

class OutputSafety : public OutputFiles, public testing::WithParamInterface<Command> {
 protected:
  void SetUp() override { write_inputs(); }

  /// The outputs of a run with nothing in its way; found once for a command.
  const Files& right_outputs() const {
    static std::map<std::string, Files> known;
    const auto [entry, is_new] = known.try_emplace(GetParam().title);
    if (is_new) {
      must(GetParam().arguments);
      for (const std::string& output : GetParam().outputs) {
        entry->second[output] = read(output);
        EXPECT_TRUE(is_whole(output)) << output;
        std::filesystem::remove(path(output));
      }
    }
    return entry->second;
  }
  /// The good file that a name holds before; the log of a search is appended to, and begins anew.
  std::string old_content(const std::string& output) const {
    return output.ends_with(".mercer") ? read("old.mercer") : "an older result\n";
  }
  static bool is_log(const std::string& output) { return output.ends_with(".jsonl"); }

  void write_old_outputs() const {
    for (const std::string& output : GetParam().outputs) {
      is_log(output) ? void(std::filesystem::remove(path(output))) : void(write(output, old_content(output)));
    }
  }
  // Pages and logs hold seconds.
  bool is_whole(const std::string& output) const {
    const std::string content = read(output);
    if (is_log(output)) {
      return contains(content, "\"result\"") && content.ends_with("\n");
    }
    if (output.ends_with(".html")) {  // licenses stand behind the page, as a comment
      return content.starts_with("<!doctype html>") && contains(content, "</html>\n") && content.ends_with("-->\n");
    }
    return !content.empty();
  }
  bool is_right(const std::string& output) const {
    return is_log(output) || output.ends_with(".html") ? is_whole(output) : read(output) == right_outputs().at(output);
  }
  bool is_old(const std::string& output) const { return is_log(output) || read(output) == old_content(output); }

  /// Every output is whole, old or new, and nothing half-made lies about; the new one where the exit code is 0.
  void expect_whole_outputs(const Outcome& outcome) const {
    EXPECT_LT(outcome.code, 128);
    for (const std::string& output : GetParam().outputs) {
      EXPECT_TRUE(is_right(output) || (outcome.code != 0 && is_old(output)))
          << output << " after exit code " << outcome.code << ": " << read(output).substr(0, 200);
    }
    expect_no_parts();
  }
  void expect_no_parts() const {
    for (const std::string& name : listing()) {
      EXPECT_FALSE(contains(name, ".part-")) << name;
    }
  }
  void expect_refused(const Outcome& outcome, const std::string& words) const {
    EXPECT_EQ(outcome.code, GetParam().refusal()) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, words)) << outcome.err;
  }

  std::vector<std::string> with_output(const std::string& output, const std::string& replacement) const {
    std::vector<std::string> arguments = GetParam().arguments;
    std::replace(arguments.begin(), arguments.end(), output, replacement);
    return arguments;
  }
  /// With this output in an input's place: by its name, and by links that are called as outputs are.
  void expect_input_is_kept(const std::string& output, const std::string& input) const {
    const std::string before = read(input);
    const std::string ending = std::filesystem::path(output).extension();
    link("soft" + ending, input);
    link_hard("hard" + ending, input);
    const std::vector<std::string> names = listing();
    for (const std::string& name : {input, "soft" + ending, "hard" + ending}) {
      SCOPED_TRACE(output + " as " + name + ", which is " + input);
      expect_refused(start(with_output(output, name)), "would overwrite");
      EXPECT_EQ(read(input), before);
      EXPECT_EQ(listing(), names);
    }
    std::filesystem::remove(path("soft" + ending));
    std::filesystem::remove(path("hard" + ending));
  }
};

TEST_P(OutputSafety, LostStandardOutputIsAnErrorWhereItHoldsTheResult) {
  right_outputs();
  const int expected = GetParam().printed == Printed::result ? 1 : 0;
  for (const Start& how : {Start{.out = Stream::closed}, Start{.out = Stream::closed, .err = Stream::closed},
                           Start{.out = Stream::full}, Start{.out = Stream::full, .err = Stream::full}}) {
    SCOPED_TRACE(how.out == Stream::closed ? "closed" : "full");
    write_old_outputs();
    const Outcome outcome = start(GetParam().arguments, how);
    EXPECT_EQ(outcome.code, expected) << outcome.err;
    expect_whole_outputs(outcome);
  }
}

TEST_P(OutputSafety, LostMessagesAreNoError) {
  right_outputs();
  for (const Stream err : {Stream::closed, Stream::full}) {
    write_old_outputs();
    const Outcome outcome = start(GetParam().arguments, {.err = err});
    EXPECT_EQ(outcome.code, 0);
    expect_whole_outputs(outcome);
  }
}

TEST_P(OutputSafety, AFileBeyondTheLimitLeavesTheOldOne) {
  constexpr rlim_t limit = 512;
  const Files& right = right_outputs();
  const bool fits =
      std::all_of(right.begin(), right.end(), [](const auto& file) { return file.second.size() <= limit; });
  write_old_outputs();
  const Outcome outcome = start(GetParam().arguments, {.out = Stream::discarded, .largest_file = limit});
  EXPECT_EQ(outcome.code, fits ? 0 : 1) << outcome.err;
  expect_whole_outputs(outcome);
  for (const auto& [output, content] : right) {
    EXPECT_TRUE(content.size() <= limit || is_old(output)) << output;
  }
}

TEST_P(OutputSafety, NothingIsMadeWhereAnOutputCannotBe) {
  for (const std::string& output : GetParam().outputs) {
    const std::vector<std::string> names = listing();
    const Outcome outcome = start(with_output(output, "targets.csv/out"));
    EXPECT_NE(outcome.code, 0) << output;
    EXPECT_LT(outcome.code, 128) << output;
    EXPECT_TRUE(contains(outcome.err, "targets.csv/out")) << outcome.err;
    EXPECT_EQ(listing(), names);
  }
}

TEST_P(OutputSafety, AnOutputIsNoInput) {
  for (const std::string& output : GetParam().outputs) {
    for (const std::string& input : GetParam().inputs) {
      expect_input_is_kept(output, input);
    }
  }
}

// As after >>: a table that grows while it is read, or a model with a page behind it.
TEST_P(OutputSafety, WhatIsWrittenToStandardOutputIsNotAddedToAnInput) {
  if (!GetParam().title.ends_with("_to_stdout") && GetParam().name() != "svm-scale") {
    return;
  }
  for (const std::string& input : GetParam().inputs) {
    const std::string before = read(input);
    expect_refused(start(GetParam().arguments, {.append_out_to = input}), "would overwrite");
    EXPECT_EQ(read(input), before) << input;
  }
}

TEST_P(OutputSafety, TwoOutputsAreTwoFiles) {
  const std::vector<std::string>& outputs = GetParam().outputs;
  if (outputs.size() < 2) {
    return;
  }
  const std::vector<std::string> names = listing();
  expect_refused(start(with_output(outputs[1], outputs[0])), "are one file");
  expect_refused(start(with_output(outputs[1], "./" + outputs[0])), "are one file");
  EXPECT_EQ(listing(), names);
}

INSTANTIATE_TEST_SUITE_P(, OutputSafety, testing::ValuesIn(commands()),
                         [](const auto& instance) { return instance.param.title; });

class OutputSafetyRules : public OutputFiles {};

TEST_F(OutputSafetyRules, EverySubcommandIsInTheTable) {
  std::set<std::string> covered;
  for (const Command& command : commands()) {
    covered.insert(command.name());
  }
  std::istringstream help(run({"--help"}).out);
  std::set<std::string> listed;
  bool is_list = false;
  for (std::string line; std::getline(help, line);) {
    is_list = line == "Commands:" || (is_list && !line.empty());
    if (is_list && line.starts_with("  ") && line[2] != ' ') {
      listed.insert(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  EXPECT_GE(listed.size(), 17U);
  EXPECT_EQ(covered, listed);
}

TEST_F(OutputSafetyRules, EveryNameOfStandardOutputIsOne) {
  write_inputs();
  const std::string right = start({"predict", "model", "data.csv"}).out;
  const std::string model = start({"fit", "svc", "data.csv", "-t", "label", "-s", "C=3", "-o", "-"}).out;
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(start({"predict", "model", "data.csv", "-o", name}).out, right) << name;
    EXPECT_EQ(start({"fit", "svc", "data.csv", "-t", "label", "-s", "C=3", "-o", name}).out, model) << name;
    EXPECT_EQ(start({"tune", "svc", "data.csv", "-t", "label", "-o", "t.mercer", "--log", name}).code, 2) << name;
  }
}

TEST_F(OutputSafetyRules, AResultIsNotPrintedIntoAFileThatIsNeeded) {
  write_inputs();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"inspect", "model"}, "model"},
      {{"score", "model", "data.csv"}, "data.csv"},
      {{"gram", "rbf(gamma=1)", "data.csv", "-t", "label"}, "data.csv"},
      {{"test", "two-sample", "data.csv", "-t", "label", "--permutations", "50"}, "data.csv"},
      {{"weights", "linear"}, "linear"},
      {{"predict", "model", "data.csv", "-o", "out.csv", "--json"}, "out.csv"},
      {{"fit", "svc", "data.csv", "-t", "label", "-o", "old.mercer", "--json"}, "old.mercer"}};
  for (const auto& [arguments, file] : cases) {
    write("out.csv", "old\n");
    const std::string before = read(file);
    const Outcome outcome = start(arguments, {.append_out_to = file});
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(arguments) << outcome.err;
    EXPECT_EQ(read(file), before);
  }
}

TEST_F(OutputSafetyRules, NamesMeanWhatTheySay) {
  write_inputs();
  const std::vector<std::vector<std::string>> refused = {
      {"fit", "svc", "data.csv", "-t", "label", "-o", "m.csv"},
      {"fit", "svc", "data.csv", "-t", "label", "-o", "m.mercer", "--report", "r.pdf"},
      {"predict", "model", "data.csv", "-o", "p.NPY"},
      {"fit", "svc", "data.csv", "-t", "label", "-o", ""}};
  for (const std::vector<std::string>& arguments : refused) {
    EXPECT_EQ(start(arguments).code, 2) << testing::PrintToString(arguments);
  }
  must({"gram", "rbf(gamma=1)", "data.csv", "-t", "label", "-q", "-o", "K.NPY"});
  EXPECT_TRUE(read("K.NPY").starts_with("\x93NUMPY"));
  must({"fit", "svc", "data.csv", "-t", "label", "-o", "/dev/null", "--report", "r.html"});
}

TEST_F(OutputSafetyRules, HelpThatCannotBePrintedIsAnError) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"fit", "--help"}, {"svm-train", "--help"}}) {
    for (const Start& how : {Start{.out = Stream::full}, Start{.out = Stream::closed},
                             Start{.out = Stream::closed, .err = Stream::closed}}) {
      EXPECT_EQ(start(arguments, how).code, 1) << testing::PrintToString(arguments);
    }
  }
}

TEST_F(OutputSafetyRules, ARefitKeepsTheModeOfItsModel) {
  write_inputs();
  for (const mode_t mode : {0600, 0640, 0664}) {
    chmod(path("old.mercer").c_str(), mode);
    must({"fit", "svc", "data.csv", "-t", "label", "-q", "-o", "old.mercer"});
    struct stat status{};
    ASSERT_EQ(stat(path("old.mercer").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, mode);
  }
}

TEST_F(OutputSafetyRules, AModelReplacesOtherFilesOnlyByForce) {
  write_inputs();
  const std::string text = "weeks of work\n";
  for (std::vector<std::string> arguments :
       std::vector<std::vector<std::string>>{{"fit", "svc", "data.csv", "-t", "label", "-q", "-o", "notes.txt"},
                                             {"tune", "svc", "data.csv", "-t", "label", "--grid", "2", "--folds", "2",
                                              "-q", "-o", "notes.txt", "--log", "notes.jsonl"},
                                             {"compress", "model", "--to", "3", "-q", "-o", "notes.txt"}}) {
    SCOPED_TRACE(arguments.front());
    write("notes.txt", text);
    const std::vector<std::string> names = listing();
    const Outcome refused = start(arguments);
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(contains(refused.err, "notes.txt: this file is no model")) << refused.err;
    EXPECT_TRUE(contains(refused.err, "--force")) << refused.err;
    EXPECT_EQ(read("notes.txt"), text);
    EXPECT_EQ(listing(), names);
    arguments.emplace_back("--force");
    must(arguments);
    must({"inspect", "notes.txt"});
    arguments.pop_back();
    must(arguments);  // a model now
    write("notes.txt", "");
    must(arguments);  // nothing is lost
  }
  write("notes.txt", text);
  must({"svm-train", "-q", "data.svm", "notes.txt"});  // as LIBSVM
  EXPECT_TRUE(read("notes.txt").starts_with("svm_type c_svc"));
}

std::string decoded(const std::string& path) {
  InputStream stream(path);
  std::string content;
  char buffer[4096];
  while (const std::size_t count = stream.read(buffer, sizeof buffer)) {
    content.append(buffer, count);
  }
  return content;
}

TEST_F(OutputSafetyRules, CompressedNamesHoldWhatTheyPromise) {
  write_inputs();
  must({"gram", "rbf(gamma=1)", "data.csv", "-t", "label", "-q", "-o", "k.npy"});
  const std::string plain = read("k.npy");
  ASSERT_TRUE(plain.starts_with("\x93NUMPY"));
  for (const auto& [ending, magic] : std::map<std::string, std::string>{{".gz", "\x1F\x8B"},
                                                                        {".bz2", "BZh"},
                                                                        {".xz",
                                                                         "\xFD"
                                                                         "7zXZ"}}) {
    const std::string name = "k.npy" + ending;
    must({"gram", "rbf(gamma=1)", "data.csv", "-t", "label", "-q", "-o", name});
    EXPECT_TRUE(read(name).starts_with(magic)) << name;
    EXPECT_EQ(decoded(path(name)), plain) << name;
    must({"gram", "linear()", name});
  }
  must({"sample", "density", "-n", "40", "-o", "rows.csv"});
  must({"sample", "density", "-n", "40", "-o", "rows.csv.gz"});
  EXPECT_EQ(decoded(path("rows.csv.gz")), read("rows.csv"));
  const Outcome from_plain = start({"gram", "linear()", "rows.csv", "-o", "-"});
  EXPECT_EQ(start({"gram", "linear()", "rows.csv.gz", "-o", "-"}).out, from_plain.out);
  EXPECT_EQ(from_plain.code, 0) << from_plain.err;
  const Outcome refused = start({"gram", "linear()", "rows.csv", "-o", "k.npy.zst"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_FALSE(exists("k.npy.zst"));
}

TEST_F(OutputSafetyRules, ALogThatCannotBeWrittenIsNamed) {
  write_inputs();
  const Outcome outcome = start({"tune", "svc", "data.csv", "-t", "label", "--grid", "2", "--folds", "2", "-q", "-o",
                                 "out.mercer", "--log", "/dev/full"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "/dev/full: cannot be written")) << outcome.err;
  EXPECT_FALSE(exists("out.mercer"));
}

TEST_F(OutputSafetyRules, ClosedStandardInputIsAnError) {
  const Outcome outcome = start({"fit", "ridge", "-", "-t", "0", "-o", "out.mercer"}, {.in = Stream::closed});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "stdin: cannot be read")) << outcome.err;
  EXPECT_TRUE(listing().empty());
}

}  // namespace
}  // namespace mercer::cli_test
