// Linear hinge machine with a regularized intercept against LIBLINEAR (-s 3 -B 1), solve time alone, one thread each
// way: reuters-moneyfx, and 1 M x 100 generated numbers in double. LIBLINEAR's library, which its program train links,
// is called in this process, so that reading files does not count. "At the same objective": LIBLINEAR runs with its own
// stopping tolerance; ours is the loosest of a ladder whose primal and dual values are both at least as good.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/data/files/data_file.h"
#include "mercer/solvers/linear/linear_svm.h"
#include "timing.h"

namespace {

using namespace mercer;
using bench::seconds_now;

// The part of LIBLINEAR's interface that is used here (version 2).
struct Node {
  int index;
  double value;
};
struct PeerProblem {
  int rows;
  int columns;
  double* targets;
  Node** nodes;
  double bias;
};
struct PeerParameter {
  int solver = 3;
  double tolerance = 0.1;
  double bound = 1;
  int weights = 0;
  int* weight_labels = nullptr;
  double* weight_values = nullptr;
  double epsilon = 0.1;
  // Members that only some versions have; zeros mean their defaults.
  double unused[4] = {};
};

double peer_dual = 0;  // the library reports it through its print function only
void read_peer_text(const char* text) {
  const std::string line(text);
  const std::string key = "Objective value = ";
  if (const auto at = line.find(key); at != std::string::npos) {
    peer_dual = -std::strtod(line.c_str() + at + key.size(), nullptr);
  }
}

class Peer {
 public:
  Peer() : library_(dlopen("liblinear.so.4", RTLD_NOW)) {
    if (library_ != nullptr) {
      find("set_print_string_function", set_print_);
      find("train", train_);
      find("get_decfun_coef", coefficient_);
      find("get_decfun_bias", bias_);
      find("get_labels", labels_);
      find("free_and_destroy_model", free_);
      set_print_(&read_peer_text);
    }
  }
  bool present() const { return library_ != nullptr; }

  struct Solution {
    double seconds = 0;
    std::vector<double> weights;
    double intercept = 0;
    double dual = 0;
  };
  Solution solve(const PeerProblem& problem, double tolerance) const {
    PeerParameter parameter;
    parameter.tolerance = tolerance;
    Solution solution;
    const double start = seconds_now();
    void* model = train_(&problem, &parameter);
    solution.seconds = seconds_now() - start;
    solution.dual = peer_dual;
    int labels[2];
    labels_(model, labels);
    for (int j = 1; j < problem.columns; ++j) {
      solution.weights.push_back(labels[0] * coefficient_(model, j, 0));
    }
    solution.intercept = labels[0] * bias_(model, 0);
    free_(&model);
    return solution;
  }

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }
  void* library_;
  void (*set_print_)(void (*)(const char*)) = nullptr;
  void* (*train_)(const PeerProblem*, const PeerParameter*) = nullptr;
  double (*coefficient_)(const void*, int, int) = nullptr;
  double (*bias_)(const void*, int) = nullptr;
  void (*labels_)(const void*, int*) = nullptr;
  void (*free_)(void**) = nullptr;
};

struct Set {
  std::string name;
  Samples samples;
  std::vector<double> targets;
};

template <class Visit>
void for_each_value(const Samples& samples, Index i, Visit&& visit) {
  if (samples.kind() == SampleKind::sparse) {
    const auto& rows = samples.as<SparseRows<double>>();
    for (auto at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      visit(rows.column_numbers[at], rows.values[at]);
    }
  } else {
    const auto& rows = samples.as<DenseRows<double>>();
    for (Index j = 0; j < rows.columns; ++j) {
      visit(static_cast<int>(j), rows(i, j));
    }
  }
}

// 1/2 |w|^2 + 1/2 b^2 + Σ hinge, C = 1.
double primal(const Set& set, const std::vector<double>& w, double b) {
  double sum = 0.5 * b * b;
  for (const double weight : w) {
    sum += 0.5 * weight * weight;
  }
  for (Index i = 0; i < set.samples.size(); ++i) {
    double f = b;
    for_each_value(set.samples, i, [&](int j, double x) { f += w[j] * x; });
    sum += std::max(0.0, 1 - set.targets[i] * f);
  }
  return sum;
}

