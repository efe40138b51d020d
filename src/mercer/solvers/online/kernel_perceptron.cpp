#include "mercer/solvers/online/kernel_perceptron.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/cholesky_update.h"

namespace mercer {

void KernelPerceptronOptions::validate() const {
  if (max_epochs < 1) {
    reject_argument("epochs", static_cast<double>(max_epochs), "1 at least");
  }
  if (!(margin >= 0) || !std::isfinite(margin)) {
    reject_argument("margin", margin, "finite and not negative");
  }
  if (budget < 0) {
    reject_argument("budget", static_cast<double>(budget), "not negative");
  }
}

namespace {

// Samples whose distance to the span of the others is below this fraction of their length lie in it.
constexpr double span_tolerance = 1e-10;

struct PerceptronChange {
  Index output = 0;
  double amount = 0;
};

class PerceptronWalk {
 public:
  PerceptronWalk(RowCacheGram<double>& gram, std::span<const std::int32_t> labels, Index classes,
                 const KernelPerceptronOptions& options, const Run& run);

  /// One pass; the number of mistakes.
  Index pass(std::span<const Index> order);
  KernelPerceptronSolution finish();

 private:
  double value(Index i, Index o) const { return values_(i, o) + offset_scale_ * sums_[o]; }
  double norm_of_difference(Index a, Index b) const;
  void find_binary(Index i, Index o, double sign);
  void find_joint(Index i);
  void learn(Index i);
  void make_room();
  bool project(Index i);
  void add(Index row, Index output, double amount, std::span<const double> kernel_row);
  void update_products();

  RowCacheGram<double>& gram_;
  std::span<const std::int32_t> labels_;
  const KernelPerceptronOptions& options_;
  const Run& run_;
  Index n_;
  Index outputs_;
  std::vector<double> diagonal_;
  double offset_scale_ = 0;
  Matrix<double> coefficients_;
  Matrix<double> late_;         // Σ (time − 1) change: what the average lacks of the last coefficients, times all times
  Matrix<double> values_;       // Σ_j α_jo k(x_j, x_i)
  std::vector<double> sums_;    // Σ_j α_jo
  Matrix<double> products_;     // ⟨w_a, w_b⟩
  std::vector<Index> members_;  // rows in the expansion, in the order in which they came
  std::vector<char> is_member_;
  GrowingCholesky factor_;  // of k + R² on the members, where mistakes are projected
  std::vector<PerceptronChange> changes_;
  std::vector<PerceptronStep> steps_;
  Index time_ = 0;
};

PerceptronWalk::PerceptronWalk(RowCacheGram<double>& gram, std::span<const std::int32_t> labels, Index classes,
                               const KernelPerceptronOptions& options, const Run& run)
    : gram_(gram),
      labels_(labels),
      options_(options),
      run_(run),
      n_(gram.size()),
      outputs_(classes == 2 ? 1 : classes),
      diagonal_(static_cast<std::size_t>(n_)),
      coefficients_(Matrix<double>::filled(n_, outputs_, 0.0)),
      late_(Matrix<double>::filled(n_, outputs_, 0.0)),
      values_(Matrix<double>::filled(n_, outputs_, 0.0)),
      sums_(static_cast<std::size_t>(outputs_), 0.0),
      products_(Matrix<double>::filled(outputs_, outputs_, 0.0)),
      is_member_(static_cast<std::size_t>(n_), 0) {
  gram.diagonal(diagonal_);
  if (options.offset == PerceptronOffset::radius) {
    for (const double value : diagonal_) {
      offset_scale_ = std::max(offset_scale_, value);
    }
  }
}

double PerceptronWalk::norm_of_difference(Index a, Index b) const {
  return std::sqrt(std::max(0.0, products_(a, a) + products_(b, b) - 2 * products_(a, b)));
}

void PerceptronWalk::find_binary(Index i, Index o, double sign) {
  if (!(sign * value(i, o) > options_.margin * std::sqrt(std::max(0.0, products_(o, o))))) {
    changes_.push_back({o, sign});
  }
}

void PerceptronWalk::find_joint(Index i) {
  const Index right = labels_[i];
  Index rival = -1;
  double least = 0;
  for (Index c = 0; c < outputs_; ++c) {
    if (c != right) {
      const double lead = value(i, right) - value(i, c) - options_.margin * norm_of_difference(right, c);
      if (rival < 0 || lead < least) {
        least = lead;
        rival = c;
      }
    }
  }
  if (!(least > 0)) {
    changes_ = {{right, 1.0}, {rival, -1.0}};
  }
}

Index PerceptronWalk::pass(std::span<const Index> order) {
  Index mistakes = 0;
  for (const Index i : order) {
    if (time_ % 256 == 0) {
      run_.check_stop();
    }
    ++time_;
    changes_.clear();
    const Index label = labels_[i];
    if (outputs_ == 1) {
      find_binary(i, 0, label == 1 ? 1.0 : -1.0);
    } else if (options_.classes == PerceptronClasses::joint) {
      find_joint(i);
    } else {
      for (Index o = 0; o < outputs_; ++o) {
        find_binary(i, o, label == o ? 1.0 : -1.0);
      }
    }
    if (!changes_.empty()) {
      ++mistakes;
      learn(i);
    }
  }
  return mistakes;
}

void PerceptronWalk::add(Index row, Index output, double amount, std::span<const double> kernel_row) {
  coefficients_(row, output) += amount;
  late_(row, output) += static_cast<double>(time_ - 1) * amount;
  sums_[output] += amount;
  for (Index j = 0; j < n_; ++j) {
    values_(j, output) += amount * kernel_row[j];
  }
  if (options_.history == PerceptronHistory::keep) {
    steps_.push_back({row, output, amount, time_});
  }
}

// Takes a member out where the expansion is full.
void PerceptronWalk::make_room() {
  if (options_.budget == 0 || static_cast<Index>(members_.size()) < options_.budget) {
    return;
  }
  std::size_t leaving = 0;
  if (options_.policy == BudgetPolicy::smallest) {
    double least = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      double size = 0;
      for (Index o = 0; o < outputs_; ++o) {
        size += coefficients_(members_[m], o) * coefficients_(members_[m], o);
      }
      size *= diagonal_[members_[m]];
      if (m == 0 || size < least) {
        least = size;
        leaving = m;
      }
    }
  }
  const Index row = members_[leaving];
  const CachedRow<double> kernel_row = gram_.row_at(row, run_);
  for (Index o = 0; o < outputs_; ++o) {
    if (coefficients_(row, o) != 0) {
      add(row, o, -coefficients_(row, o), kernel_row.values());
      coefficients_(row, o) = 0;
    }
  }
  is_member_[row] = 0;
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(leaving));
}

