#include "mercer/kernels/set/mean_map.h"

#include <cmath>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/pair_sum_node.h"
#include "mercer/kernels/set/set_samples.h"

namespace mercer {

namespace {

std::optional<Index> weight_column_of(const ParameterList& parameters) {
  if (!parameters.has("weights")) {
    return std::nullopt;
  }
  return static_cast<Index>(parameters.integer("weights"));
}

// Columns are part of the split: nodes that leave out another one see other points.
std::string scope_of(const ParameterList& parameters) {
  const std::optional<Index> left_out = weight_column_of(parameters);
  return "points of bags" + (left_out ? " without column " + std::to_string(*left_out) : std::string());
}

class MeanMapNode final : public PairSumNode {
 public:
  MeanMapNode(const KernelEntry& entry, const ParameterList& parameters, const std::vector<Kernel>& children)
      : PairSumNode(entry, parameters, point_kernel(children), scope_of(parameters)),
        weight_column_(weight_column_of(parameters)),
        is_mean_(this->parameters().word("form") == "mean") {}

  Definiteness definiteness() const override {
    const Definiteness inner = child(0).definiteness();
    // A condition on the points is no condition on the bags that the data could be checked against here; the inner
    // kernel checks the points itself.
    return inner.is_positive()                         ? Definiteness::positive()
           : is_mean_ && inner.is_conditional_up_to(1) ? Definiteness::conditional(1)
                                                       : Definiteness::indefinite();
  }

 protected:
  SplitSamples split(const Samples& samples) const override {
    require_bags(entry().name, samples);
    const auto& bags = samples.as<BagRows>();
    if (weight_column_ && *weight_column_ >= bags.points.columns && bags.points.rows > 0) {
      throw InvalidArgument("mean_map: weights = " + std::to_string(*weight_column_) +
                            ": the vectors have the columns 0 … " + std::to_string(bags.points.columns - 1));
    }
    SplitSamples result{bag_points(bags, weight_column_), bag_offsets(bags)};
    for (Index i = 0; i < bags.rows; ++i) {
      append_bag(bags, i, result.coefficients);
    }
    return result;
  }

 private:
  // The weights of bag i, divided by their sum where a mean is asked for.
  void append_bag(const BagRows& bags, Index i, std::vector<double>& all) const {
    const std::size_t first = all.size();
    double sum = 0;
    for (Index p = bags.offsets[i]; p < bags.offsets[i + 1]; ++p) {
      const double weight = weight_column_ ? bags.points(p, *weight_column_) : 1.0;
      if (is_mean_ && weight < 0) {
        throw DataError("mean_map: bag " + std::to_string(i) + " holds the weight " +
                        to_string(ParameterValue::number(weight)) +
                        ": weights of a mean must be 0 or greater; form=sum takes any");
      }
      sum += weight;
      all.push_back(weight);
    }
    if (!std::isfinite(sum)) {
      throw DataError("mean_map: the weights of bag " + std::to_string(i) + " overflow: divide them by a constant");
    }
    if (sum == 0 && definiteness().kind == DefinitenessKind::conditional) {
      throw DataError("mean_map: bag " + std::to_string(i) + " is empty, and " + child(0).spec() +
                      " compares means of vectors only (it is conditionally positive): drop empty bags, or take a "
                      "positive kernel");
    }
    for (std::size_t p = first; is_mean_ && p < all.size(); ++p) {
      all[p] = sum > 0 ? all[p] / sum : 0.0;
    }
  }

  std::optional<Index> weight_column_;
  bool is_mean_;
};

}  // namespace

const KernelEntry& mean_map_entry() {
  static const KernelEntry entry{
      .name = "mean_map",
      .aliases = {"set_kernel"},
      .formula = "mean of k(a,b) over all vectors a of one bag and b of the other; form=sum: their sum",
      .summary =
          "bags of vectors compared by their mean embeddings; rbf_of(mean_map(k)) is the Gaussian of the maximum "
          "mean discrepancy, mean_map(k^p) weighs good matches more",
      .definiteness = "positive if k is",
      .input = KernelInput::bags,
      .parameters = {{.name = "form",
                      .role = ParameterRole::word,
                      .default_text = "mean",
                      .meaning = "mean over the pairs, or their sum",
                      .words = {"mean", "sum"}},
                     {.name = "weights",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .meaning = "number of the column that holds a weight per vector (default: all 1)"}},
      .fewest_children = 0,
      .most_children = 1,
      .make = make_node<MeanMapNode>,
      .examples = {"mean_map(rbf(gamma=0.5))", "mean_map(0.3*linear() + matern(nu=1.5, lengthscale=2), form=sum)",
                   "normalize(mean_map(rbf(gamma=0.5)^3))", "rbf_of(mean_map(rbf(gamma=0.7)), gamma=2)"}};
  return entry;
}

}  // namespace mercer
