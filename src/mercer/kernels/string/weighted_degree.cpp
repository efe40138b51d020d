#include "mercer/kernels/string/weighted_degree.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/simd.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/alphabet.h"
#include "mercer/kernels/string/named_keys.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

constexpr std::size_t most_orders = 1000;
constexpr Index strings_per_task = 256;
// What was learnt from no strings, or stands in files that know no length.
constexpr Index any_length = -1;
// Packed keys leave so many bits for the place; places beyond are hashed.
constexpr int place_bits = 24;

// Strings of one length as planes of bits: bit l of plane b is bit b of the code of symbol l, and one plane more says
// which symbols are known. A string is planes × words numbers.
struct BitPlanes {
  Index length = 0;
  std::size_t words = 0;
  std::size_t code_planes = 0;
  Index rows = 0;
  std::vector<std::uint64_t> bits;

  std::size_t stride() const { return (code_planes + 1) * words; }
  const std::uint64_t* row(Index i) const { return bits.data() + static_cast<std::size_t>(i) * stride(); }
};

// values[j] = Σ_n weights[n] |M_n| for one string x and `count` strings y that follow one another. `matches` has one
// word more than a plane, the last one 0.
MERCER_CLONES void match_strings(const std::uint64_t* x, const std::uint64_t* y, std::size_t count, std::size_t planes,
                                 std::size_t words, const double* weights, std::size_t orders, std::uint64_t* matches,
                                 double* values) {
  for (std::size_t j = 0; j < count; ++j, y += (planes + 1) * words) {
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t differ = 0;
      for (std::size_t b = 0; b < planes; ++b) {
        differ |= x[b * words + w] ^ y[b * words + w];
      }
      matches[w] = x[planes * words + w] & y[planes * words + w] & ~differ;
    }
    double value = 0;
    for (std::size_t n = 0; n < orders; ++n) {
      std::int64_t runs = 0;
      for (std::size_t w = 0; w < words; ++w) {
        runs += std::popcount(matches[w]);
        matches[w] &= (matches[w] >> 1) | (matches[w + 1] << 63);
      }
      if (runs == 0) {
        break;
      }
      value += weights[n] * static_cast<double>(runs);
    }
    values[j] = value;
  }
}

