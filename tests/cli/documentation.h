// The commands that the documentation shows: lines of indented code that begin with "mercer".
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace mercer::cli_test {

/// A command line as the shell would split it: quotes hold words together, " #" begins a comment.
inline std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false;
  bool inside = false;
  for (const char c : line) {
    if (c == '#' && !inside) {
      break;
    }
    if (c == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) {
      words.emplace_back();
      inside = true;
    }
    if (c == '"') {
      quoted = !quoted;
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// Commands that stand together, each as its words without "mercer".
using Block = std::vector<std::vector<std::string>>;

/// The blocks of a page. A line that ends with a backslash goes on in the next.
inline std::vector<Block> blocks_of(const std::filesystem::path& page) {
  std::vector<Block> blocks;
  std::ifstream file(page);
  bool together = false;
  for (std::string line; std::getline(file, line);) {
    for (std::string next; line.ends_with('\\') && std::getline(file, next);) {
      line.back() = ' ';
      line += next;
    }
    const bool command = line.starts_with("    mercer ");
    if (command) {
      if (!together) {
        blocks.emplace_back();
      }
      const std::vector<std::string> words = shell_words(line);
      blocks.back().emplace_back(words.begin() + 1, words.end());
    }
    together = command;
  }
  return blocks;
}

/// README.md, the pages about the program and those about models.
inline std::set<std::filesystem::path> pages_with_commands() {
  const std::filesystem::path root = std::filesystem::path(MERCER_TEST_DIR).parent_path();
  std::set<std::filesystem::path> pages = {root / "README.md"};
  for (const auto& folder : {root / "docs", root / "docs" / "models"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".md" && !blocks_of(entry.path()).empty()) {
        pages.insert(entry.path());
      }
    }
  }
  return pages;
}

}  // namespace mercer::cli_test
