#include "mercer/expansion/preimage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/solvers/smooth/quasi_newton.h"

namespace mercer {

namespace {

// Points that move together, so that their kernel values are one matrix product.
constexpr Index points_together = 16;

// One batch of points on its way down.
class Descent {
 public:
  Descent(const PreimageObjective& objective, const PreimageOptions& options, ConstMatrixView<double> starts,
          std::span<const OutputRange> outputs, const Run& run)
      : objective_(objective),
        options_(options),
        run_(run),
        outputs_(outputs.begin(), outputs.end()),
        best_(Matrix<double>::copy_of(starts)),
        values_(outputs.size(), std::numeric_limits<double>::infinity()),
        settled_(outputs.size(), 0) {}

  void run() {
    const bool fixed = objective_.radial() && options_.method != PreimageMethod::gradient;
    if (fixed) {
      iterate();
    }
    for (Index i = 0; options_.method != PreimageMethod::fixed_point && i < best_.rows(); ++i) {
      if (settled_[i] == 0) {
        search(i);
      }
    }
  }
  const Matrix<double>& best() const { return best_; }
  const std::vector<double>& values() const { return values_; }
  Index searched() const { return searched_; }

 private:
  // Fixed point. A point leaves where it has settled, where its weights cancel, or where F rose: two signs can make
  // the step overshoot, and quasi-Newton steps from the best point so far are safer than damping.
  void iterate() {
    std::vector<Index> active(values_.size());
    std::iota(active.begin(), active.end(), Index{0});
    Matrix<double> now = Matrix<double>::copy_of(best_.view());
    for (Index round = 0; round <= options_.max_iterations && !active.empty(); ++round) {
      run_.check_stop();
      const auto count = static_cast<Index>(active.size());
      Matrix<double> here(count, best_.columns());
      Matrix<double> next(count, best_.columns());
      std::vector<double> values(active.size());
      std::vector<OutputRange> outputs;
      for (Index a = 0; a < count; ++a) {
        std::ranges::copy(now.view().row(active[a]), here.view().row_data(a));
        outputs.push_back(outputs_[active[a]]);
      }
      objective_.step(here.view(), outputs, values, next.view(), workspace_, run_);
      std::vector<Index> left;
      for (Index a = 0; a < count; ++a) {
        const Index i = active[a];
        if (advance(i, here.view().row(a), values[a], next.view().row(a))) {
          std::ranges::copy(next.view().row(a), now.view().row_data(i));
          left.push_back(i);
        }
      }
      active = std::move(left);
    }
  }

  // Whether point i goes on to `next`.
  bool advance(Index i, std::span<const double> here, double value, std::span<const double> next) {
    const auto at = static_cast<std::size_t>(i);
    const double slack = 1e-12 * std::abs(values_[at]);
    if (!(value <= values_[at] + (std::isfinite(slack) ? slack : 0.0))) {
      return false;
    }
    values_[at] = value;
    std::ranges::copy(here, best_.view().row_data(i));
    // In the kernel's widths, and in the lengths of the columns: not every kernel has a width, and a wide one says little.
    double in_widths = 0;
    double in_lengths = 0;
    for (std::size_t c = 0; c < here.size(); ++c) {
      const double weight = objective_.radial()->squared_weight(static_cast<Index>(c));
      const double step = next[c] - here[c];
      const double part = weight > 0 ? step / objective_.lengths()[c] : 0.0;
      in_widths += weight * step * step;
      in_lengths += part * part;
    }
    const double moved = std::max(objective_.radial()->sharpest_factor() * in_widths, in_lengths);
    if (!std::isfinite(moved)) {
      return false;
    }
    settled_[at] = moved <= options_.tolerance * options_.tolerance ? 1 : 0;
    return settled_[at] == 0;
  }

  // F at the start, so that the tolerance means the same for every Ψ; where its terms cancel (it is 0 at the origin of a
  // dot-product kernel), what the slopes promise over the lengths of the columns. 0 where there is nothing to be gained.
  double value_unit(double value, std::span<const double> gradient) const {
    constexpr double canceled = 1e-6;
    double steep = 0;
    for (std::size_t c = 0; c < gradient.size(); ++c) {
      steep += std::abs(gradient[c]) * objective_.lengths()[c];
    }
    const double unit = std::abs(value) > canceled * steep ? std::abs(value) : steep;
    return std::isfinite(unit) ? unit : 0.0;
  }

