#include "mercer/kernels/string/oligo.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/parallel.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/kmers.h"
#include "mercer/kernels/string/string_samples.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

// The substrings of every string in the order of their keys, and where they stand.
struct OligoRows {
  struct Place {
    std::uint64_t key;
    Index position;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<std::vector<Place>> places;
  std::vector<double> near;  ///< exp(−d²/(4σ²)) for the distances that occur, as far as it is not 0
  Run run;
};

constexpr double most_oligo_pairs = 1e11;

class OligoNode final : public ObjectNode<OligoRows> {
 public:
  OligoNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        kmers_(Alphabet(this->parameters()), length_of(this->parameters(), "k", 3),
               strands_of(entry.name, this->parameters(), Alphabet(this->parameters()))),
        sigma_(this->parameters().number_or("sigma", 1)) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  OligoRows encode(const Samples& samples, const OligoRows* /*reference*/, const Run& run) const override {
    kmers_.alphabet().require(entry().name, samples);
    OligoRows result{std::vector<std::vector<OligoRows::Place>>(samples.size()), {}, run.stop_only()};
    std::vector<std::size_t> sizes(result.places.size());
    parallel_for(run, samples.size(), [&](Index i) {
      const auto row = static_cast<std::size_t>(i);
      const std::string_view text = string_at(samples, i);
      result.places[row] = places_of(text);
      sizes[row] = symbol_count(kmers_.alphabet(), text);
    });
    const std::size_t longest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    for (std::size_t d = 0; d < longest; ++d) {
      const double near = std::exp(-exponent(static_cast<double>(d)));
      if (near == 0) {
        break;
      }
      result.near.push_back(near);
    }
    return result;
  }

  double value(const OligoRows& x, Index i, const OligoRows& y, Index j) const override {
    const std::vector<double>& near = x.near.size() > y.near.size() ? x.near : y.near;
    double total = 0;
    for_near_pairs(x, i, y, j, near.size(), [&](std::size_t d) { total += near[d]; });
    return total;
  }

  // ∂/∂σ exp(−d²/(4σ²)) = d²/(2σ³) exp(−d²/(4σ²))
  void add_slopes(const OligoRows& x, Index i, const OligoRows& y, Index j, double q,
                  std::span<double> gradient) const override {
    if (std::isinf(sigma_)) {
      return;
    }
    const std::vector<double>& near = x.near.size() > y.near.size() ? x.near : y.near;
    double total = 0;
    for_near_pairs(x, i, y, j, near.size(),
                   [&](std::size_t d) { total += exponent(static_cast<double>(d)) * 2 / sigma_ * near[d]; });
    gradient[0] += q * total;
  }

 private:
  double exponent(double distance) const {
    const double ratio = distance / (2 * sigma_);
    return ratio * ratio;
  }

  std::vector<OligoRows::Place> places_of(std::string_view text) const {
    std::vector<OligoRows::Place> places;
    kmers_.for_each(text, [&](std::uint64_t key, std::size_t at) { places.push_back({key, static_cast<Index>(at)}); });
    std::sort(places.begin(), places.end());
    return places;
  }

  /// f(|p − q|) for all equal substrings less than `reach` places apart.
  template <class F>
  static void for_near_pairs(const OligoRows& x, Index i, const OligoRows& y, Index j, std::size_t reach, F f) {
    const auto& a = x.places[i];
    const auto& b = y.places[j];
    auto at = a.begin();
    auto to = b.begin();
    double pairs = 0;
    constexpr std::ptrdiff_t pairs_per_poll = 1'000'000;
    std::ptrdiff_t since_poll = 0;
    while (at != a.end() && to != b.end()) {
      if (at->key != to->key) {
        ++(at->key < to->key ? at : to);
        continue;
      }
      const std::uint64_t key = at->key;
      const auto same = [key](const OligoRows::Place& place) { return place.key == key; };
      const auto end_of_a = std::find_if_not(at, a.end(), same);
      const auto end_of_b = std::find_if_not(to, b.end(), same);
      for (auto first = to; at != end_of_a; ++at) {
        const Index p = at->position;
        while (first != end_of_b && p - first->position >= static_cast<Index>(reach)) {
          ++first;
        }
        auto last = first;
        for (; last != end_of_b && last->position - p < static_cast<Index>(reach); ++last) {
          f(static_cast<std::size_t>(std::abs(p - last->position)));
        }
        pairs += static_cast<double>(last - first);
        if (pairs > most_oligo_pairs) {
          throw InvalidArgument(
              "oligo: two strings have more than 1e11 pairs of equal substrings near each other; take "
              "a larger k, a smaller sigma, or the spectrum kernel");
        }
        since_poll += last - first + 1;
        if (since_poll > pairs_per_poll) {
          x.run.check_stop();
          since_poll = 0;
        }
      }
      to = end_of_b;
    }
  }

  Kmers kmers_;
  double sigma_;
};

}  // namespace

const KernelEntry& oligo_entry() {
  static const KernelEntry entry{
      .name = "oligo",
      .formula = "sum over substrings of length k in x at p and in y at q of exp(-(p-q)^2 / (4 sigma^2))",
      .summary = "equal substrings, the nearer their places the more (Shogun: OligoString)",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "length of the substrings"},
                     {.name = "sigma",
                      .default_text = "1",
                      .meaning = "how far apart places may be, in symbols; inf: anywhere",
                      .may_be_infinite = true},
                     alphabet_parameter(),
                     strands_parameter()},
      .make = make_node<OligoNode>,
      .examples = {"oligo(k=2, sigma=1.5)", "oligo(k=1, sigma=inf)", "normalize(oligo(k=2, sigma=0.4, alphabet=dna))",
                   "oligo(k=3, sigma=2, alphabet=dna, reverse_complement=yes)"}};
  return entry;
}

}  // namespace mercer
