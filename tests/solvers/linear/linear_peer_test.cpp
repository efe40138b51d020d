// Agreement with LIBLINEAR's program on small random data: its weights, put into our objective, are no better than ours
// and, as it is run with a small tolerance, hardly worse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>

#include "data/temporary_folder.h"
#include "solvers/linear_oracle.h"

namespace mercer {
namespace {

using namespace test;

constexpr const char* peer_program = "/usr/bin/liblinear-train";

void write_libsvm_text(const LinearData& data, const std::string& path) {
  std::ofstream file(path);
  file << std::setprecision(17);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    file << data.targets[i];
    for (std::size_t j = 0; j < data.x[i].size(); ++j) {
      if (data.x[i][j] != 0) {
        file << ' ' << j + 1 << ':' << data.x[i][j];
      }
    }
    file << '\n';
  }
}

// w and, with a bias column, its weight as the last number.
std::vector<double> peer_weights(const std::string& model_path) {
  std::ifstream model(model_path);
  std::string line;
  double sign = 1;
  while (std::getline(model, line) && line != "w") {
    if (line.rfind("label ", 0) == 0) {
      sign = std::strtod(line.c_str() + 6, nullptr) > 0 ? 1 : -1;
    }
  }
  std::vector<double> weights;
  for (double weight = 0; model >> weight;) {
    weights.push_back(sign * weight);
  }
  return weights;
}

struct PeerCase {
  int solver;
  LinearLoss loss;
  LinearPenalty penalty;
};

class LinearPeer : public testing::TestWithParam<PeerCase> {};

TEST_P(LinearPeer, SameObjective) {
  if (!std::filesystem::exists(peer_program)) {
    GTEST_SKIP() << peer_program << " is not installed";
  }
  const PeerCase peer = GetParam();
  const TemporaryFolder folder;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const LinearIntercept intercept : {LinearIntercept::none, LinearIntercept::regularized}) {
      LinearData data = random_data(80, 7, peer.loss, seed);
      std::fill(data.bounds.begin(), data.bounds.end(), 0.25);
      write_libsvm_text(data, folder.file("data"));
      const std::string bias = intercept == LinearIntercept::none ? "-1" : "2";
      const std::string command = std::string(peer_program) + " -s " + std::to_string(peer.solver) +
                                  " -c 0.25 -p 0.1 -e 1e-6 -B " + bias + " -q " + folder.file("data") + " " +
                                  folder.file("model") + " > /dev/null 2>&1";
      ASSERT_EQ(std::system(command.c_str()), 0) << command;
      const LinearSvmOptions options{.loss = peer.loss,
                                     .penalty = peer.penalty,
                                     .intercept = intercept,
                                     .intercept_scale = 2,
                                     .tolerance = 1e-8,
                                     .max_passes = 1000000};
      const LinearSvmResult ours = solve(data, options);
      expect_certified(data, options, ours);
      std::vector<double> theirs = peer_weights(folder.file("model"));
      double b = 0;
      if (intercept == LinearIntercept::regularized) {
        b = 2 * theirs.back();
        theirs.pop_back();
      }
      ASSERT_EQ(theirs.size(), 7);
      const double objective = primal_of(data, options, theirs, b);
      EXPECT_LE(ours.primal, objective * (1 + 1e-7));
      EXPECT_GE(ours.primal, objective * (1 - 1e-4));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, LinearPeer,
                         testing::Values(PeerCase{3, LinearLoss::hinge, LinearPenalty::l2},
                                         PeerCase{1, LinearLoss::squared_hinge, LinearPenalty::l2},
                                         PeerCase{5, LinearLoss::squared_hinge, LinearPenalty::l1},
                                         PeerCase{13, LinearLoss::epsilon_insensitive, LinearPenalty::l2},
                                         PeerCase{12, LinearLoss::squared_epsilon_insensitive, LinearPenalty::l2}),
                         [](const auto& info) { return "s" + std::to_string(info.param.solver); });

}  // namespace
}  // namespace mercer
