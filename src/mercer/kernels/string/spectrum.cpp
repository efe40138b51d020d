#include "mercer/kernels/string/spectrum.h"

#include "mercer/kernels/explicit_node.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

class SpectrumNode final : public ExplicitNode {
 public:
  SpectrumNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        length_(static_cast<std::size_t>(this->parameters().number_or("k", 3))) {}

  void check(const Samples& samples) const override { require_strings(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/,
                       std::vector<KeyedFeature>& out) const override {
    const std::string_view text = string_at(samples, i);
    for (std::size_t at = 0; at + length_ <= text.size(); ++at) {
      out.push_back({text_key(text.substr(at, length_)), 1.0});
    }
  }

 private:
  std::size_t length_;
};

}  // namespace

const KernelEntry& spectrum_entry() {
  static const KernelEntry entry{.name = "spectrum",
                                 .formula = "sum over strings s of length k of count_s(x) count_s(y)",
                                 .summary = "substrings of one length, with their numbers of occurrences",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::strings,
                                 .parameters = {{.name = "k",
                                                 .role = ParameterRole::number,
                                                 .constraint = Constraint::positive_integer,
                                                 .default_text = "3",
                                                 .meaning = "length of the substrings"}},
                                 .make = make_node<SpectrumNode>,
                                 .examples = {"spectrum(k=2)", "normalize(spectrum(k=1))"}};
  return entry;
}

}  // namespace mercer
