// LIBSVM's own programs, run beside ours where the machine has them (Debian package libsvm-tools).
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"

namespace mercer::cli_test {

inline std::string peer(const std::string& name) { return "/usr/bin/" + name; }
inline bool has_peer() { return std::filesystem::exists(peer("svm-train")); }

#define MERCER_SKIP_WITHOUT_LIBSVM()                                                \
  if (!has_peer()) {                                                                \
    GTEST_SKIP() << "LIBSVM is not installed (package libsvm-tools): not compared"; \
  }

/// Runs any program; arguments must not hold quotes.
inline Outcome run_other(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& folder) {
  std::string line = "'" + program + "'";
  for (const std::string& argument : arguments) {
    line += " '" + argument + "'";
  }
  const int status = std::system((line + " > '" + folder + "/peer.out' 2> '" + folder + "/peer.err'").c_str());
  const auto text = [&](const char* name) {
    std::ifstream file(folder + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text("/peer.out"), text("/peer.err")};
}

/// All numbers and words of a text.
inline std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Two classes that overlap, in 13 columns, some of them missing: like heart_scale, but made here.
inline std::string two_classes(int rows, unsigned seed, int classes = 2) {
  std::string text;
  unsigned state = seed * 2654435761U + 12345U;
  const auto uniform = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8U) / static_cast<double>(1U << 24U);
  };
  for (int i = 0; i < rows; ++i) {
    const int label = static_cast<int>(uniform() * classes);
    text += classes == 2 ? (label == 0 ? "+1" : "-1") : std::to_string(label + 1);
    for (int j = 1; j <= 13; ++j) {
      const double shift = j % classes == label ? 0.5 : 0.0;
      const double value = 2 * uniform() - 1 + shift;
      if (uniform() < 0.8) {
        std::ostringstream number;
        number << value;
        text += " " + std::to_string(j) + ":" + number.str();
      }
    }
    text += "\n";
  }
  return text;
}

/// The linear Gram matrix of sparse rows as LIBSVM's precomputed text.
inline std::string precomputed(const std::string& data) {
  std::vector<std::vector<double>> rows;
  std::vector<std::string> labels;
  std::istringstream lines(data);
  for (std::string line; std::getline(lines, line);) {
    const auto tokens = words(line);
    labels.push_back(tokens[0]);
    rows.emplace_back(14, 0.0);
    for (std::size_t t = 1; t < tokens.size(); ++t) {
      const auto colon = tokens[t].find(':');
      rows.back()[std::stoi(tokens[t])] = std::stod(tokens[t].substr(colon + 1));
    }
  }
  std::ostringstream text;
  text.precision(12);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text << labels[i] << " 0:" << i + 1;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      double product = 0;
      for (std::size_t c = 0; c < rows[i].size(); ++c) {
        product += rows[i][c] * rows[j][c];
      }
      text << " " << j + 1 << ":" << product;
    }
    text << "\n";
  }
  return text.str();
}

}  // namespace mercer::cli_test
