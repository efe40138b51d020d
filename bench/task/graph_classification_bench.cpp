// Classes of graphs by a C-SVC with the Weisfeiler-Lehman kernel: nested cross-validation, the depth h and the penalty
// C chosen inside every training part.
//
//   graph_classification_bench FOLDER [REPEATS [INNER_FOLDS]]     a folder in the TU layout; 1 and 5 unless told
//
// For every repeat ten stratified folds; on each training part INNER_FOLDS folds decide between h = 0 … 7 and C = 2^-2
// … 2^10 (kernels are normalised, each Gram matrix is computed once). One JSON object per repeat, and one for all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/parallel.h"
#include "mercer/data/files/tu_graphs.h"
#include "mercer/data/split.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "timing.h"

namespace mercer::bench {
namespace {

struct Problem {
  std::vector<Matrix<float>> grams;  // by h
  std::vector<std::int32_t> classes;
};

const std::vector<double>& penalties() {
  static const std::vector<double> values = {0.25, 1, 4, 16, 64, 256, 1024};
  return values;
}

Problem read_problem(const std::string& folder, const Run& run) {
  const auto files = find_tu_graphs(folder);
  const DataFile data = files ? read_tu_graphs(*files, run) : DataFile();
  if (!data.targets) {
    std::fprintf(stderr, "%s: no graphs with classes here\n", folder.c_str());
    std::exit(1);
  }
  Problem problem{{}, data.targets->labels(0).codes};
  for (int h = 0; h <= 7; ++h) {
    const Kernel kernel = parse_kernel("normalize(weisfeiler_lehman(h=" + std::to_string(h) + "))");
    const PreparedKernel prepared(kernel, data.samples, Precision::single_precision, run);
    Matrix<float> gram(data.samples.size(), data.samples.size());
    evaluate_gram(prepared, Triangle::both, gram.view(), run);
    problem.grams.push_back(std::move(gram));
  }
  return problem;
}

Matrix<float> part_of(const Matrix<float>& gram, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  Matrix<float> part(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      part(static_cast<Index>(i), static_cast<Index>(j)) = gram(rows[i], columns[j]);
    }
  }
  return part;
}

// Numbers of right answers on the test rows, one per penalty.
std::vector<Index> right_answers(const Problem& problem, std::size_t h, const std::vector<Index>& train,
                                 const std::vector<Index>& test, const std::vector<double>& bounds, const Run& run) {
  const DenseGram<float> gram(part_of(problem.grams[h], train, train));
  const Matrix<float> cross = part_of(problem.grams[h], test, train);
  std::vector<double> signs;
  for (const Index i : train) {
    signs.push_back(problem.classes[i] == 0 ? -1.0 : 1.0);
  }
  std::vector<Index> right;
  std::vector<double> start;
  for (const double c : bounds) {  // ascending: the last solution is feasible for the next
    const SvmDual dual = solve_c_svc<float>(gram, signs, std::vector<double>(train.size(), c), {}, run, start);
    start = dual.coefficients;
    Index count = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
      double value = dual.offset;
      for (std::size_t j = 0; j < train.size(); ++j) {
        value += dual.coefficients[j] * static_cast<double>(cross(static_cast<Index>(i), static_cast<Index>(j)));
      }
      count += (value > 0) == (problem.classes[test[i]] != 0) ? 1 : 0;
    }
    right.push_back(count);
  }
  return right;
}

std::vector<Index> chosen_rows(const std::vector<Index>& from, const std::vector<Index>& places) {
  std::vector<Index> rows;
  for (const Index place : places) {
    rows.push_back(from[place]);
  }
  return rows;
}

Index outer_fold(const Problem& problem, const Split& split, Index inner, std::uint64_t seed, const Run& run) {
  std::vector<std::int32_t> classes;
  for (const Index i : split.train) {
    classes.push_back(problem.classes[i]);
  }
  const Folds folds = stratified_k_fold(classes, inner, seed);
  Index most = -1;
  std::size_t best_h = 0;
  double best_c = 1;
  for (std::size_t h = 0; h < problem.grams.size(); ++h) {
    std::vector<Index> total(penalties().size(), 0);
    for (Index f = 0; f < inner; ++f) {
      const Split part = folds.split(f);
      const auto right = right_answers(problem, h, chosen_rows(split.train, part.train),
                                       chosen_rows(split.train, part.test), penalties(), run);
      for (std::size_t c = 0; c < total.size(); ++c) {
        total[c] += right[c];
      }
    }
    for (std::size_t c = 0; c < total.size(); ++c) {
      if (total[c] > most) {
        most = total[c];
        best_h = h;
        best_c = penalties()[c];
      }
    }
  }
  return right_answers(problem, best_h, split.train, split.test, {best_c}, run)[0];
}

int measure(const std::string& folder, int repeats, Index inner) {
  const Run run;
  const double begin = seconds_now();
  const Problem problem = read_problem(folder, run);
  std::printf("{\"bench\":\"graph classification %s: reading and 8 Gram matrices\",\"ours_s\":%.4g}\n", folder.c_str(),
              seconds_now() - begin);
  const auto n = static_cast<double>(problem.classes.size());
  std::vector<double> accuracies;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Folds folds = stratified_k_fold(problem.classes, 10, static_cast<std::uint64_t>(repeat));
    std::vector<Index> right(10, 0);
    const Run alone{{.threads = 1}};
    parallel_for(run, 10, [&](Index f) {
      right[f] = outer_fold(problem, folds.split(f), inner, static_cast<std::uint64_t>(100 + repeat), alone);
    });
    double total = 0;
    for (const Index count : right) {
      total += static_cast<double>(count);
    }
    accuracies.push_back(total / n);
    std::printf("{\"repeat\":%d,\"accuracy\":%.4f}\n", repeat, accuracies.back());
    std::fflush(stdout);
  }
  double mean = 0;
  for (const double accuracy : accuracies) {
    mean += accuracy / static_cast<double>(repeats);
  }
  double variance = 0;
  for (const double accuracy : accuracies) {
    variance += (accuracy - mean) * (accuracy - mean) / std::max(1, repeats - 1);
  }
  std::printf(
      "{\"bench\":\"graph classification %s\",\"accuracy\":%.4f,\"deviation\":%.4f,\"repeats\":%d,\"seconds\":%.4g}\n",
      folder.c_str(), mean, std::sqrt(variance), repeats, seconds_now() - begin);
  return 0;
}

}  // namespace
}  // namespace mercer::bench

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: graph_classification_bench FOLDER [REPEATS [INNER_FOLDS]]\n");
    return 2;
  }
  return mercer::bench::measure(arguments[1], count > 2 ? std::atoi(arguments[2]) : 1,
                                count > 3 ? std::atoi(arguments[3]) : 5);
}
