#include "mercer/kernels/string/local_alignment.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/parallel.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/local_alignment_sum.h"
#include "mercer/kernels/string/substitution_scores.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

enum class AlignmentForm { normalized, plain, logarithm };

struct AlignedRows {
  SymbolRows symbols;
  std::vector<double> log_self;  ///< ln K(x_i, x_i), for the normalized form
};

constexpr double most_alignment_cells = 2e10;
constexpr std::size_t unknown_residue = amino_acids.size();

// exp(βS) of the twenty amino acids and of a symbol that is none of them: its features are the mean of theirs.
class ResidueFactors {
 public:
  explicit ResidueFactors(double beta) {
    constexpr std::size_t n = amino_acids.size();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const double factor = std::exp(beta * blosum62()[a][b]);
        factors_[a][b] = factor;
        factors_[a][n] += factor / n;
        factors_[n][b] += factor / n;
        factors_[n][n] += factor / (n * n);
      }
    }
    code_.fill(static_cast<std::uint8_t>(unknown_residue));
    for (std::size_t a = 0; a < n; ++a) {
      code_[static_cast<unsigned char>(amino_acids[a])] = static_cast<std::uint8_t>(a);
      code_[static_cast<unsigned char>(amino_acids[a] - 'A' + 'a')] = static_cast<std::uint8_t>(a);
    }
  }
  /// Of two bytes; of anything above, what an unknown one has.
  double operator()(std::uint64_t a, std::uint64_t b) const { return factors_[code(a)][code(b)]; }

 private:
  std::size_t code(std::uint64_t symbol) const { return symbol < code_.size() ? code_[symbol] : unknown_residue; }

  std::array<std::array<double, amino_acids.size() + 1>, amino_acids.size() + 1> factors_{};
  std::array<std::uint8_t, 256> code_{};
};

class LocalAlignmentNode final : public ObjectNode<AlignedRows> {
 public:
  LocalAlignmentNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        beta_(this->parameters().number_or("beta", 0.5)),
        residues_(this->parameters().word("scores") == "blosum62"),
        alphabet_(this->parameters()),
        match_(this->parameters().number_or("match", 1)),
        mismatch_(this->parameters().number_or("mismatch", -1)),
        form_(form_named(this->parameters().word("form"))),
        gaps_{std::exp(-beta_ * this->parameters().number_or("gap_open", 11)),
              std::exp(-beta_ * this->parameters().number_or("gap_extend", 1))},
        residue_factors_(residues_ ? beta_ : 0) {
    if (residues_ && alphabet_.kind() != AlphabetKind::bytes) {
      throw InvalidArgument(
          "local_alignment: scores = blosum62 reads amino acids by itself; leave alphabet out, or take scores = "
          "identity");
    }
    // One row of the recursion may not overflow.
    constexpr double largest_exponent = 200;
    const double largest = residues_ ? 11 : std::max(std::abs(match_), std::abs(mismatch_));
    if (beta_ * largest > largest_exponent) {
      throw InvalidArgument("local_alignment: beta times the largest score is " + std::to_string(beta_ * largest) +
                            "; it may be 200 at most: take a smaller beta");
    }
  }

  Definiteness definiteness() const override {
    const bool positive = form_ != AlignmentForm::logarithm && (residues_ || match_ >= mismatch_);
    return positive ? Definiteness::positive() : Definiteness::indefinite();
  }

 protected:
  AlignedRows encode(const Samples& samples, const AlignedRows* /*reference*/, const Run& run) const override {
    AlignedRows rows{SymbolRows(entry().name, samples, alphabet_, run), {}};
    if (form_ == AlignmentForm::normalized) {
      rows.log_self.resize(samples.size());
      parallel_for(run, samples.size(), [&](Index i) { rows.log_self[i] = log_sum_of(rows, i, rows, i); });
    }
    return rows;
  }

  double value(const AlignedRows& x, Index i, const AlignedRows& y, Index j) const override {
    const double log = log_sum_of(x, i, y, j);
    switch (form_) {
      case AlignmentForm::logarithm:
        return log / beta_;
      case AlignmentForm::normalized:
        return std::exp(log - (x.log_self[i] + y.log_self[j]) / 2);
      case AlignmentForm::plain:
        break;
    }
    const double value = std::exp(log);
    if (!std::isfinite(value)) {
      throw NumericalError(
          "local_alignment: the sum over the alignments of two strings exceeds the largest number (its "
          "logarithm is " +
          std::to_string(log) + "); take form=normalized or a smaller beta");
    }
    return value;
  }

