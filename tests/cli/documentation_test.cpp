// Every command that README.md, the pages about the program and those about models show is run, in the order of its
// page, on small files of the names that it uses.
#include "cli/documentation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

using Words = std::vector<std::string>;

constexpr int rows = 40;
const std::set<std::string> class_columns = {"label", "side", "class", "object", "group", "kind", "sold"};

std::string value_of(const std::string& column, int row) {
  const double x = std::sin(1.7 * row + 0.3 * static_cast<double>(column.size()));
  if (class_columns.contains(column)) {
    return std::sin(1.7 * row) + 0.3 * std::cos(5.1 * row) > 0 ? "yes" : "no";
  }
  if (column == "shape") {
    return row % 3 == 0 ? "disc" : row % 3 == 1 ? "ring" : "star";
  }
  if (column == "state") {
    return row % 8 == 0 ? "broken" : "good";
  }
  if (column == "patient") {
    return "p" + std::to_string(row % 8);
  }
  if (column == "sequence" || column == "advert") {
    return std::string(row % 2 == 0 ? "ACGTACGT" : "TGCATGCA").substr(static_cast<std::size_t>(row % 4)) + "AC";
  }
  if (column == "town") {
    return row % 3 == 0 ? "north" : "south";
  }
  if (column == "visits" || column == "rooms") {
    return std::to_string(1 + row % 5);
  }
  return std::to_string(40 + 10 * x + 0.1 * (row % 7));
}

/// The word after one of the flags; empty where none is given.
std::string after(const Words& command, const Words& flags) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (std::find(flags.begin(), flags.end(), command[i]) != flags.end()) {
      return command[i + 1];
    }
  }
  return "";
}

/// Names between commas, or between brackets of a kernel.
void add_names(const std::string& text, std::set<std::string>& names) {
  std::string name;
  for (const char c : text + ",") {
    if (c == ',') {
      names.insert(name);
      name.clear();
    } else if (c != ' ') {
      name += c;
    }
  }
  names.erase("");
}

void add_subscripts(const std::string& text, std::set<std::string>& names) {
  for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
    add_names(text.substr(open + 1, text.find(']', open) - open - 1), names);
  }
}

/// The columns that a command names beside age and bmi, which every table has.
std::set<std::string> columns_named(const Words& command) {
  std::set<std::string> names;
  add_names(after(command, {"-t", "--target"}), names);
  add_names(after(command, {"--groups"}), names);
  add_names(after(command, {"--text"}), names);
  add_names(after(command, {"--columns"}), names);
  add_subscripts(after(command, {"-k", "--kernel"}), names);
  for (const std::string& word : command) {
    if (word.starts_with("parametric=") || word.starts_with("tube=")) {
      add_subscripts(word, names);
    }
  }
  if (command[0] != "predict") {  // where it is a flag without a column
    add_names(after(command, {"--tube"}), names);
  }
  names.insert({"age", "bmi"});
  return names;
}

