#include "mercer/kernels/set/pyramid_match.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/set_samples.h"
#include "mercer/kernels/widths.h"

namespace mercer {

namespace {

constexpr std::uint64_t shift_stream = 0x707972616d6964;

struct PointBox {
  std::vector<double> low;  // the smallest value of each column; 0 for no points
  double widest = 0;        // largest difference within a column
};

// How much wider than the data the coarsest cell is, half of it on either side: the largest values are inside a cell
// that is open on the right, and so are values that a model has kept in single precision.
constexpr double cell_margin = 1.0 / 1024;

std::vector<double> first_corner(const PointBox& box) {
  std::vector<double> corner = box.low;
  for (double& component : corner) {
    component -= box.widest > 0 ? box.widest * cell_margin / 2 : 0.5;
  }
  return corner;
}

PointBox box_of(const DenseRows<double>& points) {
  PointBox box{.low = std::vector<double>(points.columns, 0.0)};
  for (Index c = 0; c < points.columns && points.rows > 0; ++c) {
    double low = points(0, c);
    double high = low;
    for (Index p = 1; p < points.rows; ++p) {
      low = std::min(low, points(p, c));
      high = std::max(high, points(p, c));
    }
    box.low[c] = low;
    box.widest = std::max(box.widest, high - low);
  }
  return box;
}

class PyramidMatchNode final : public ExplicitNode {
 public:
  PyramidMatchNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        side_(this->parameters().number_or("side", 1)),
        levels_(this->parameters().integer("levels")),
        shifts_(this->parameters().integer("shifts")),
        seed_(static_cast<std::uint64_t>(this->parameters().number("seed"))),
        normalized_(this->parameters().word("form") == "normalized") {
    if (const Parameter* const origin = this->parameters().find("origin");
        origin != nullptr && !origin->value.numbers.empty()) {
      origin_ = origin->value.numbers;
    }
    if (levels_ > most_levels || shifts_ > most_shifts) {
      throw InvalidArgument("pyramid_match: at most " + std::to_string(most_levels) + " levels and " +
                            std::to_string(most_shifts) + " shifts");
    }
  }

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    const Parameter* const side = parameters().find("side");
    if (side->value.width == WidthRule::none) {
      return rebuilt(parameters(), {});
    }
    const Samples samples = default_columns(all.samples);
    require_bags(entry().name, samples);
    const BagRows& bags = samples.as<BagRows>();
    const Samples points = bag_points(bags);
    const std::vector<double> weights =
        repeated_weights(all.weights, {bags.offsets, static_cast<std::size_t>(bags.rows) + 1});
    const PointBox box = box_of(points.as<DenseRows<double>>());
    ParameterValue number = side->value;
    number.numbers = {finest_side(side->value.width, box.widest, {points, weights}, run)};
    number.width = WidthRule::none;
    ParameterList found = parameters().with("side", number);
    if (!found.has("origin") && !box.low.empty()) {
      found = found.with("origin", ParameterValue::list(first_corner(box)));
    }
    return rebuilt(found, {});
  }

  void check(const Samples& samples) const override {
    require_bags(entry().name, samples);
    const auto& bags = samples.as<BagRows>();
    const Index vectors = bags.rows == 0 ? 0 : bags.offsets[bags.rows] - bags.offsets[0];
    if (vectors > 0 && origin_.size() > 1 && static_cast<Index>(origin_.size()) != bags.points.columns) {
      throw InvalidArgument("pyramid_match: origin has " + std::to_string(origin_.size()) +
                            " components, the vectors have " + std::to_string(bags.points.columns));
    }
    const double features = static_cast<double>(vectors) * levels_ * shifts_;
    if (features > most_features) {
      throw InvalidArgument("pyramid_match: " + std::to_string(vectors) + " vectors in " + std::to_string(levels_) +
                            " levels and " + std::to_string(shifts_) +
                            " shifts have more features than fit the memory: take fewer shifts or levels");
    }
  }

  void complete(KernelPreparation& preparation) const override {
    ExplicitNode::complete(preparation);
    if (!preparation.reference()) {
      return;
    }
    const DenseRows<double>& points = preparation.target().samples().as<BagRows>().points;
    const DenseRows<double>& trained = preparation.reference()->samples().as<BagRows>().points;
    if (points.rows > 0 && trained.rows > 0 && points.columns != trained.columns) {
      throw DataError("pyramid_match: these vectors have " + std::to_string(points.columns) +
                      " components, those of the training bags " + std::to_string(trained.columns));
    }
  }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    const auto& bags = samples.as<BagRows>();
    const Index size = bags.offsets[i + 1] - bags.offsets[i];
    const auto columns = static_cast<std::size_t>(bags.points.columns);
    const auto corner = [&](std::size_t c) { return origin_.size() == 1 ? origin_[0] : origin_[c]; };
    std::vector<double> shift(columns, 0.0);
    std::vector<double> cells(static_cast<std::size_t>(size) * columns);
    for (int grid = 0; grid < shifts_; ++grid) {
      if (grid > 0) {
        RandomStream random(seed_, shift_stream + static_cast<std::uint64_t>(grid));
        std::generate(shift.begin(), shift.end(), [&] { return std::ldexp(random.uniform(), levels_ - 1); });
      }
      for (Index p = 0; p < size; ++p) {
        for (std::size_t c = 0; c < columns; ++c) {
          // Rounded once, at the finest level: coarser cells are then exact unions of finer ones.
          cells[static_cast<std::size_t>(p) * columns + c] =
              (bags.points(bags.offsets[i] + p, static_cast<Index>(c)) - corner(c)) / side_ + shift[c];
        }
      }
      append_grid(grid, size, columns, cells, out);
    }
  }