 private:
  static AlignmentForm form_named(const std::string& word) {
    return word == "plain"       ? AlignmentForm::plain
           : word == "logarithm" ? AlignmentForm::logarithm
                                 : AlignmentForm::normalized;
  }

  double log_sum_of(const AlignedRows& x, Index i, const AlignedRows& y, Index j) const {
    std::vector<std::uint64_t> s = x.symbols.symbols(i, StringSide::left);
    std::vector<std::uint64_t> t = y.symbols.symbols(j, StringSide::right);
    // Memory follows t, the shorter; the same bits with x and y exchanged.
    if (comes_before(s, t)) {
      std::swap(s, t);
    }
    if (static_cast<double>(s.size()) * static_cast<double>(t.size()) > most_alignment_cells) {
      throw InvalidArgument("local_alignment: strings of " + std::to_string(s.size()) + " and " +
                            std::to_string(t.size()) +
                            " symbols are too long to be aligned; the product of the lengths may be 2e10. Cut them, or "
                            "take a kernel of linear cost such as spectrum or mismatch");
    }
    const double equal = std::exp(beta_ * match_);
    const double different = std::exp(beta_ * mismatch_);
    const auto profile = [&](Index row, std::span<double> e) {
      const std::uint64_t a = s[row];
      for (std::size_t column = 0; column < t.size(); ++column) {
        e[column] = residues_ ? residue_factors_(a, t[column]) : a == t[column] ? equal : different;
      }
    };
    return log_local_alignments(static_cast<Index>(s.size()), static_cast<Index>(t.size()), profile, gaps_,
                                x.symbols.run());
  }

  double beta_;
  bool residues_;
  Alphabet alphabet_;
  double match_;
  double mismatch_;
  AlignmentForm form_;
  GapFactors gaps_;
  ResidueFactors residue_factors_;
};

}  // namespace

const KernelEntry& local_alignment_entry() {
  static const KernelEntry entry{
      .name = "local_alignment",
      .aliases = {"la"},
      .formula = "sum over local alignments of exp(beta score), normalized",
      .summary = "all local alignments of two strings with their scores (Shogun: LocalAlignment)",
      .definiteness = "positive definite for blosum62 and for match >= mismatch; indefinite with form=logarithm",
      .input = KernelInput::strings,
      .parameters = {{.name = "beta",
                      .role = ParameterRole::number,
                      .default_text = "0.5",
                      .meaning = "weight of the score; large: only the best alignments count"},
                     {.name = "gap_open",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .default_text = "11",
                      .meaning = "cost of the first symbol of a gap"},
                     {.name = "gap_extend",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "cost of every further symbol of a gap"},
                     {.name = "scores",
                      .role = ParameterRole::word,
                      .default_text = "blosum62",
                      .meaning = "scores of matched symbols: of amino acids, or match and mismatch of any symbols",
                      .words = {"blosum62", "identity"}},
                     {.name = "match",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .default_text = "1",
                      .meaning = "score of equal symbols, with scores=identity"},
                     {.name = "mismatch",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .default_text = "-1",
                      .meaning = "score of different symbols, with scores=identity"},
                     {.name = "form",
                      .role = ParameterRole::word,
                      .default_text = "normalized",
                      .meaning = "K/sqrt(K(x,x) K(y,y)), K itself, or ln(K)/beta",
                      .words = {"normalized", "plain", "logarithm"}},
                     {.name = "alphabet",
                      .role = ParameterRole::word,
                      .default_text = "bytes",
                      .meaning = "what a symbol is, with scores=identity; one unknown to it matches nothing",
                      .words = {"bytes", "dna", "protein", "words"}}},
      .make = make_node<LocalAlignmentNode>,
      .examples = {
          "local_alignment(beta=0.2)",
          "local_alignment(beta=0.5, scores=identity, match=2, mismatch=-1, gap_open=3, gap_extend=0.5, form=plain)",
          "local_alignment(beta=0.5, scores=identity, alphabet=dna)", "local_alignment(beta=0.3, form=logarithm)",
          "normalize(local_alignment(beta=0.1, form=plain))"}};
  return entry;
}

}  // namespace mercer
