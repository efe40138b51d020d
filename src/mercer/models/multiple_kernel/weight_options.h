// What mklsvc, mklsvr and mklridge share: the options that say how weights of a sum of kernels are learnt, and the steps
// around the learning itself. The result is the weighted sum as one kernel, to which an ordinary model is fitted.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/models/merged_rows.h"
#include "mercer/models/model.h"
#include "mercer/models/multiple_kernel/summands.h"
#include "mercer/models/multiple_kernel/weight_rows.h"
#include "mercer/models/target_scaling.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/convex/kernel_weights.h"

namespace mercer {

/// Smooth and rough functions of the numeric columns, for fits that are given no kernel.
inline constexpr const char* default_kernel_sum =
    "linear() + poly(degree=2) + rbf(gamma=scale) + exponential(lengthscale=scale)";

/// By the machine's own objective, every kernel by its alignment with the targets, the sum that aligns best, or all equal.
enum class WeightMethod { machine, alignment, joint_alignment, uniform };
constexpr auto words_of(WeightMethod) {
  return std::array{Word{WeightMethod::machine, "mkl"}, Word{WeightMethod::alignment, "align"},
                    Word{WeightMethod::joint_alignment, "alignf"}, Word{WeightMethod::uniform, "uniform"}};
}

struct WeightLearningOptions {
  WeightMethod method = WeightMethod::machine;
  double norm = 1;
  SummandSize normalize = SummandSize::trace;
  double weight_tolerance = 1e-3;
  Index weight_rounds = 100;
  Index weight_rows = 3000;

  /// The table's lines for these, for an options struct derived from this one.
  template <class Options>
  static std::vector<Option<Options>> table();
  /// What the table cannot say.
  void validate(const char* model) const;
  /// Whether weights come from the sizes of the summands alone, without their matrices.
  bool is_given(std::size_t summands) const { return method == WeightMethod::uniform || summands == 1; }
};

/// The kernel that was learnt, and how.
struct LearnedKernel {
  Kernel kernel;          ///< the weighted sum, widths resolved
  std::string requested;  ///< the same with widths as they were written
  FitReport report;       ///< phases, measures, notes and status of the learning
  ModelOrigin origin;     ///< what learnt it, and with which options
};

/// Where the targets of a regression are measured from: 0 for machines without offset.
enum class TargetOrigin { mean, zero };

/// The targets of the chosen rows as the machines see them.
struct WeightTargets {
  Matrix<double> values;       ///< rows × outputs
  std::vector<double> scales;  ///< per output, what they were divided by
};
/// `counted` are the rows of the data that count, rows.numbers choose from them; means and scales are those of all
/// counted rows. DataError for targets that are not finite.
WeightTargets weight_targets(const Targets& targets, const CountedRows& counted, const WeightRows& rows,
                             Standardization kind, TargetOrigin origin);

/// What is learnt from: the targets for alignment (n × outputs), and the machine for mkl.
struct WeightTask {
  Matrix<double> targets;
  std::function<std::unique_ptr<WeightProblem>(const SummandGrams& grams, std::span<const Kernel> kernels)> machine;
};

/// `all` are all counted samples, on which widths are resolved.
LearnedKernel learn_kernel(const char* model, const Kernel& kernel, const WeightLearningOptions& options,
                           const WeightedSamples& all, const WeightRows& rows, const WeightTask& task,
                           Centering centering, double memory_bytes, const Run& run);

/// The head of a model fitted to the learnt kernel, with what the learning reports.
ModelHead with_learning(ModelHead head, const LearnedKernel& learned);
/// A support vector machine fitted to the learnt kernel and to merged rows: its support vectors become rows of what was
/// given.
template <class Model>
std::unique_ptr<Model> with_learning(const Model& machine, const LearnedKernel& learned, const MergedRows& merged);

/// The lines of a table for an options struct derived from its own, without those named.
template <class Derived, class Options>
std::vector<Option<Derived>> inherited_table(std::span<const Option<Options>> table,
                                             std::vector<std::string> left_out = {});

template <class Model>
std::unique_ptr<Model> with_learning(const Model& machine, const LearnedKernel& learned, const MergedRows& merged) {
  typename Model::Parts parts = machine.parts();
  parts.support_rows = merged.given(std::move(parts.support_rows));
  return std::make_unique<Model>(with_learning(machine.head(), learned), std::move(parts));
}

template <class Options>
std::vector<Option<Options>> WeightLearningOptions::table() {
  return {
      {"method", &WeightLearningOptions::method,
       "mkl: the weights that make the machine's own objective smallest; align: each kernel by its centered alignment "
       "with the targets; alignf: the sum that aligns best; uniform: all equal"},
      {"norm", &WeightLearningOptions::norm,
       "of mkl: p of the constraint |d|_p <= 1 on the weights; 1 makes most of them 0, 2 and more keeps all",
       Limits::from(1)},
      {"normalize", &WeightLearningOptions::normalize,
       "summands are first brought to size 1: by the mean of their diagonal, by the variance in their feature space, "
       "row by row to unit length, or not at all"},
      {"weight_tolerance", &WeightLearningOptions::weight_tolerance, "of mkl: relative duality gap of the weights",
       Constraint::positive},
      {"weight_rounds", &WeightLearningOptions::weight_rounds, "of mkl: machines solved at most", Constraint::positive},
      {"weight_rows", &WeightLearningOptions::weight_rows,
       "rows, drawn at random, that weights are learnt on; the model itself is fitted to all. 0: all",
       Constraint::nonnegative},
  };
}

template <class Derived, class Options>
std::vector<Option<Derived>> inherited_table(std::span<const Option<Options>> table,
                                             std::vector<std::string> left_out) {
  std::vector<Option<Derived>> lines;
  for (const Option<Options>& line : table) {
    if (std::find(left_out.begin(), left_out.end(), line.name) == left_out.end()) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace mercer