// Where the members cannot grow by row i: its part in their span instead. False where row i joins them.
bool PerceptronWalk::project(Index i) {
  std::vector<double> part(members_.size());
  const CachedRow<double> own = gram_.row_at(i, run_);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    part[m] = own[members_[m]] + offset_scale_;
  }
  factor_.substitute(Transpose::no, part);
  const double length = diagonal_[i] + offset_scale_;
  const double outside = length - std::inner_product(part.begin(), part.end(), part.begin(), 0.0);
  const bool full = static_cast<Index>(members_.size()) >= options_.budget;
  if (!full && outside > span_tolerance * length) {
    factor_.append_factored(part, std::sqrt(outside));
    return false;
  }
  factor_.substitute(Transpose::yes, part);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const CachedRow<double> row = gram_.row_at(members_[m], run_);
    for (const PerceptronChange& change : changes_) {
      add(members_[m], change.output, change.amount * part[m], row.values());
    }
  }
  return true;
}

void PerceptronWalk::learn(Index i) {
  if (!std::isfinite(diagonal_[i]) || !std::isfinite(value(i, changes_.front().output))) {
    throw NumericalError("perceptron: kernel values of row " + std::to_string(i) +
                         " (counted from 0) that are not finite numbers");
  }
  const bool joins = is_member_[i] == 0;
  const bool projects = options_.budget > 0 && options_.policy == BudgetPolicy::project;
  if (joins && projects && project(i)) {
    update_products();
    return;
  }
  if (joins) {
    if (!projects) {
      make_room();
    }
    members_.push_back(i);
    is_member_[i] = 1;
  }
  const CachedRow<double> row = gram_.row_at(i, run_);
  for (const PerceptronChange& change : changes_) {
    add(i, change.output, change.amount, row.values());
  }
  update_products();
}

void PerceptronWalk::update_products() {
  if (options_.margin == 0) {
    return;
  }
  for (Index a = 0; a < outputs_; ++a) {
    for (Index b = 0; b <= a; ++b) {
      double sum = 0;
      for (const Index member : members_) {
        sum += coefficients_(member, a) * values_(member, b);
      }
      products_(a, b) = sum;
      products_(b, a) = sum;
    }
  }
}

KernelPerceptronSolution PerceptronWalk::finish() {
  KernelPerceptronSolution solution;
  solution.samples_seen = time_;
  solution.offset_scale = offset_scale_;
  solution.averages = Matrix<double>::copy_of(coefficients_.view());
  for (Index i = 0; i < n_; ++i) {
    for (Index o = 0; o < outputs_; ++o) {
      solution.averages(i, o) -= late_(i, o) / static_cast<double>(time_);
    }
  }
  solution.coefficients = std::move(coefficients_);
  solution.steps = std::move(steps_);
  return solution;
}

}  // namespace

KernelPerceptronSolution kernel_perceptron(RowCacheGram<double>& gram, std::span<const std::int32_t> labels,
                                           Index classes, const KernelPerceptronOptions& options, const Run& run) {
  options.validate();
  const Index n = gram.size();
  if (static_cast<Index>(labels.size()) != n || n == 0 || classes < 2) {
    throw InvalidArgument(std::to_string(labels.size()) + " labels of " + std::to_string(classes) + " classes for " +
                          std::to_string(n) + " samples: one per sample and two classes at least are needed");
  }
  if (std::any_of(labels.begin(), labels.end(), [&](std::int32_t c) { return c < 0 || c >= classes; })) {
    throw InvalidArgument("a label that is not a class number from 0 to " + std::to_string(classes - 1));
  }
  PerceptronWalk walk(gram, labels, classes, options, run);
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  Index mistakes = 0;
  Index last = 0;
  Index epochs = 0;
  do {
    if (options.order == PerceptronOrder::shuffled) {
      RandomStream random(run.seed(), static_cast<std::uint64_t>(epochs) + 0x7065726365);
      shuffle(random, order);
    }
    last = walk.pass(order);
    mistakes += last;
    ++epochs;
    run.progress("perceptron", static_cast<double>(epochs), static_cast<double>(options.max_epochs));
  } while (last > 0 && epochs < options.max_epochs);
  KernelPerceptronSolution solution = walk.finish();
  solution.status = last == 0 ? SolveStatus::converged : SolveStatus::iteration_limit;
  solution.epochs = epochs;
  solution.mistakes = mistakes;
  solution.last_mistakes = last;
  return solution;
}

}  // namespace mercer