class Documentation : public CliTest, public ::testing::WithParamInterface<std::filesystem::path> {
 protected:
  // Pages name files without folders: they are in the current one.
  Documentation() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_); }
  ~Documentation() override { std::filesystem::current_path(before_); }

  void write_table(const std::string& name) const {
    std::string text;
    for (const std::string& column : columns_) {
      text += (text.empty() ? "" : ",") + column;
    }
    for (int i = 0; i < rows; ++i) {
      std::string line;
      for (const std::string& column : columns_) {
        line += (line.empty() ? "" : ",") + value_of(column, i);
      }
      text += "\n" + line;
    }
    write(name, text + "\n");
  }
  void write_sequences(const std::string& name) const {
    std::string text;
    for (int i = 0; i < rows; ++i) {
      text += ">s" + std::to_string(i) + " label=" + (i % 2 == 0 ? "1" : "-1") + "\n" +
              (i % 2 == 0 ? "ACGTACGTACGT" : "TGCATGCATGCA") + "\n";
    }
    write(name, text);
  }
  void write_sparse(const std::string& name) const {
    std::string text;
    for (int i = 0; i < rows; ++i) {
      text += (i % 2 == 0 ? "1 1:" : "-1 2:") + value_of("age", i) + " 3:1\n";
    }
    write(name, text);
  }
  void write_baskets(const std::string& name) const {
    std::string text;
    for (int i = 0; i < rows; ++i) {
      text += R"({"items": [")" + std::string(i % 2 == 0 ? "tea" : "nails") + R"(", "bag"], "price": )" +
              std::to_string(i % 9) + R"(, "sold": ")" + (i % 2 == 0 ? "yes" : "no") + "\"}\n";
    }
    write(name, text);
  }
  void write_texts(const std::string& folder) const {
    for (int i = 0; i < rows; ++i) {
      const std::string kind = folder + (i % 2 == 0 ? "space" : "sport");
      std::filesystem::create_directories(path(kind));
      write(kind + "/" + std::to_string(i), i % 2 == 0 ? "an orbit of the moon" : "a goal of the team");
    }
  }
  void write_graphs(const std::string& folder) const {
    std::filesystem::create_directories(path(folder));
    std::string edges;
    std::string graphs;
    std::string labels;
    for (int g = 0; g < rows; ++g) {
      const int first = 3 * g + 1;
      edges += std::to_string(first) + ", " + std::to_string(first + 1) + "\n";
      edges += g % 2 == 0 ? std::to_string(first + 1) + ", " + std::to_string(first + 2) + "\n" : "";
      graphs += std::string(3, '#');
      labels += g % 2 == 0 ? "1\n" : "-1\n";
    }
    std::string indicator;
    for (std::size_t v = 0; v < graphs.size(); ++v) {
      indicator += std::to_string(v / 3 + 1) + "\n";
    }
    const std::string stem = folder + std::filesystem::path(folder).parent_path().filename().string();
    write(stem + "_A.txt", edges);
    write(stem + "_graph_indicator.txt", indicator);
    write(stem + "_graph_labels.txt", labels);
  }

  /// Makes the file that a command reads; false: a kind that is not made here.
  bool make(const std::string& name) const {
    if (name.ends_with(".csv")) {
      write_table(name);
    } else if (name.ends_with(".fasta")) {
      write_sequences(name);
    } else if (name.ends_with(".svm")) {
      write_sparse(name);
    } else if (name == "baskets.jsonl") {
      write_baskets(name);
    } else if (name == "news/") {
      write_texts(name);
    } else if (name == "MUTAG/") {
      write_graphs(name);
    } else {
      return false;
    }
    return true;
  }

  /// Fits a model that the page has without saying how: one that the command can use.
  void fit_missing(const std::string& name, const std::string& command) {
    Words fit = {"fit", "svc", "fitted.csv", "-t", "label", "-o", name};
    columns_ = {"age", "bmi", "label"};
    if (name == "gp.mercer") {
      fit = {"fit", "gp", "fitted.csv", "-t", "price", "-o", name};
      columns_ = {"age", "bmi", "price"};
    } else if (command == "weights") {
      fit = {"fit", "linearsvc", "fitted.csv", "-t", "label", "-k", "spectrum(k=2)[sequence]", "-o", name};
      columns_ = {"sequence", "label"};
    }
    write_table("fitted.csv");
    const Outcome outcome = run(fit);
    ASSERT_EQ(outcome.code, 0) << name << ": " << outcome.err;
  }

  /// Makes what the command reads and runs it.
  void run_command(Words command) {
    std::string shown = "mercer";
    for (const std::string& word : command) {
      shown += " " + word;
    }
    SCOPED_TRACE(shown);
    if (command[0] == "fit" || command[0] == "tune" || command[0] == "path" || command[0] == "gram" ||
        command[0] == "test") {
      columns_ = columns_named(command);
      columns_.insert(asked_later_.begin(), asked_later_.end());
    } else {
      columns_.merge(columns_named(command));
    }
    const std::string output = after(command, {"-o", "--output"});
    std::string missing;
    for (std::string& word : command) {
      if (word.starts_with("examples/data/")) {
        word = example(word.substr(14));
      } else if (word.ends_with(".mercer") && word != output && !exists(word)) {
        fit_missing(word, command[0]);
      } else if (is_input(command, word) && !make(word) && missing.empty()) {
        missing = word;
      }
    }
    const Outcome outcome = run(command);
    if (missing.empty()) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    } else {
      // Whatever is wrong with the command itself would be found first.
      EXPECT_EQ(outcome.code, 3) << outcome.err;
      EXPECT_TRUE(contains(outcome.err, missing.substr(0, missing.find('/')))) << outcome.err;
    }
  }

  /// Whether a word names data: a word with a suffix of data, or a folder, that no flag for output precedes.
  bool is_input(const Words& command, const std::string& word) const {
    static const Words writes = {"-o", "--output", "--events", "--svg", "--report", "--tuning"};
    static const Words suffixes = {".csv", ".fasta", ".svm", ".jsonl", ".npy", ".gz", ".xz", ".tar", "/"};
    const auto at = std::find(command.begin(), command.end(), word);
    if (at != command.begin() && std::find(writes.begin(), writes.end(), *(at - 1)) != writes.end()) {
      return false;
    }
    return word.find(".tar.xz/") != std::string::npos ||
           std::any_of(suffixes.begin(), suffixes.end(), [&](const std::string& end) { return word.ends_with(end); });
  }

  std::filesystem::path before_;
  std::set<std::string> columns_;      // of the tables
  std::set<std::string> asked_later_;  // columns that a command of the block wants back from a model
};

TEST_P(Documentation, CommandsRun) {
  for (const Block& block : blocks_of(GetParam())) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::filesystem::remove_all(entry.path());
    }
    asked_later_.clear();
    for (const Words& command : block) {
      add_names(after(command, {"--columns"}), asked_later_);
    }
    for (const Words& command : block) {
      run_command(command);
    }
  }
}

const std::set<std::filesystem::path> pages = pages_with_commands();

INSTANTIATE_TEST_SUITE_P(Pages, Documentation, ::testing::ValuesIn(pages.begin(), pages.end()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(DocumentationText, CommandsAreFoundAndSplit) {
  EXPECT_EQ(shell_words("    mercer fit svc a.csv -k \"rbf(gamma=1) + linear()\"  # why"),
            (Words{"mercer", "fit", "svc", "a.csv", "-k", "rbf(gamma=1) + linear()"}));
  EXPECT_GT(pages.size(), 50U);
}

}  // namespace
}  // namespace mercer::cli_test
