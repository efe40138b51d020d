#include "mercer/kernels/string/subsequence.h"

#include <cmath>
#include <string>

#include "mercer/kernels/object_node.h"
#include "mercer/kernels/string/subsequence_sums.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

constexpr double most_lengths = 256;
constexpr double most_cells = 3e11;

class SubsequenceNode final : public ObjectNode<SymbolRows> {
 public:
  SubsequenceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        decay_(this->parameters().number_or("decay", 0.5)),
        alphabet_(this->parameters()),
        per_symbol_(this->parameters().word("weighting") == "excess" ? 0 : 2),
        weights_(length_weights(this->parameters())) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  SymbolRows encode(const Samples& samples, const SymbolRows* /*reference*/, const Run& run) const override {
    return {entry().name, samples, alphabet_, run};
  }

  double value(const SymbolRows& x, Index i, const SymbolRows& y, Index j) const override {
    std::vector<double> sums(weights_.size());
    fill_sums(x, i, y, j, sums, {});
    double total = 0;
    for (std::size_t at = 0; at < sums.size(); ++at) {
      total += weights_[at] * sums[at] * power_of_decay(at, 0);
    }
    return finite(total);
  }

  void add_slopes(const SymbolRows& x, Index i, const SymbolRows& y, Index j, double q,
                  std::span<double> gradient) const override {
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

  void fill_sums(const SymbolRows& x, Index i, const SymbolRows& y, Index j, std::span<double> sums,
                 std::span<double> slopes) const {
    const std::vector<std::uint64_t> s = x.symbols(i, StringSide::left);
    const std::vector<std::uint64_t> t = y.symbols(j, StringSide::right);
    if (static_cast<double>(s.size()) * static_cast<double>(t.size()) * static_cast<double>(sums.size()) > most_cells) {
      throw InvalidArgument("subsequence: strings of " + std::to_string(s.size()) + " and " + std::to_string(t.size()) +
                            " symbols are too long to be compared; the product of both lengths and n may be 3e11. Cut "
                            "them, take alphabet=words, or a kernel of linear cost such as bounded_subsequence or "
                            "spectrum");
    }
    gap_weighted_sums(s, t, decay_, sums, slopes, x.run());
  }

  static double finite(double value) {
    if (!std::isfinite(value)) {
      throw NumericalError("subsequence: the value exceeds the largest number; take a smaller n or decay");
    }
    return value;
  }

  double decay_;
  Alphabet alphabet_;
  double per_symbol_;
  std::vector<double> weights_;
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
                     alphabet_parameter()},
      .make = make_node<SubsequenceNode>,
      .examples = {"subsequence(n=2, decay=0.8)", "subsequence(n=3, decay=0.6, lengths=up_to, weighting=excess)",
                   "normalize(subsequence(n=3, decay=0.5, alphabet=dna))",
                   "subsequence(n=2, decay=1, weights=[0.5, 2], alphabet=words)"}};
  return entry;
}

}  // namespace mercer
