#include "mercer/kernels/generative/fisher_markov.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/generative/information.h"
#include "mercer/kernels/generative/markov_chain.h"
#include "mercer/kernels/generative/model_parameters.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

constexpr int longest_order = 1000;  // beyond what any alphabet of two symbols can store

class FisherMarkovNode final : public ExplicitNode {
 public:
  FisherMarkovNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        order_(static_cast<int>(this->parameters().number_or("order", 1))),
        information_(this->parameters().word("information")) {
    if (order_ > longest_order) {
      reject_argument(entry.name + ": order", order_, "at most " + std::to_string(longest_order));
    }
    const bool waits =
        waits_for_data(*this, "symbols") || waits_for_data(*this, "transitions") || waits_for_data(*this, "visits");
    if (waits || !this->parameters().resolved()) {
      return;
    }
    SymbolAlphabet alphabet(entry.name, this->parameters().numbers("symbols"));
    const Index size = alphabet.size();
    const Index cells = checked_cells(size);
    std::vector<double> transitions = model_numbers(*this, "transitions", cells);
    normalize_rows(*this, "transitions", size, transitions);
    chain_ = MarkovChain(order_, std::move(alphabet), std::move(transitions));
    visits_ = model_numbers(*this, "visits", cells / size);
  }

  void check(const Samples& samples) const override {
    require_strings(entry().name, samples);
    if (!parameters().resolved()) {
      throw InvalidArgument("the kernel " + spec() + " has parameters that only data can resolve; call resolve_widths");
    }
  }
  bool learns() const override { return information_ == "sample"; }

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (parameters().resolved()) {
      return KernelNode::resolved(all, run);
    }
    const Samples strings = default_columns(all.samples);
    require_strings(entry().name, strings);
    const SymbolAlphabet alphabet = waits_for_data(*this, "symbols")
                                        ? SymbolAlphabet::of(entry().name, strings)
                                        : SymbolAlphabet(entry().name, parameters().numbers("symbols"));
    ParameterList parameters = this->parameters().with("symbols", ParameterValue::list(alphabet.symbols()));
    checked_cells(alphabet.size());
    const MarkovCounts counts = count_transitions(all.with(strings), order_, alphabet);
    if (waits_for_data(*this, "transitions")) {
      const double pseudo_count = parameters.number("pseudo_count");
      parameters = parameters.with("transitions",
                                   fitted_numbers(*this, fitted_transitions(counts, alphabet.size(), pseudo_count)));
    }
    if (waits_for_data(*this, "visits")) {
      parameters = parameters.with(
          "visits", strings.size() == 0 ? ParameterValue::number(1) : fitted_numbers(*this, counts.visits));
    }
    return rebuilt(std::move(parameters), {});
  }

  // Mean outer product of the scores of the training strings, its inverse root.
  std::shared_ptr<const void> learn(const Samples& reference, const Run& run) const override {
    const auto cells = static_cast<Index>(chain_.transitions().size());
    require_dense_information(entry().name, cells, "take information=fisher or a smaller order");
    Matrix<double> scores = Matrix<double>::filled(reference.size(), cells, 0.0);
    FeatureList features(run);
    for (Index i = 0; i < reference.size(); ++i) {
      features.clear();
      append_scores(string_at(reference, i), features);
      for (const KeyedFeature& feature : features.merged()) {
        scores(i, static_cast<Index>(feature.key)) = feature.value;
      }
    }
    return std::make_shared<const Matrix<double>>(
        inverse_root(mean_outer_product(scores.view(), run), parameters().number_or("ridge", 0), run));
  }

  void append_features(const Samples& samples, Index i, const void* learned, FeatureList& out) const override {
    const std::string_view text = string_at(samples, i);
    if (information_ == "plain") {
      MarkovChain::for_each_cell(text, order_, chain_.alphabet(), [&](Index cell, std::size_t /*end*/) {
        out.add(static_cast<std::uint64_t>(cell), 1 / chain_.transitions()[cell]);
      });
      return;
    }
    if (learned == nullptr) {
      append_scores(text, out);
      return;
    }
    FeatureSection section(out);
    append_scores(text, out);
    const std::vector<KeyedFeature> scores(section.unmerged().begin(), section.unmerged().end());
    section.clear();
    for (const KeyedFeature& feature : turned(scores, learned)) {
      out.add(feature.key, feature.value);
    }
  }

  // A step of the chain out of context c adds (δ_ba − θ_ca)/√(m_c θ_ca) to the score of every symbol a that might have
  // come, b being the one that came.
  void append_places(const Samples& samples, Index i, const void* learned,
                     std::vector<FeaturePlace>& out) const override {
    std::vector<std::vector<KeyedFeature>> of_cell(chain_.transitions().size());
    MarkovChain::for_each_cell(string_at(samples, i), order_, chain_.alphabet(), [&](Index cell, std::size_t end) {
      std::vector<KeyedFeature>& parts = of_cell[cell];
      if (parts.empty()) {
        parts = step_features(static_cast<std::size_t>(cell), learned);
      }
      const auto after = static_cast<std::int64_t>(end);
      for (const KeyedFeature& part : parts) {
        out.push_back({part.key, after - order_ - 1, after, part.value});
      }
    });
  }

  std::vector<KeyedFeature> learned_numbers(const void* learned) const override {
    const auto& root = *static_cast<const Matrix<double>*>(learned);
    std::vector<KeyedFeature> numbers;
    for (Index e = 0; e < root.rows() * root.columns(); ++e) {
      numbers.push_back({static_cast<std::uint64_t>(e), root.data()[e]});
    }
    return numbers;
  }
  std::shared_ptr<const void> learned_from(std::span<const KeyedFeature> numbers) const override {
    const auto rows = static_cast<Index>(chain_.transitions().size());
    // Without rows: the kernel's text still waits for the data.
    const Index columns = rows == 0 ? 0 : static_cast<Index>(numbers.size()) / rows;
    if (columns < 1 || columns > rows || static_cast<Index>(numbers.size()) != rows * columns) {
      throw DataError(entry().name + ": the stored information matrix has " + std::to_string(numbers.size()) +
                      " numbers, which is no matrix for " + std::to_string(rows) + " transitions");
    }
    auto root = std::make_shared<Matrix<double>>(rows, columns);
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      if (numbers[e].key != e) {
        throw DataError(entry().name + ": the numbers of the stored information matrix are out of order");
      }
      root->data()[e] = numbers[e].value;
    }
    return root;
  }

  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    if (learns()) {
      return ExplicitNode::feature_name(samples, i, key);
    }
    const auto size = static_cast<std::uint64_t>(chain_.alphabet().size());
    std::string name;
    for (int l = 0; l <= order_; ++l, key /= size) {
      name += static_cast<char>(chain_.alphabet().symbols()[key % size]);
    }
    return {name.rbegin(), name.rend()};
  }

 private:
  Index checked_cells(Index alphabet_size) const {
    const double cells = markov_cells(order_, alphabet_size);
    require_storable(*this, cells, "choose a smaller order or a smaller alphabet");
    return static_cast<Index>(cells);
  }

  // Scores times the inverse root of the information that was learnt.
  static std::vector<KeyedFeature> turned(std::span<const KeyedFeature> scores, const void* learned) {
    const auto& root = *static_cast<const Matrix<double>*>(learned);
    std::vector<KeyedFeature> features;
    for (Index column = 0; column < root.columns(); ++column) {
      double sum = 0;
      for (const KeyedFeature& score : scores) {
        sum += score.value * root(static_cast<Index>(score.key), column);
      }
      features.push_back({static_cast<std::uint64_t>(column), sum});
    }
    return features;
  }

  // What one step of the chain, by this cell, adds to the features.
  std::vector<KeyedFeature> step_features(std::size_t cell, const void* learned) const {
    if (information_ == "plain") {
      return {{cell, 1.0}};
    }
    const auto size = static_cast<std::size_t>(chain_.alphabet().size());
    const std::size_t context = cell / size;
    std::vector<KeyedFeature> scores;
    for (std::size_t a = 0; a < size && visits_[context] > 0; ++a) {
      const std::size_t key = context * size + a;
      const double share = chain_.transitions()[key];
      scores.push_back({key, ((key == cell ? 1.0 : 0.0) - share) / std::sqrt(visits_[context] * share)});
    }
    return learned == nullptr ? scores : turned(scores, learned);
  }

  // (n_ca − n_c θ_ca)/√(m_c θ_ca) for the contexts of the text, each key once.
  void append_scores(std::string_view text, FeatureList& out) const {
    std::vector<std::size_t> cells;
    MarkovChain::for_each_cell(text, order_, chain_.alphabet(), [&](Index cell, std::size_t /*end*/) {
      cells.push_back(static_cast<std::size_t>(cell));
    });
    std::sort(cells.begin(), cells.end());
    const auto size = static_cast<std::size_t>(chain_.alphabet().size());
    std::vector<double> counts(size);
    for (std::size_t at = 0; at < cells.size();) {
      const std::size_t context = cells[at] / size;
      std::fill(counts.begin(), counts.end(), 0.0);
      double total = 0;
      for (; at < cells.size() && cells[at] / size == context; ++at, ++total) {
        counts[cells[at] % size] += 1;
      }
      for (std::size_t a = 0; a < size && visits_[context] > 0; ++a) {
        const double share = chain_.transitions()[context * size + a];
        out.add(context * size + a, (counts[a] - total * share) / std::sqrt(visits_[context] * share));
      }
    }
  }

  int order_;
  std::string information_;
  MarkovChain chain_;
  std::vector<double> visits_;
};

}  // namespace

