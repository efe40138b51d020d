#include "mercer/expansion/reduced_set/regression_selection.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

namespace {

class TubeFit {
 public:
  TubeFit(const ReductionTarget& target, const Run& run) : target_(target), run_(run), gram_(target.gram(run)) {
    for (Index o = 0; o < target.outputs(); ++o) {
      std::vector<double> column;
      for (Index i = 0; i < target.size(); ++i) {
        column.push_back(target.values()(i, o));
      }
      const auto [least, most] = std::minmax_element(column.begin(), column.end());
      spread_ = std::max(spread_, *most - *least);
      values_.push_back(std::move(column));
    }
  }

  double spread() const { return spread_; }

  TubeReduction at(double width) const {
    TubeReduction result{Matrix<double>::filled(target_.size(), target_.outputs(), 0.0), {}, {}, width};
    // Large against every coefficient that the function itself needs.
    double largest = 0;
    for (Index i = 0; i < target_.size(); ++i) {
      for (const double value : target_.coefficients().row(i)) {
        largest = std::max(largest, std::abs(value));
      }
    }
    const std::vector<double> bounds(target_.size(), 1e3 * largest);
    for (Index o = 0; o < target_.outputs(); ++o) {
      const SvmDual dual = solve_epsilon_svr(gram_, values_[o], width, bounds,
                                             {.tolerance = 1e-2 * width, .scale = GapScale::absolute}, run_.quiet());
      for (Index i = 0; i < target_.size(); ++i) {
        result.coefficients(i, o) = dual.coefficients[i];
      }
      result.offsets.push_back(dual.offset);
    }
    for (Index i = 0; i < target_.size(); ++i) {
      if (std::ranges::any_of(result.coefficients.view().row(i), [](double value) { return value != 0; })) {
        result.chosen.push_back(i);
      }
    }
    return result;
  }

 private:
  const ReductionTarget& target_;
  const Run& run_;
  DenseGram<double> gram_;
  std::vector<std::vector<double>> values_;
  double spread_ = 0;
};

}  // namespace

TubeReduction tube_reduction(const ReductionTarget& target, double width, const Run& run) {
  if (!(width > 0) || !std::isfinite(width)) {
    reject_argument("width", width, "positive");
  }
  return TubeFit(target, run).at(width);
}

TubeReduction select_by_regression(const ReductionTarget& target, Index size, const Run& run) {
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
  const TubeFit fit(target, run);
  if (target.size() == 0 || !(fit.spread() > 0)) {
    return {Matrix<double>::filled(target.size(), target.outputs(), 0.0),
            std::vector<double>(target.outputs(), 0.0),
            {},
            0};
  }
  // Half of the spread holds every value between constants: no support vectors.
  double upper = 0.51 * fit.spread();
  double lower = 1e-4 * upper;
  TubeReduction best = fit.at(upper);
  while (upper > 1.01 * lower && static_cast<Index>(best.chosen.size()) < size) {
    const double middle = std::sqrt(lower * upper);
    TubeReduction found = fit.at(middle);
    if (static_cast<Index>(found.chosen.size()) <= size) {
      best = std::move(found);
      upper = middle;
    } else {
      lower = middle;
    }
    run.progress("tube width", lower / upper, 1);
  }
  return best;
}

}  // namespace mercer
