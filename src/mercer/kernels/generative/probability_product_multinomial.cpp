// Probability products of multinomials: k(x, y) = Σ_j p_j^ρ q_j^ρ with explicit features p_j^ρ, p the shares of the entries of a
// non-negative vector, or of the substrings of a string. A sample without any has k = 0 with all.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/generative/probability_product.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

template <class T>
void append_stored(const DenseRows<T>& rows, Index i, FeatureList& out) {
  for (Index j = 0; j < rows.columns; ++j) {
    out.add(static_cast<std::uint64_t>(j), static_cast<double>(rows(i, j)));
  }
}
template <class T>
void append_stored(const SparseRows<T>& rows, Index i, FeatureList& out) {
  for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    out.add(static_cast<std::uint64_t>(rows.column_numbers[p]), static_cast<double>(rows.values[p]));
  }
}

// Counts become (count/sum)^ρ. The largest is divided out first: no sum overflows.
void take_shares(double rho, std::span<KeyedFeature> counts) {
  double largest = 0;
  for (const KeyedFeature& count : counts) {
    largest = std::max(largest, count.value);
  }
  double sum = 0;
  for (const KeyedFeature& count : counts) {
    sum += count.value / largest;
  }
  for (KeyedFeature& count : counts) {
    count.value = std::pow(count.value / largest / sum, rho);
  }
}

class MultinomialProductNode : public ExplicitNode {
 public:
  MultinomialProductNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        rho_(this->parameters().number_or("rho", 0.5)) {}

 protected:
  double rho() const { return rho_; }

 private:
  double rho_;
};

class CountsProductNode final : public MultinomialProductNode {
 public:
  using MultinomialProductNode::MultinomialProductNode;

  void check(const Samples& samples) const override {
    if (!samples.is_numeric()) {
      throw InvalidArgument(entry().name + " needs non-negative vectors, but the samples are " +
                            std::string(to_string(samples.kind())) + "; choose numeric columns with a subscript");
    }
    require_finite(samples);
    const Run run;
    FeatureList row(run);
    for (Index i = 0; i < samples.size(); ++i) {
      row.clear();
      append_row(samples, i, row);
      for (const KeyedFeature& entry_of_row : row.merged()) {
        if (entry_of_row.value < 0) {
          throw DataError(entry().name + " needs values that are not negative, but row " + std::to_string(i) +
                          ", column " + std::to_string(entry_of_row.key) +
                          " (counted from 0) holds one; do not "
                          "standardise counts");
        }
      }
    }
  }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    FeatureSection section(out);
    append_row(samples, i, out);
    take_shares(rho(), section.merged());
  }

  std::string feature_name(const Samples& /*samples*/, Index /*i*/, std::uint64_t key) const override {
    return std::to_string(key);
  }

 private:
  static void append_row(const Samples& samples, Index i, FeatureList& out) {
    std::visit(
        [&]<class R>(const R& rows) {
          if constexpr (requires { rows.columns; }) {
            append_stored(rows, i, out);
          }
        },
        samples.rows());
  }
};

class StringsProductNode final : public MultinomialProductNode {
 public:
  StringsProductNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : MultinomialProductNode(entry, std::move(parameters), std::move(children)),
        length_(static_cast<std::size_t>(this->parameters().number_or("k", 1))) {}

  void check(const Samples& samples) const override { require_strings(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    const std::string_view text = string_at(samples, i);
    FeatureSection section(out);
    for (std::size_t at = 0; at + length_ <= text.size(); ++at) {
      out.add(text_key(text.substr(at, length_)), 1.0);
    }
    take_shares(rho(), section.merged());
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    const std::string_view text = string_at(samples, i);
    for (std::size_t at = 0; at + length_ <= text.size(); ++at) {
      out.push_back(
          {text_key(text.substr(at, length_)), static_cast<std::int64_t>(at), static_cast<std::int64_t>(at + length_)});
    }
  }

  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    const std::string_view text = string_at(samples, i);
    for (std::size_t at = 0; at + length_ <= text.size(); ++at) {
      if (text_key(text.substr(at, length_)) == key) {
        return std::string(text.substr(at, length_));
      }
    }
    return ExplicitNode::feature_name(samples, i, key);
  }

 private:
  std::size_t length_;
};

ParameterSpec share_power_spec() {
  return {.name = "rho",
          .role = ParameterRole::number,
          .default_text = "0.5",
          .meaning = "power of the probabilities: 0.5 Bhattacharyya, 1 expected likelihood"};
}

}  // namespace

const KernelEntry& probability_product_counts_entry() {
  static const KernelEntry entry{.name = "probability_product_counts",
                                 .formula = "sum_j p_j^rho q_j^rho, p = x/sum(x), q = y/sum(y)",
                                 .summary = "overlap of the multinomials of two vectors of counts",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::nonnegative_vectors,
                                 .parameters = {share_power_spec()},
                                 .make = make_node<CountsProductNode>,
                                 .examples = {"probability_product_counts()", "probability_product_counts(rho=1)",
                                              "normalize(probability_product_counts(rho=2))"}};
  return entry;
}

const KernelEntry& probability_product_strings_entry() {
  static const KernelEntry entry{
      .name = "probability_product_strings",
      .aliases = {"bhattacharyya_strings"},
      .formula = "sum over strings s of length k of p_s^rho q_s^rho, p_s the share of s among the substrings of x",
      .summary = "overlap of the distributions of substrings of one length",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "length of the substrings"},
                     share_power_spec()},
      .make = make_node<StringsProductNode>,
      .examples = {"probability_product_strings(k=1)", "probability_product_strings(k=2, rho=1)",
                   "normalize(probability_product_strings(k=2, rho=0.7))"}};
  return entry;
}

}  // namespace mercer