 private:
  static constexpr int most_levels = 60;
  static constexpr int most_shifts = 10000;
  static constexpr double most_features = 2e9;  // 60 GB

  double finest_side(WidthRule rule, double widest, const WeightedSamples& points, const Run& run) const {
    if (rule == WidthRule::automatic) {
      return 1;
    }
    double coarsest = widest * (1 + cell_margin);
    if (rule == WidthRule::median && coarsest > 0) {
      coarsest = 2 / std::sqrt(width_gamma(rule, points, run));
    }
    const double side = std::ldexp(coarsest, 1 - levels_);
    return side > 0 && std::isfinite(side) ? side : 1.0;
  }

  // Features (level, cell, t) of one grid: the t-th vector of a bag in a cell.
  void append_grid(int grid, Index size, std::size_t columns, const std::vector<double>& cells,
                   FeatureList& out) const {
    const double scale = normalized_ ? 1 / std::sqrt(static_cast<double>(size)) : 1.0;
    std::vector<std::uint64_t> keys(size);
    for (int level = 0; level < levels_; ++level) {
      const double weight = std::ldexp(1.0, level == levels_ - 1 ? -level : -level - 1) / shifts_;
      const std::uint64_t first = joined_key(static_cast<std::uint64_t>(grid), static_cast<std::uint64_t>(level));
      for (std::size_t p = 0; p < keys.size(); ++p) {
        keys[p] = first;
        for (std::size_t c = 0; c < columns; ++c) {
          // + 0.0: the cells −0 and 0 are one.
          const double cell = std::floor(std::ldexp(cells[p * columns + c], -level)) + 0.0;
          keys[p] = joined_key(keys[p], std::bit_cast<std::uint64_t>(cell));
        }
      }
      std::sort(keys.begin(), keys.end());
      std::uint64_t rank = 0;
      for (std::size_t p = 0; p < keys.size(); ++p) {
        rank = p > 0 && keys[p] == keys[p - 1] ? rank + 1 : 0;
        out.add(joined_key(keys[p], rank), scale * std::sqrt(weight));
      }
    }
  }

  std::vector<double> origin_ = {0.0};  // one number for all columns, or one for each
  double side_;
  int levels_;
  int shifts_;
  std::uint64_t seed_;
  bool normalized_;
};

}  // namespace

const KernelEntry& pyramid_match_entry() {
  static const KernelEntry entry{
      .name = "pyramid_match",
      .formula =
          "sum over levels i of 2^-i (I_i - I_(i-1)), I_i = sum over cells of side 2^i side of min(count_A, "
          "count_B); form=normalized: divided by sqrt(|A| |B|)",
      .summary = "bags of vectors by a one-to-one matching in grids of doubling cells, in linear time",
      .definiteness = "positive definite",
      .input = KernelInput::bags,
      .parameters = {{.name = "side",
                      .role = ParameterRole::number,
                      .default_text = "scale",
                      .meaning = "side of the smallest cells; scale: the largest cell is as wide as the data and holds "
                                 "all of it, median: as wide as two median distances, auto: 1"},
                     {.name = "origin",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .meaning = "corner of the first grid, one number or one per component (default: the smallest of "
                                 "the training data where the data gives the side, else 0)",
                      .may_be_list = true},
                     {.name = "levels",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "8",
                      .meaning = "number of grids, each with cells twice as wide"},
                     {.name = "shifts",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "1",
                      .meaning = "number of pyramids that are averaged, all but the first shifted at random"},
                     {.name = "seed",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "of the random shifts"},
                     {.name = "form",
                      .role = ParameterRole::word,
                      .default_text = "normalized",
                      .meaning = "normalized: divided by sqrt(|A| |B|)",
                      .words = {"plain", "normalized"}}},
      .make = make_node<PyramidMatchNode>,
      .examples = {"pyramid_match(side=0.05)", "pyramid_match(side=0.1, origin=-0.3)",
                   "pyramid_match(side=0.1, levels=6, shifts=3, form=plain)",
                   "normalize(pyramid_match(side=0.2, levels=4, form=plain))"}};
  return entry;
}

}  // namespace mercer
