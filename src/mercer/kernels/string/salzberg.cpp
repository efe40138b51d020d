#include "mercer/kernels/string/salzberg.h"

#include <cmath>
#include <numeric>
#include <string>

#include "mercer/kernels/string/string_samples.h"
#include "mercer/kernels/string/window_node.h"

namespace mercer {

namespace {

constexpr std::size_t nucleotides = 4;  // as Alphabet numbers them

// Numbers of A, C, G, T at every place of the chosen rows.
std::vector<double> nucleotide_counts(const Samples& strings, std::span<const Index> rows, std::size_t length) {
  const Alphabet alphabet(AlphabetKind::dna);
  std::vector<double> counts(nucleotides * length, 0.0);
  for (const Index i : rows) {
    const std::string_view text = string_at(strings, i);
    for (std::size_t p = 0; p < length; ++p) {
      const int code = alphabet.code(text[p]);
      if (code >= 0) {
        ++counts[nucleotides * p + static_cast<std::size_t>(code)];
      }
    }
  }
  return counts;
}

// ln of the relative frequencies of four counts, each plus one.
void take_log_shares(std::span<double> counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), static_cast<double>(nucleotides));
  for (double& count : counts) {
    count = std::log((count + 1) / total);
  }
}

void take_log_shares_of_places(std::vector<double>& counts) {
  for (std::size_t p = 0; p < counts.size(); p += nucleotides) {
    take_log_shares(std::span<double>(counts).subspan(p, nucleotides));
  }
}

std::vector<Index> every_row(const Samples& strings) {
  std::vector<Index> rows(strings.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// Places against the whole.
std::vector<double> learned_scores(const Samples& strings, std::size_t length) {
  std::vector<double> scores = nucleotide_counts(strings, every_row(strings), length);
  std::vector<double> anywhere(nucleotides, 0.0);
  for (std::size_t at = 0; at < scores.size(); ++at) {
    anywhere[at % nucleotides] += scores[at];
  }
  take_log_shares(anywhere);
  take_log_shares_of_places(scores);
  for (std::size_t at = 0; at < scores.size(); ++at) {
    scores[at] -= anywhere[at % nucleotides];
  }
  return scores;
}

class SalzbergNode final : public WindowNode {
 public:
  SalzbergNode(const KernelEntry& entry, const ParameterList& parameters, std::vector<Kernel> children)
      : WindowNode(entry, parameters, std::move(children), Alphabet(AlphabetKind::dna)) {}

  bool depends_on_reference() const override { return !parameters().has("scores"); }

 protected:
  void finish(const Samples& samples, const WindowRows* reference, WindowRows& rows) const override {
    const auto length = static_cast<std::size_t>(rows.length);
    rows.table = parameters().has("scores") ? parameters().numbers("scores")
                 : reference != nullptr     ? reference->table
                                            : learned_scores(samples, length);
    if (rows.size > 0 && rows.table.size() != nucleotides * length) {
      throw DataError("salzberg: there are scores for " + std::to_string(rows.table.size() / nucleotides) +
                      " places (four numbers each), but the strings have " + std::to_string(length));
    }
    for (Index i = 0; i < rows.size; ++i) {
      const std::span<const std::int16_t> codes = rows.row(i);
      for (std::size_t p = 0; p < length; ++p) {
        const int code = codes[p];
        rows.scores.push_back(code < 0 ? 0.0 : rows.table[nucleotides * p + static_cast<std::size_t>(code)]);
      }
    }
  }

  void fill_windows(const WindowRows& x, Index i, const WindowRows& y, Index j,
                    std::span<double> windows) const override {
    std::vector<double> products(windows.size());
    const double* const left = x.scores.data() + i * x.length;
    const double* const right = y.scores.data() + j * y.length;
    for (std::size_t p = 0; p < products.size(); ++p) {
      products[p] = left[p] * right[p];
    }
    add_windows(products, -half_width(), weights(), windows);
  }
};

std::vector<ParameterSpec> salzberg_parameters() {
  std::vector<ParameterSpec> specs = window_parameters();
  specs.push_back({.name = "scores",
                   .role = ParameterRole::number,
                   .constraint = Constraint::any,
                   .meaning =
                       "log-odds of A, C, G, T at the first place, the second, …; otherwise learnt from the training "
                       "strings, each place against the whole",
                   .may_be_list = true});
  return specs;
}

}  // namespace

std::vector<double> salzberg_scores(const Samples& strings, std::span<const Index> true_rows) {
  Alphabet(AlphabetKind::dna).require("salzberg_scores", strings);
  const auto length = static_cast<std::size_t>(common_length("salzberg_scores", strings));
  for (const Index row : true_rows) {
    if (row < 0 || row >= strings.size()) {
      reject_argument("salzberg_scores: true_rows", static_cast<double>(row), "rows of the strings, counted from 0");
    }
  }
  std::vector<double> scores = nucleotide_counts(strings, true_rows, length);
  std::vector<double> all = nucleotide_counts(strings, every_row(strings), length);
  take_log_shares_of_places(scores);
  take_log_shares_of_places(all);
  for (std::size_t at = 0; at < scores.size(); ++at) {
    scores[at] -= all[at];
  }
  return scores;
}

const KernelEntry& salzberg_entry() {
  static const KernelEntry entry{
      .name = "salzberg",
      .formula =
          "(sum_p (sum_{|j| <= window} v_j s_{p+j}(x) s_{p+j}(y))^d1)^d2, s = log-odds of the nucleotide at its place",
      .summary = "locality_improved on log-odds of nucleotides, which the training strings or the user give",
      .definiteness = "positive definite",
      .input = KernelInput::aligned_strings,
      .parameters = salzberg_parameters(),
      .make = make_node<SalzbergNode>,
      .examples = {"salzberg(window=2, d1=2)", "normalize(salzberg(window=1, d1=1, d2=2))"}};
  return entry;
}

}  // namespace mercer
