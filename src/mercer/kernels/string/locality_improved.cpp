#include "mercer/kernels/string/locality_improved.h"

#include "mercer/kernels/string/window_node.h"

namespace mercer {

namespace {

class LocalityImprovedNode final : public WindowNode {
 public:
  LocalityImprovedNode(const KernelEntry& entry, const ParameterList& parameters, std::vector<Kernel> children)
      : WindowNode(entry, parameters, std::move(children), Alphabet(parameters)) {}

 protected:
  void fill_windows(const WindowRows& x, Index i, const WindowRows& y, Index j,
                    std::span<double> windows) const override {
    std::vector<double> matches(windows.size());
    mark_matches(x.row(i), 0, y.row(j), 0, matches);
    add_windows(matches, -half_width(), weights(), windows);
  }
};

std::vector<ParameterSpec> locality_improved_parameters() {
  std::vector<ParameterSpec> specs = window_parameters();
  specs.push_back(alphabet_parameter({"bytes", "dna", "protein"}));
  return specs;
}

}  // namespace

const KernelEntry& locality_improved_entry() {
  static const KernelEntry entry{
      .name = "locality_improved",
      .formula = "(sum_p (sum_{|j| <= window} v_j [x_{p+j} = y_{p+j}])^d1)^d2",
      .summary = "matches at the same place, several near each other counting more (start codons, splice sites)",
      .definiteness = "positive definite",
      .input = KernelInput::aligned_strings,
      .parameters = locality_improved_parameters(),
      .make = make_node<LocalityImprovedNode>,
      .examples = {"locality_improved(window=2, d1=3)", "locality_improved(window=0, d1=1, d2=2)",
                   "normalize(locality_improved(window=1, d1=2, d2=2, weights=[2, 0.5], alphabet=dna))"}};
  return entry;
}

}  // namespace mercer