  void search(Index i) {
    const auto at = static_cast<std::size_t>(i);
    const auto d = static_cast<std::size_t>(best_.columns());
    const OutputRange outputs[1] = {outputs_[at]};
    const SmoothFunction function = [&](std::span<const double> x, std::span<double> gradient) {
      double value = 0;
      objective_.evaluate(ConstMatrixView<double>(x.data(), 1, best_.columns()), outputs, {&value, 1},
                          MatrixView<double>(gradient.data(), 1, best_.columns()), workspace_, run_);
      return value;
    };
    std::vector<double> slopes(d);
    const double first = function(best_.view().row(i), slopes);
    if (!std::isfinite(first)) {
      return;
    }
    values_[at] = first;
    const double unit = value_unit(first, slopes);
    if (!(unit > 0)) {
      return;
    }
    const std::vector<double> lower(d, -std::numeric_limits<double>::infinity());
    const std::vector<double> upper(d, std::numeric_limits<double>::infinity());
    const QuasiNewtonResult found = minimize_in_box(function, best_.view().row(i), lower, upper,
                                                    {.max_evaluations = options_.max_evaluations,
                                                     .tolerance = options_.tolerance * options_.tolerance,
                                                     .value_unit = unit,
                                                     .lengths = objective_.lengths()},
                                                    run_);
    values_[at] = found.value;
    std::ranges::copy(found.x, best_.view().row_data(i));
    ++searched_;
  }

  const PreimageObjective& objective_;
  const PreimageOptions& options_;
  const Run& run_;
  std::vector<OutputRange> outputs_;
  Matrix<double> best_;
  std::vector<double> values_;
  std::vector<char> settled_;
  Index searched_ = 0;
  Workspace workspace_;
};

struct StartList {
  Matrix<double> points;
  std::vector<OutputRange> outputs;
};

// The centres of smallest F for every column.
StartList best_centers(const PreimageObjective& objective, Index columns, Index wanted, const Run& run) {
  const ConstMatrixView<double> centers = objective.points();
  Matrix<double> h(centers.rows(), columns);
  std::vector<double> lengths(centers.rows());
  objective.projections(centers, h.view(), lengths, run);
  const Index each = std::min(wanted, centers.rows());
  StartList starts{Matrix<double>(columns * each, centers.columns()), {}};
  std::vector<Index> order(centers.rows());
  for (Index c = 0; c < columns; ++c) {
    const auto value = [&](Index i) { return objective.value({&h(i, c), 1}, lengths[i]); };
    std::iota(order.begin(), order.end(), Index{0});
    std::partial_sort(order.begin(), order.begin() + each, order.end(), [&](Index a, Index b) {
      const double at_a = value(a);
      const double at_b = value(b);
      return at_a < at_b || (at_a == at_b && a < b);
    });
    for (Index s = 0; s < each; ++s) {
      std::ranges::copy(centers.row(order[s]), starts.points.view().row_data(c * each + s));
      starts.outputs.push_back({c, c + 1});
    }
  }
  return starts;
}

PreimageSearch search_columns(const PreimageObjective& objective, Index columns, ConstMatrixView<double> starts,
                              const PreimageOptions& options, const Run& run) {
  if (starts.rows() != 0 && (starts.rows() != columns || starts.columns() != objective.dimension())) {
    throw InvalidArgument("starts of " + std::to_string(starts.rows()) + " by " + std::to_string(starts.columns()) +
                          " where " + std::to_string(columns) + " by " + std::to_string(objective.dimension()) +
                          " are needed, or no rows to have them chosen");
  }
  StartList list;
  if (starts.rows() == 0) {
    list = best_centers(objective, columns, options.starts, run);
  } else {
    list.points = Matrix<double>::copy_of(starts);
    for (Index c = 0; c < columns; ++c) {
      list.outputs.push_back({c, c + 1});
    }
  }
  const PreimageSearch all = descend(objective, list.points.view(), list.outputs, options, run);
  PreimageSearch best{Matrix<double>(columns, objective.dimension()), {}, all.searched};
  const Index each = columns == 0 ? 0 : list.points.rows() / columns;
  for (Index c = 0; c < columns; ++c) {
    const auto first = all.values.begin() + c * each;
    const Index at = std::min_element(first, first + each) - all.values.begin();
    best.values.push_back(all.values[at]);
    std::ranges::copy(all.points.view().row(at), best.points.view().row_data(c));
  }
  return best;
}

}  // namespace

void PreimageOptions::validate() const {
  if (max_iterations < 1) {
    reject_argument("max_iterations", static_cast<double>(max_iterations), "1 or more");
  }
  if (max_evaluations < 1) {
    reject_argument("max_evaluations", static_cast<double>(max_evaluations), "1 or more");
  }
  if (!(tolerance > 0) || !(tolerance < 1)) {
    reject_argument("tolerance", tolerance, "between 0 and 1");
  }
  if (starts < 1) {
    reject_argument("starts", static_cast<double>(starts), "1 or more");
  }
}

PreimageSearch descend(const PreimageObjective& objective, ConstMatrixView<double> starts,
                       std::span<const OutputRange> outputs, const PreimageOptions& options, const Run& run) {
  options.validate();
  if (options.method == PreimageMethod::fixed_point && !objective.radial()) {
    throw InvalidArgument("method = fixed_point: the kernel " + objective.kernel().spec() +
                          " is not a function of one distance; use automatic or gradient");
  }
  PreimageSearch result{Matrix<double>(starts.rows(), starts.columns()), std::vector<double>(outputs.size()), 0};
  std::vector<Index> searched(block_count(starts.rows(), points_together), 0);
  const Run inner = run.quiet();
  parallel_for(run, static_cast<Index>(searched.size()), "pre-images", [&](Index task) {
    const IndexRange range = block_range(starts.rows(), points_together, task);
    Descent descent(objective, options, starts.row_block(range),
                    outputs.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())),
                    inner);
    descent.run();
    for (Index i = 0; i < range.size(); ++i) {
      std::ranges::copy(descent.best().view().row(i), result.points.view().row_data(range.begin + i));
      result.values[range.begin + i] = descent.values()[i];
    }
    searched[task] = descent.searched();
  });
  result.searched = std::accumulate(searched.begin(), searched.end(), Index{0});
  return result;
}