void compare(const Peer& peer, const Set& set, double peer_tolerance, int repeats) {
  std::vector<Node> nodes;
  std::vector<std::size_t> starts;
  const int columns = static_cast<int>(set.samples.columns());
  for (Index i = 0; i < set.samples.size(); ++i) {
    starts.push_back(nodes.size());
    for_each_value(set.samples, i, [&](int j, double x) { nodes.push_back({j + 1, x}); });
    nodes.push_back({columns + 1, 1.0});
    nodes.push_back({-1, 0.0});
  }
  std::vector<Node*> rows;
  for (const std::size_t start : starts) {
    rows.push_back(nodes.data() + start);
  }
  std::vector<double> targets = set.targets;
  const PeerProblem peer_problem{static_cast<int>(set.samples.size()), columns + 1, targets.data(), rows.data(), 1.0};
  Peer::Solution theirs = peer.solve(peer_problem, peer_tolerance);
  for (int repeat = 1; repeat < repeats; ++repeat) {
    theirs.seconds = std::min(theirs.seconds, peer.solve(peer_problem, peer_tolerance).seconds);
  }
  const double peer_primal = primal(set, theirs.weights, theirs.intercept);

  const std::vector<double> bounds(set.targets.size(), 1.0);
  const mercer::Run run(RunOptions{.threads = 1});
  LinearSvmOptions options{.intercept = LinearIntercept::regularized, .max_passes = 100000};
  options.tolerance = 2 * (1 - theirs.dual / peer_primal);
  LinearSvmResult ours;
  for (;; options.tolerance *= 0.7) {
    ours = solve_linear_svm({set.samples, set.targets, bounds}, options, run);
    if ((ours.primal <= peer_primal * (1 + 1e-9) && ours.dual >= theirs.dual * (1 - 1e-9)) ||
        options.tolerance < 1e-10) {
      break;
    }
  }
  for (int repeat = 1; repeat < repeats; ++repeat) {
    ours.seconds = std::min(ours.seconds, solve_linear_svm({set.samples, set.targets, bounds}, options, run).seconds);
  }
  std::printf(
      "{\"bench\":\"linear svm %s -e "
      "%g\",\"ours_s\":%.4g,\"peer_s\":%.4g,\"ratio\":%.4g,\"tolerance\":%.2g,\"passes\":%d,"
      "\"primal\":%.9g,\"peer_primal\":%.9g,\"dual\":%.9g,\"peer_dual\":%.9g}\n",
      set.name.c_str(), peer_tolerance, ours.seconds, theirs.seconds, ours.seconds / theirs.seconds, options.tolerance,
      ours.passes, ours.primal, peer_primal, ours.dual, theirs.dual);
  std::fflush(stdout);
}

Set generated(Index rows, Index columns) {
  RandomStream random(1);
  std::vector<double> truth(columns);
  fill_normal(random, std::span<double>(truth));
  Matrix<double> x(rows, columns);
  fill_normal(random, std::span<double>(x.data(), static_cast<std::size_t>(rows * columns)));
  const double scale = 1 / std::sqrt(static_cast<double>(columns));
  Set set{"generated " + std::to_string(rows) + " x " + std::to_string(columns), {}, {}};
  for (Index i = 0; i < rows; ++i) {
    double f = 0;
    for (Index j = 0; j < columns; ++j) {
      x(i, j) *= scale;  // rows of length about 1
      f += x(i, j) * truth[j];
    }
    set.targets.push_back(f + 0.3 * random.normal() > 0 ? 1.0 : -1.0);
  }
  set.samples = make_dense(std::move(x));
  return set;
}

}  // namespace

int main(int argc, char** argv) {
  const Index rows = argc > 1 ? std::atol(argv[1]) : 1000000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  const Peer peer;
  if (!peer.present()) {
    std::fprintf(stderr, "linear svm: skipped, needs liblinear.so.4\n");
    return 0;
  }
  const char* folder = std::getenv("MERCER_DATA");
  const std::string path =
      std::string(folder != nullptr ? folder : "../shared/data") + "/reuters-moneyfx/reuters.trn.bz2";
  if (std::filesystem::exists(path)) {
    const DataFile file = read_data(path);
    Set set{"reuters-moneyfx", file.samples, {}};
    for (const double value : file.targets->columns()[0].values) {
      set.targets.push_back(value > 0 ? 1.0 : -1.0);
    }
    compare(peer, set, 0.1, 5 * repeats);
    compare(peer, set, 0.001, 5 * repeats);
  } else {
    std::fprintf(stderr, "linear svm reuters-moneyfx: skipped, needs %s\n", path.c_str());
  }
  compare(peer, generated(rows, 100), 0.1, repeats);
}
