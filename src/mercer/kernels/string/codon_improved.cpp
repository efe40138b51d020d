#include "mercer/kernels/string/codon_improved.h"

#include <cmath>

#include "mercer/kernels/string/window_node.h"

namespace mercer {

namespace {

constexpr Index codon_length = 3;

class CodonImprovedNode final : public WindowNode {
 public:
  CodonImprovedNode(const KernelEntry& entry, const ParameterList& parameters, std::vector<Kernel> children)
      : WindowNode(entry, parameters, std::move(children), Alphabet(parameters)),
        codon_weight_(parameters.number_or("codon_weight", 0.25)) {
    const std::span<const double> v = weights();
    for (std::size_t j = 0; j + codon_length < v.size(); ++j) {
      displaced_weights_.push_back(codon_weight_ * std::sqrt(v[j] * v[j + codon_length]));
    }
  }

  Definiteness definiteness() const override {
    constexpr double largest_positive = 0.5;
    return codon_weight_ <= largest_positive ? Definiteness::positive() : Definiteness::indefinite();
  }

 protected:
  void fill_windows(const WindowRows& x, Index i, const WindowRows& y, Index j,
                    std::span<double> windows) const override {
    const std::span<const std::int16_t> s = x.row(i);
    const std::span<const std::int16_t> t = y.row(j);
    std::vector<double> matches(windows.size());
    mark_matches(s, 0, t, 0, matches);
    add_windows(matches, -half_width(), weights(), windows);
    std::vector<double> back(matches.size());
    mark_matches(s, codon_length, t, 0, matches);
    mark_matches(s, 0, t, codon_length, back);
    for (std::size_t p = 0; p < matches.size(); ++p) {
      matches[p] += back[p];
    }
    add_windows(matches, -half_width(), displaced_weights_, windows);
  }

 private:
  double codon_weight_;
  std::vector<double> displaced_weights_;
};

std::vector<ParameterSpec> codon_improved_parameters() {
  std::vector<ParameterSpec> specs = window_parameters();
  specs.push_back({.name = "codon_weight",
                   .role = ParameterRole::number,
                   .constraint = Constraint::nonnegative,
                   .default_text = "0.25",
                   .meaning = "weight of matches three places apart; positive definite up to 0.5"});
  specs.push_back(alphabet_parameter({"bytes", "dna", "protein"}));
  return specs;
}

}  // namespace

const KernelEntry& codon_improved_entry() {
  static const KernelEntry entry{
      .name = "codon_improved",
      .formula =
          "(sum_p (sum_{|j|,|j'| <= window} sqrt(v_j v_j') c_|j-j'| [x_{p+j} = y_{p+j'}])^d1)^d2, c_0 = 1, c_3 = "
          "codon_weight",
      .summary = "locality_improved that also counts matches displaced by one codon",
      .definiteness = "positive definite for codon_weight <= 0.5",
      .input = KernelInput::aligned_strings,
      .parameters = codon_improved_parameters(),
      .make = make_node<CodonImprovedNode>,
      .examples = {"codon_improved(window=3, d1=2)", "codon_improved(window=5, d1=3, codon_weight=0.5)",
                   "normalize(codon_improved(window=2, d1=2, d2=2, alphabet=dna))"}};
  return entry;
}

}  // namespace mercer