class WeightedDegreeNode final : public ExplicitNode {
 public:
  WeightedDegreeNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)), alphabet_(this->parameters()) {
    const std::size_t degree = length_of(this->parameters(), "degree", 5);
    if (const Parameter* listed = this->parameters().find("weights")) {
      weights_ = listed->value.numbers;
      if (this->parameters().has("degree") && this->parameters().resolved() && weights_.size() != degree) {
        throw InvalidArgument(entry.name + ": weights are " + std::to_string(weights_.size()) +
                              " numbers, one for each length from 1 on, but degree says otherwise; leave degree out");
      }
    } else if (degree > most_orders) {
      throw InvalidArgument(entry.name + ": degree = " + std::to_string(degree) + ": must be at most " +
                            std::to_string(most_orders));
    } else {
      const auto d = static_cast<double>(degree);
      for (std::size_t n = 1; n <= degree; ++n) {
        weights_.push_back(2 * (d - static_cast<double>(n) + 1) / (d * (d + 1)));
      }
    }
    for (const double weight : weights_) {
      roots_.push_back(std::sqrt(weight));
    }
  }

  void check(const Samples& samples) const override {
    alphabet_.require(entry().name, samples);
    common_length(entry().name, samples);
  }

  // The length alone: values of pairs do not depend on it, so that training rows may be dropped.
  bool learns() const override { return true; }
  bool depends_on_reference() const override { return false; }

  std::shared_ptr<const void> learn(const Samples& reference, const Run& /*run*/) const override {
    return std::make_shared<const Index>(reference.size() == 0 ? any_length : common_length(entry().name, reference));
  }

  std::vector<KeyedFeature> learned_numbers(const void* learned) const override {
    const Index length = *static_cast<const Index*>(learned);
    return length == any_length ? std::vector<KeyedFeature>()
                                : std::vector<KeyedFeature>{{0, static_cast<double>(length)}};
  }

  std::shared_ptr<const void> learned_from(std::span<const KeyedFeature> numbers) const override {
    constexpr double longest = 1e15;
    if (numbers.empty()) {
      return std::make_shared<const Index>(any_length);
    }
    const double length = numbers.front().value;
    if (numbers.size() != 1 || !(length >= 0 && length <= longest) || length != std::floor(length)) {
      throw DataError(entry().name + ": the length of the training strings is no whole number");
    }
    return std::make_shared<const Index>(static_cast<Index>(length));
  }

  // Sorted by key where keys are packed.
  void append_features(const Samples& samples, Index i, const void* learned, FeatureList& out) const override {
    const std::string_view text = string_at(samples, i);
    const Index length = learned == nullptr ? any_length : *static_cast<const Index*>(learned);
    if (length != any_length) {
      require_length(static_cast<Index>(text.size()), length);
    }
    for_each_feature(text, [&](std::uint64_t key, std::size_t /*at*/, std::size_t n) {
      if (roots_[n - 1] > 0) {
        out.add(key, roots_[n - 1]);
      }
    });
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    for_each_feature(string_at(samples, i), [&](std::uint64_t key, std::size_t at, std::size_t n) {
      if (roots_[n - 1] > 0) {
        out.push_back({key, static_cast<std::int64_t>(at), static_cast<std::int64_t>(at + n)});
      }
    });
  }

  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    return feature_names(samples, i, std::span<const std::uint64_t>(&key, 1)).front();
  }

  std::vector<std::string> feature_names(const Samples& samples, Index i,
                                         std::span<const std::uint64_t> keys) const override {
    NamedKeys named(keys);
    const std::string_view text = string_at(samples, i);
    for_each_feature(text, [&](std::uint64_t own, std::size_t at, std::size_t n) {
      if (std::string* const name = named.unnamed(own)) {
        for (const char c : text.substr(at, n)) {
          *name += alphabet_.letter(alphabet_.code(c));
        }
        *name += "@" + std::to_string(at);
      }
    });
    return named.names([&](std::uint64_t key) { return ExplicitNode::feature_name(samples, i, key); });
  }

  void complete(KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    check(samples);
    auto planes = std::make_shared<BitPlanes>(planes_of(samples, preparation.run()));
    if (preparation.reference()) {
      const auto& reference = preparation.reference()->slot<BitPlanes>(*this);
      if (planes->rows > 0 && reference.rows > 0) {
        require_length(planes->length, reference.length);
      }
    }
    preparation.keep(*this, planes);
  }

  void tile(TileContext<float>& context, MatrixView<float> k) const override { match_tile(context, k); }
  void tile(TileContext<double>& context, MatrixView<double> k) const override { match_tile(context, k); }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const auto& planes = x.slot<BitPlanes>(*this);
    std::vector<std::uint64_t> matches(planes.words + 1, 0);
    for (Index i = range.begin; i < range.end; ++i) {
      match(planes, i, planes, {i, i + 1}, matches, k.data() + (i - range.begin));
    }
  }

 private:
  void require_length(Index length, Index trained) const {
    if (length != trained) {
      throw DataError(entry().name + " compares strings of one length, but these have " + std::to_string(length) +
                      " characters where those of the training samples have " + std::to_string(trained));
    }
  }

  // Calls f(key, at, n) for every substring of known symbols of length n <= degree, by place, then by length.
  template <class F>
  void for_each_feature(std::string_view text, F f) const {
    const std::size_t degree = weights_.size();
    const int bits = alphabet_.bits();
    const bool packs = degree * static_cast<std::size_t>(bits) + 1 + place_bits <= 64;
    const int shift = packs ? bits * static_cast<int>(degree) + 1 : 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const bool packed = packs && at < (std::size_t{1} << place_bits);
      const std::uint64_t place = packed ? static_cast<std::uint64_t>(at) << shift : mixed_bits(at);
      std::uint64_t symbols = packed ? 1 : place;
      const std::size_t longest = std::min(degree, text.size() - at);
      for (std::size_t n = 1; n <= longest; ++n) {
        const int code = alphabet_.code(text[at + n - 1]);
        if (code < 0) {
          break;
        }
        if (packed) {
          symbols = (symbols << bits) | static_cast<std::uint64_t>(code);
          f(place | symbols, at, n);
        } else {
          symbols = joined_key(symbols, static_cast<std::uint64_t>(code));
          f(symbols, at, n);
        }
      }
    }
  }

  BitPlanes planes_of(const Samples& samples, const Run& run) const {
    BitPlanes planes;
    planes.rows = samples.size();
    planes.length = common_length(entry().name, samples);
    planes.words = static_cast<std::size_t>((planes.length + 63) / 64);
    planes.code_planes = static_cast<std::size_t>(alphabet_.bits());
    planes.bits.assign(static_cast<std::size_t>(planes.rows) * planes.stride(), 0);
    parallel_for(run, (planes.rows + strings_per_task - 1) / strings_per_task, [&](Index task) {
      for (Index i = task * strings_per_task; i < std::min(planes.rows, (task + 1) * strings_per_task); ++i) {
        const std::string_view text = string_at(samples, i);
        std::uint64_t* const row = planes.bits.data() + static_cast<std::size_t>(i) * planes.stride();
        for (std::size_t at = 0; at < text.size(); ++at) {
          const int code = alphabet_.code(text[at]);
          if (code < 0) {
            continue;
          }
          const std::size_t word = at / 64;
          for (std::size_t b = 0; b < planes.code_planes; ++b) {
            row[b * planes.words + word] |= static_cast<std::uint64_t>(code >> b & 1) << (at % 64);
          }
          row[planes.code_planes * planes.words + word] |= std::uint64_t{1} << (at % 64);
        }
      }
    });
    return planes;
  }

  void match(const BitPlanes& x, Index i, const BitPlanes& y, IndexRange columns, std::vector<std::uint64_t>& matches,
             double* values) const {
    match_strings(x.row(i), y.row(columns.begin), static_cast<std::size_t>(columns.size()), x.code_planes,
                  std::min(x.words, y.words), weights_.data(), weights_.size(), matches.data(), values);
  }

  template <class T>
  void match_tile(TileContext<T>& context, MatrixView<T> k) const {
    const auto& x = context.x().template slot<BitPlanes>(*this);
    const auto& y = context.y().template slot<BitPlanes>(*this);
    std::vector<std::uint64_t> matches(x.words + 1, 0);
    std::vector<double> values(context.column_count());
    for (Index i = 0; i < context.row_count(); ++i) {
      match(x, context.rows().begin + i, y, context.columns(), matches, values.data());
      for (Index j = 0; j < context.column_count(); ++j) {
        k(i, j) = static_cast<T>(values[j]);
      }
    }
  }

  Alphabet alphabet_;
  std::vector<double> weights_;
  std::vector<double> roots_;
};

}  // namespace

const KernelEntry& weighted_degree_entry() {
  static const KernelEntry entry{
      .name = "weighted_degree",
      .aliases = {"wd"},
      .formula =
          "sum over n = 1..degree of beta_n times the places where x and y have the same n symbols, beta_n = "
          "2 (degree-n+1) / (degree (degree+1))",
      .summary = "the same substrings in the same places, on strings of one length",
      .definiteness = "positive definite",
      .input = KernelInput::aligned_strings,
      .parameters = {{.name = "degree",
                      .aliases = {"d"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .meaning = "greatest length of the substrings (default 5, or the number of weights)"},
                     {.name = "weights",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .meaning = "beta_1, beta_2, ..., instead of those of the formula",
                      .may_be_list = true},
                     alphabet_parameter({"bytes", "dna", "protein"})},
      .make = make_node<WeightedDegreeNode>,
      .examples = {"weighted_degree(degree=3)", "normalize(weighted_degree(degree=5))",
                   "weighted_degree(weights=[1, 0, 2], alphabet=dna)"}};
  return entry;
}

}  // namespace mercer