Matrix<double> preimages(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                         ConstMatrixView<double> starts, const PreimageOptions& options, const Run& run) {
  options.validate();
  const PreimageObjective objective(kernel, centers, coefficients, options.criterion, run);
  return search_columns(objective, coefficients.columns(), starts, options, run).points;
}

PreimageResult measure_preimages(const PreimageObjective& objective, ConstMatrixView<double> coefficients,
                                 Matrix<double> points, const Run& run) {
  constexpr Index measured_together = 256;
  const Index columns = coefficients.columns();
  PreimageResult result;
  result.squared_norm.assign(columns, 0.0);
  const auto for_blocks = [&](ConstMatrixView<double> z, const auto& use) {
    for (Index b = 0; b < block_count(z.rows(), measured_together); ++b) {
      const IndexRange range = block_range(z.rows(), measured_together, b);
      Matrix<double> h(range.size(), columns);
      std::vector<double> lengths(range.size());
      objective.projections(z.row_block(range), h.view(), lengths, run);
      for (Index i = 0; i < range.size(); ++i) {
        use(range.begin + i, h.view().row(i), lengths[i]);
      }
    }
  };
  for_blocks(objective.points(), [&](Index i, std::span<const double> h, double /*length*/) {
    for (std::size_t c = 0; c < h.size(); ++c) {
      result.squared_norm[c] += coefficients(i, static_cast<Index>(c)) * h[c];
    }
  });
  Matrix<double> usable = Matrix<double>::copy_of(points.view());
  for (Index i = 0; i < usable.rows(); ++i) {
    const std::span<double> row = usable.view().row(i);
    if (!std::ranges::all_of(row, [](double value) { return std::isfinite(value); })) {
      std::ranges::fill(row, 0.0);
    }
  }
  for_blocks(usable.view(), [&](Index i, std::span<const double> all, double length) {
    const double h = all[i];
    const bool direction = objective.criterion() == PreimageCriterion::direction;
    const double beta = !direction ? 1.0 : length > 0 ? h / length : 0.0;
    const double rho = result.squared_norm[i] + beta * (beta * length - 2 * h);
    const bool is_point = std::ranges::equal(usable.view().row(i), points.view().row(i));
    result.scales.push_back(beta);
    result.rho.push_back(is_point ? std::max(0.0, rho) : std::numeric_limits<double>::infinity());
  });
  result.points = std::move(points);
  return result;
}

PreimageResult find_preimages(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                              ConstMatrixView<double> starts, const PreimageOptions& options, const Run& run) {
  options.validate();
  const PreimageObjective objective(kernel, centers, coefficients, options.criterion, run);
  PreimageSearch found = search_columns(objective, coefficients.columns(), starts, options, run);
  PreimageResult result = measure_preimages(objective, coefficients, std::move(found.points), run);
  result.searched = found.searched;
  return result;
}

}  // namespace mercer
