#include "mercer/kernels/string/subsequence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/parallel.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/subsequence_sums.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

constexpr double most_lengths = 256;
constexpr double most_cells = 3e11;

enum class SubsequenceForm { plain, normalized };

struct SubsequenceRows {
  SymbolRows symbols;
  std::vector<double> log_self;  ///< ln k(x_i, x_i) in the scale of ScaledSum, for the normalized form
};

// k / λ^(share of the shortest length that counts), and its derivative by λ. That power cancels in the normalized form,
// and what is left is at least the weight of that length for x = y.
struct ScaledSum {
  long double value = 0;
  long double slope = 0;
};

class SubsequenceNode final : public ObjectNode<SubsequenceRows> {
 public:
  SubsequenceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        decay_(this->parameters().number_or("decay", 0.5)),
        alphabet_(this->parameters()),
        per_symbol_(this->parameters().word("weighting") == "excess" ? 0 : 2),
        form_(this->parameters().word("form") == "normalized" ? SubsequenceForm::normalized : SubsequenceForm::plain),
        weights_(length_weights(this->parameters())) {
    while (shortest_ + 1 < weights_.size() && weights_[shortest_] == 0) {
      ++shortest_;
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  SubsequenceRows encode(const Samples& samples, const SubsequenceRows* /*reference*/, const Run& run) const override {
    SubsequenceRows rows{SymbolRows(entry().name, samples, alphabet_, run), {}};
    if (form_ == SubsequenceForm::normalized) {
      rows.log_self.resize(samples.size());
      parallel_for(run, samples.size(), [&](Index i) {
        const ScaledSum self = scaled_sum(rows, i, rows, i, Slopes::none);
        rows.log_self[i] = static_cast<double>(std::log(self.value));
      });
    } else if (power_of_decay(shortest_, 0) < std::numeric_limits<double>::min()) {
      throw NumericalError(
          "subsequence: decay^" + std::to_string(2 * (shortest_ + 1)) +
          " is below the smallest number with all its digits, and values would be lost; take form=normalized, "
          "weighting=excess, a larger decay or a smaller n");
    }
    return rows;
  }

  double value(const SubsequenceRows& x, Index i, const SubsequenceRows& y, Index j) const override {
    if (form_ == SubsequenceForm::normalized) {
      return normalized(scaled_sum(x, i, y, j, Slopes::none).value, x, i, y, j);
    }
    std::vector<double> sums(weights_.size());
    fill_sums(x, i, y, j, sums, {});
    double total = 0;
    for (std::size_t at = 0; at < sums.size(); ++at) {
      total += weights_[at] * sums[at] * power_of_decay(at, 0);
    }
    return finite(total);
  }

  void add_slopes(const SubsequenceRows& x, Index i, const SubsequenceRows& y, Index j, double q,
                  std::span<double> gradient) const override {
    if (form_ == SubsequenceForm::normalized) {
      gradient[0] += q * normalized_slope(x, i, y, j);
      return;
    }
    std::vector<double> sums(weights_.size());
    std::vector<double> slopes(weights_.size());
    fill_sums(x, i, y, j, sums, slopes);
    double total = 0;
    for (std::size_t at = 0; at < sums.size(); ++at) {
      const double exponent = per_symbol_ * static_cast<double>(at + 1);
      total += weights_[at] * (slopes[at] * power_of_decay(at, 0) + sums[at] * exponent * power_of_decay(at, -1));
    }
    gradient[0] += q * finite(total);
  }

 private:
  enum class Slopes { none, by_decay };

  static std::vector<double> length_weights(const ParameterList& parameters) {
    const double longest = parameters.number_or("n", 3);
    if (longest > most_lengths) {
      reject_argument("subsequence: n", longest, "at most 256");
    }
    const auto lengths = static_cast<std::size_t>(longest);
    if (parameters.has("weights")) {
      const std::vector<double>& given = parameters.numbers("weights");
      if (given.size() != lengths) {
        reject_argument("subsequence: weights", "a list of " + std::to_string(given.size()),
                        "n numbers, here " + std::to_string(lengths) + ", one for every length from 1");
      }
      return given;
    }
    std::vector<double> weights(lengths, parameters.word("lengths") == "up_to" ? 1.0 : 0.0);
    weights.back() = 1;
    return weights;
  }

  /// λ^(symbols' share + more) for subsequences of at + 1 symbols.
  double power_of_decay(std::size_t at, double more) const {
    return std::pow(decay_, per_symbol_ * static_cast<double>(at + 1) + more);
  }

  /// v / √(k(x, x) k(y, y)), 0 where a string has no subsequence that counts.
  static double normalized(long double v, const SubsequenceRows& x, Index i, const SubsequenceRows& y, Index j) {
    if (v == 0) {
      return 0;
    }
    const double own = (x.log_self[i] + y.log_self[j]) / 2;
    return std::exp(static_cast<double>(std::log(v)) - own);
  }

  /// (k / √(k_x k_y))' = (k' − k (k_x'/k_x + k_y'/k_y)/2) / √(k_x k_y)
  double normalized_slope(const SubsequenceRows& x, Index i, const SubsequenceRows& y, Index j) const {
    const ScaledSum pair = scaled_sum(x, i, y, j, Slopes::by_decay);
    const ScaledSum left = scaled_sum(x, i, x, i, Slopes::by_decay);
    const ScaledSum right = scaled_sum(y, j, y, j, Slopes::by_decay);
    if (left.value == 0 || right.value == 0) {
      return 0;
    }
    const long double slope = pair.slope - pair.value * (left.slope / left.value + right.slope / right.value) / 2;
    return slope < 0 ? -normalized(-slope, x, i, y, j) : normalized(slope, x, i, y, j);
  }

  ScaledSum scaled_sum(const SubsequenceRows& x, Index i, const SubsequenceRows& y, Index j, Slopes wanted) const {
    std::vector<double> sums(weights_.size());
    std::vector<double> slopes(wanted == Slopes::none ? 0 : weights_.size());
    fill_sums(x, i, y, j, sums, slopes);
    const auto fits = [](double value) { return std::isfinite(value); };
    if (std::ranges::all_of(sums, fits) && std::ranges::all_of(slopes, fits)) {
      return weighted_sum(std::span<const double>(sums), std::span<const double>(slopes));
    }
    std::vector<long double> wide(sums.size());
    std::vector<long double> wide_slopes(slopes.size());
    wide_gap_weighted_sums(x.symbols.symbols(i, StringSide::left), y.symbols.symbols(j, StringSide::right), decay_,
                           wide, wide_slopes, x.symbols.run());
    const ScaledSum total = weighted_sum(std::span<const long double>(wide), std::span<const long double>(wide_slopes));
    if (!std::isfinite(total.value) || !std::isfinite(total.slope)) {
      finite(std::numeric_limits<double>::infinity());
    }
    return total;
  }

  template <class Real>
  ScaledSum weighted_sum(std::span<const Real> sums, std::span<const Real> slopes) const {
    ScaledSum total;
    for (std::size_t at = shortest_; at < sums.size(); ++at) {
      const long double exponent = per_symbol_ * static_cast<long double>(at - shortest_);
      const long double power = weights_[at] * std::pow(static_cast<long double>(decay_), exponent);
      total.value += power * sums[at];
      if (!slopes.empty()) {
        total.slope += power * (slopes[at] + sums[at] * exponent / decay_);
      }
    }
    return total;
  }

  void fill_sums(const SubsequenceRows& x, Index i, const SubsequenceRows& y, Index j, std::span<double> sums,
                 std::span<double> slopes) const {
    const std::vector<std::uint64_t> s = x.symbols.symbols(i, StringSide::left);
    const std::vector<std::uint64_t> t = y.symbols.symbols(j, StringSide::right);
    if (static_cast<double>(s.size()) * static_cast<double>(t.size()) * static_cast<double>(sums.size()) > most_cells) {
      throw InvalidArgument("subsequence: strings of " + std::to_string(s.size()) + " and " + std::to_string(t.size()) +
                            " symbols are too long to be compared; the product of both lengths and n may be 3e11. Cut "
                            "them, take alphabet=words, or a kernel of linear cost such as bounded_subsequence or "
                            "spectrum");
    }
    gap_weighted_sums(s, t, decay_, sums, slopes, x.symbols.run());
  }

  static double finite(double value) {
    if (!std::isfinite(value)) {
      throw NumericalError(
          "subsequence: the value exceeds the largest number; take form=normalized, a smaller n or decay");
    }
    return value;
  }

  double decay_;
  Alphabet alphabet_;
  double per_symbol_;
  SubsequenceForm form_;
  std::vector<double> weights_;
  std::size_t shortest_ = 0;  ///< the first length that counts, less one
};

}  // namespace

const KernelEntry& subsequence_entry() {
  static const KernelEntry entry{
      .name = "subsequence",
      .aliases = {"gap_weighted", "ssk"},
      .formula = "sum over common subsequences of n symbols of decay^(span in x + span in y)",
      .summary =
          "subsequences with gaps: the more an occurrence spans, the less it counts (kernlab: stringdot, sequence)",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "n",
                      .aliases = {"length"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "symbols of a subsequence, at most 256"},
                     {.name = "decay",
                      .aliases = {"lambda"},
                      .default_text = "0.5",
                      .meaning = "factor per spanned symbol, usually at most 1; 1 counts occurrences"},
                     {.name = "lengths",
                      .role = ParameterRole::word,
                      .default_text = "exactly",
                      .meaning = "subsequences of n symbols, or the sum over all lengths up to n",
                      .words = {"exactly", "up_to"}},
                     {.name = "weights",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .meaning = "weights of the lengths 1 to n, in place of `lengths`",
                      .may_be_list = true},
                     {.name = "weighting",
                      .role = ParameterRole::word,
                      .default_text = "span",
                      .meaning = "span: every spanned symbol decays; excess: only the gaps do",
                      .words = {"span", "excess"}},
                     {.name = "form",
                      .role = ParameterRole::word,
                      .default_text = "plain",
                      .meaning = "k itself, or k/sqrt(k(x,x) k(y,y)) where neither may over- nor underflow",
                      .words = {"plain", "normalized"}},
                     alphabet_parameter()},
      .make = make_node<SubsequenceNode>,
      .examples = {"subsequence(n=2, decay=0.8)", "subsequence(n=3, decay=0.6, lengths=up_to, weighting=excess)",
                   "normalize(subsequence(n=3, decay=0.5, alphabet=dna))",
                   "subsequence(n=2, decay=1, weights=[0.5, 2], alphabet=words)",
                   "subsequence(n=3, decay=0.7, weights=[0, 1, 2], form=normalized)"}};
  return entry;
}

}  // namespace mercer
