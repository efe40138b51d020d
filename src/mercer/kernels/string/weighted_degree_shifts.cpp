#include "mercer/kernels/string/weighted_degree_shifts.h"

#include <algorithm>

#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

class WeightedDegreeShiftsNode final : public ObjectNode<SymbolRows> {
 public:
  WeightedDegreeShiftsNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        shift_(static_cast<std::size_t>(this->parameters().number_or("shift", 3))),
        alphabet_(this->parameters()) {
    const double degree = this->parameters().number_or("degree", 5);
    constexpr double most_degrees = 10000;
    if (degree > most_degrees) {
      reject_argument("weighted_degree_shifts: degree", degree, "at most 10000");
    }
    ends_here_.push_back(0);
    for (double i = 1; i <= degree; ++i) {
      ends_here_.push_back(ends_here_.back() + 2 * (degree - i + 1) / (degree * (degree + 1)));
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  SymbolRows encode(const Samples& samples, const SymbolRows* /*reference*/, const Run& run) const override {
    return {entry().name, samples, alphabet_, run};
  }

  double value(const SymbolRows& x, Index i, const SymbolRows& y, Index j) const override {
    const std::vector<std::uint64_t> s = x.symbols(i, StringSide::left);
    const std::vector<std::uint64_t> t = y.symbols(j, StringSide::right);
    double total = displaced(s, t, 0, 0);
    for (std::size_t shift = 1; shift <= shift_ && shift < std::max(s.size(), t.size()); ++shift) {
      x.run().check_stop();
      // Added up before anything else is: the same bits with x and y exchanged.
      total += (displaced(s, t, shift, 0) + displaced(s, t, 0, shift)) / (2 * static_cast<double>(shift + 1));
    }
    return total;
  }

 private:
  /// Σ β over the equal substrings of s from `left` on and t from `right` on.
  double displaced(std::span<const std::uint64_t> s, std::span<const std::uint64_t> t, std::size_t left,
                   std::size_t right) const {
    if (left >= s.size() || right >= t.size()) {
      return 0;
    }
    const std::size_t count = std::min(s.size() - left, t.size() - right);
    const std::size_t degree = ends_here_.size() - 1;
    std::size_t equal = 0;  // symbols in a row, as many as matter
    double total = 0;
    for (std::size_t at = 0; at < count; ++at) {
      // No branch: whether symbols are equal cannot be foretold.
      equal = std::min(equal + 1, degree) & -static_cast<std::size_t>(s[left + at] == t[right + at]);
      total += ends_here_[equal];
    }
    return total;
  }

  std::size_t shift_;
  Alphabet alphabet_;
  std::vector<double> ends_here_;  ///< Σ_{i ≤ r} β_i: the substrings that end at the r-th equal symbol in a row
};

}  // namespace

const KernelEntry& weighted_degree_shifts_entry() {
  static const KernelEntry entry{
      .name = "weighted_degree_shifts",
      .aliases = {"wds"},
      .formula = "sum_i beta_i sum_p sum_q w_|p-q| [x and y have the same i symbols at p and q], |p-q| <= shift",
      .summary = "substrings at the same place, or a few places off (Shogun: WeightedDegreePosition)",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters =
          {{.name = "degree",
            .role = ParameterRole::number,
            .constraint = Constraint::positive_integer,
            .default_text = "5",
            .meaning = "longest substring d; length i has weight 2(d-i+1)/(d(d+1))"},
           {.name = "shift",
            .role = ParameterRole::number,
            .constraint = Constraint::nonnegative_integer,
            .default_text = "3",
            .meaning =
                "largest displacement; at the same place the weight is 1, s > 0 places off to either side 1/(2(s+1))"},
           alphabet_parameter()},
      .make = make_node<WeightedDegreeShiftsNode>,
      .examples = {"weighted_degree_shifts(degree=3, shift=2)", "weighted_degree_shifts(degree=1, shift=20)",
                   "normalize(weighted_degree_shifts(degree=4, shift=1, alphabet=dna))"}};
  return entry;
}

}  // namespace mercer