const KernelEntry& fisher_markov_entry() {
  static const KernelEntry entry{
      .name = "fisher_markov",
      .formula = "V(x)' M^-1 V(y), V the gradient of the log-probability by the transition probabilities",
      .summary = "Fisher kernel of a Markov chain fitted to the strings; order 0 is the categorical model",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "order",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "1",
                      .meaning = "how many symbols the next one depends on"},
                     symbols_spec(),
                     fitted_spec(
                         "transitions",
                         "probability of every symbol after every context, row by row, divided by the sums of the "
                         "rows; auto: from the training strings",
                         Constraint::positive),
                     fitted_spec("visits", "mean number of every context in a string; auto: from the training strings"),
                     {.name = "pseudo_count",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive,
                      .default_text = "1",
                      .meaning = "added to every count before transitions are fitted"},
                     information_spec({"fisher", "plain", "sample"}),
                     ridge_spec()},
      .make = make_node<FisherMarkovNode>,
      .examples = {
          "fisher_markov(order=1, symbols=[65, 67, 71, 84], transitions=[0.1, 0.2, 0.3, 0.4, 0.25, 0.25, 0.25, "
          "0.25, 0.5, 0.2, 0.2, 0.1, 0.7, 0.1, 0.1, 0.1], visits=[1, 2, 1.5, 1])",
          "fisher_markov(order=2, symbols=[65, 67, 84], transitions=0.25, visits=1, information=plain)",
          "fisher_markov(order=0, symbols=[65, 67, 71, 84], transitions=0.25, visits=7, information=sample)",
          "normalize(fisher_markov(order=0, symbols=[65, 67, 71, 84], transitions=[0.1, 0.2, 0.3, 0.4], "
          "visits=7))"}};
  return entry;
}

}  // namespace mercer
