#include "mercer/models/svm/svc.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/models/classes/pairwise_coupling.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/svm/machine_classes.h"

namespace mercer {

namespace {

template <class Options>
std::vector<Option<Options>> classifier_table(std::vector<Option<Options>> own, const Option<Options>& multiclass,
                                              const std::vector<Option<Options>>& functions = {}) {
  const std::vector<Option<Options>> shared = {
      {"class_weight", &Options::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies C"},
      multiclass,
      {"code", &Options::code, "of multiclass=code: words of + - 0 with ; between, one per class; empty: random"},
      {"decoding", &Options::decoding,
       "of multiclass=code and ovr, the class whose word loses least: hinge, linear, or hamming, fewest wrong signs; "
       "auto: "
       "hinge of code, the largest value of ovr"},
      {"probability", &Options::probability, "fit Platt's sigmoids on five held-out folds"},
      {"threshold", &Options::threshold,
       "two classes only: decision values of it and above mean the second class; move it where errors cost unequally"},
      {"reject", &Options::reject,
       "give no answer where |f - threshold| is less (two classes), or where the best score (votes, values; "
       "or probability) leads the second by less (more classes)",
       Constraint::nonnegative},
  };
  own.insert(own.end(), shared.begin(), shared.end());
  own.insert(own.end(), functions.begin(), functions.end());
  const std::vector<Option<Options>> solver = SvmSolverOptions::table<Options>();
  own.insert(own.end(), solver.begin(), solver.end());
  return own;
}

constexpr const char* machines_meaning =
    "more than two classes: ovo pairs with votes, ovr one against the rest, dag pairs in a graph, code "
    "error-correcting";

}  // namespace

std::span<const Option<SvcOptions>> svc_option_table() {
  static const std::vector<Option<SvcOptions>> table = classifier_table<SvcOptions>(
      {
          {"C", &SvcOptions::C, "bound of every coefficient: the price of a margin error (LIBSVM's -c)",
           Constraint::positive, SearchRange{"2^-5..2^15"}},
          {"slack", &SvcOptions::slack,
           "linear: C times the slack; squared: C times its square; none: a hard margin, for separable classes; group: "
           "C times the largest slack of every group of rows, whose column --groups names"},
          {"formulation", &SvcOptions::formulation,
           "dual; primal: the same optimum in the coefficients of the function, which C does not bound, by an interior "
           "point method for up to some thousand rows"},
          {"uncertain", &SvcOptions::uncertain,
           "targets between -1 and 1: the sign is the class, the size how sure it is"},
      },
      {"multiclass", &SvcOptions::multiclass,
       std::string(machines_meaning) +
           ", ww all in one problem (Weston-Watkins), cs the same without offset (Crammer-Singer)"},
      SemiparametricOptions::table<SvcOptions>());
  return table;
}

std::span<const Option<NuSvcOptions>> nusvc_option_table() {
  static const std::vector<Option<NuSvcOptions>> table = classifier_table<NuSvcOptions>(
      {
          {"nu", &NuSvcOptions::nu,
           "at most this fraction of rows are margin errors, at least this fraction are support vectors",
           Limits::above_to(0, 1), SearchRange{"0.01..0.8", RangeUnit::absolute, "hull"}},
          {"slack", &NuSvcOptions::slack,
           "linear: every row has a slack; group: every group of rows, whose column --groups names, and nu is a "
           "fraction of groups"},
          {"infeasible", &NuSvcOptions::infeasible,
           "where nu exceeds twice the weight of a machine's lighter class: refuse, or limit, the answer that ever "
           "wider margins end in, the heavier class"},
          {"hull", &NuSvcOptions::hull,
           "in place of nu, which is 2/(hull * weight of the rows) of every machine: how much one row of weight 1 may "
           "count in "
           "the nearest points of the reduced convex hulls of two classes; from 1 on the hulls themselves, a hard "
           "margin",
           Constraint::positive},
      },
      {"multiclass",
       &NuSvcOptions::multiclass,
       std::string(machines_meaning) +
           ", ww all in one problem (Weston-Watkins), where nu is a fraction of the pairs of a row and another class",
       {Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph, Multiclass::code,
        Multiclass::weston_watkins}});
  return table;
}

namespace {

Decoding decoding_of(const ClassifierOptions& options, Index classes) {
  if (classes == 2 && (options.multiclass != Multiclass::code || !options.code.are_given())) {
    return Decoding::votes;
  }
  switch (options.decoding) {
    case CodeDecoding::hinge:
      return Decoding::least_loss;
    case CodeDecoding::linear:
      return Decoding::linear_loss;
    case CodeDecoding::hamming:
      return Decoding::hamming;
    case CodeDecoding::usual:
      break;
  }
  switch (options.multiclass) {
    case Multiclass::graph:
      return Decoding::graph;
    case Multiclass::code:
      return Decoding::least_loss;
    case Multiclass::one_vs_rest:
    case Multiclass::weston_watkins:
    case Multiclass::crammer_singer:
      return Decoding::largest;
    case Multiclass::one_vs_one:
      break;
  }
  return Decoding::votes;
}

// Votes and graphs ask a machine of its own for every pair. Every two words differ: as many machines for two classes each
// as there are pairs are one for every pair.
bool has_all_machines(const ClassCode& code) {
  const Index k = code.classes();
  switch (code.decoding()) {
    case Decoding::largest:
      return code.machines() == k;
    case Decoding::least_loss:
    case Decoding::linear_loss:
    case Decoding::hamming:
      return true;
    case Decoding::votes:
    case Decoding::graph:
      break;
  }
  const Matrix<double>& words = code.matrix();
  const auto signs =
      std::count_if(words.data(), words.data() + words.rows() * k, [](double sign) { return sign != 0; });
  return code.machines() == k * (k - 1) / 2 && signs == 2 * code.machines();
}

void visit_code(Fields& visit, const ClassifierOptions& options, ClassCode& code) {
  Matrix<double> words = Matrix<double>::copy_of(code.matrix().view());
  visit.matrix("code", words, {any_count, visit.classes()});
  if (visit.loading()) {
    code = ClassCode(std::move(words), decoding_of(options, visit.classes()));
    visit.require(has_all_machines(code), "a code of " + std::to_string(code.machines()) +
                                              " machines that are not those of " + std::to_string(code.classes()) +
                                              " classes");
  }
}

void visit_facts(Fields& visit, Index machines, std::vector<MachineFacts>& facts) {
  Matrix<double> numbers(static_cast<Index>(facts.size()), MachineFacts::count);
  for (Index m = 0; m < numbers.rows(); ++m) {
    std::ranges::copy(facts[m].as_numbers(), numbers.view().row_data(m));
  }
  visit.matrix("machine_facts", numbers, {machines, any_count});
  visit.require(
      numbers.columns() == MachineFacts::count || numbers.columns() == MachineFacts::count_before_nu,
      std::to_string(numbers.columns()) + " facts per machine, where there are " + std::to_string(MachineFacts::count));
  for (Index m = 0; visit.loading() && m < machines; ++m) {
    facts.push_back(MachineFacts::from_numbers(numbers.view().row(m)));
  }
}

void visit_sigmoids(Fields& visit, Index machines, std::vector<PlattSigmoid>& sigmoids) {
  if (!visit.present("sigmoids", !sigmoids.empty())) {
    return;
  }
  Matrix<double> numbers(static_cast<Index>(sigmoids.size()), 2);
  for (Index m = 0; m < numbers.rows(); ++m) {
    numbers(m, 0) = sigmoids[m].a;
    numbers(m, 1) = sigmoids[m].b;
  }
  visit.matrix("sigmoids", numbers, {machines, 2});
  for (Index m = 0; visit.loading() && m < machines; ++m) {
    sigmoids.push_back({numbers(m, 0), numbers(m, 1)});
  }
}

}  // namespace

void SvcModel::Parts::fields(Fields& visit) {
  if (auto* const nu = std::get_if<NuSvcOptions>(&options)) {
    visit.options(*nu, nusvc_option_table());
  } else {
    visit.options(std::get<SvcOptions>(options), svc_option_table());
  }
  visit_code(visit, shared_options(options), code);
  visit.expansion(expansion, {.outputs = code.machines(),
                              .part = parametric_part(options),
                              .precision_before = shared_options(options).precision()});
  const Index support = expansion.centers().size();
  visit.indices("support_rows", support_rows, support, any_index);
  visit.indices("support_classes", support_classes, support, visit.classes());
  visit_facts(visit, code.machines(), facts);
  visit_sigmoids(visit, code.machines(), sigmoids);
}

Answers SvcModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = parts_.expansion.values(samples, run)};
  if (has_probabilities() && (wanted.probabilities || wanted.predictions)) {
    answers.probabilities = coupled(answers.decisions.view(), run);
  }
  if (wanted.predictions) {
    answers.predictions =
        has_probabilities()
            ? most_probable_classes(shared_options(parts_.options), answers.probabilities.view())
            : classes_of_machines(parts_.code, shared_options(parts_.options), answers.decisions.view());
  }
  return answers;
}

// Pairs: coupled. One against the rest: the sigmoids, scaled to sum 1.
Matrix<double> SvcModel::coupled(ConstMatrixView<double> values, const Run& run) const {
  constexpr double least = 1e-7;  // keeps the coupling away from certainty, as LIBSVM does
  const auto k = static_cast<Index>(classes().size());
  Matrix<double> result(values.rows(), k);
  constexpr Index block = 256;
  parallel_for(run, block_count(values.rows(), block), [&](Index task) {
    Matrix<double> pairs = Matrix<double>::filled(k, k, 0.0);
    const IndexRange range = block_range(values.rows(), block, task);
    for (Index i = range.begin; i < range.end; ++i) {
      double total = 0;
      for (Index m = 0; m < parts_.code.machines(); ++m) {
        const double p = std::clamp(parts_.sigmoids[m].probability(values(i, m)), least, 1 - least);
        if (parts_.code.decoding() == Decoding::largest) {
          result(i, m) = p;
          total += p;
          continue;
        }
        Index positive = 0;
        Index negative = 0;
        for (Index c = 0; c < k; ++c) {
          positive = parts_.code(m, c) > 0 ? c : positive;
          negative = parts_.code(m, c) < 0 ? c : negative;
        }
        pairs(positive, negative) = p;
        pairs(negative, positive) = 1 - p;
      }
      if (parts_.code.decoding() == Decoding::largest) {
        for (Index c = 0; c < k; ++c) {
          result(i, c) /= total;
        }
      } else {
        couple_pairwise(pairs.view(), result.view().row(i));
      }
    }
  });
  return result;
}

namespace {

// The class that a point speaks for: the one whose machines it pushes most, Σ_m code_mc β_m.
Index supported_class(const ClassCode& code, std::span<const double> coefficients) {
  Index best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (Index c = 0; c < code.classes(); ++c) {
    double push = 0;
    for (Index m = 0; m < code.machines(); ++m) {
      push += code(m, c) * coefficients[m];
    }
    if (push > most) {
      most = push;
      best = c;
    }
  }
  return best;
}

}  // namespace

std::unique_ptr<FittedModel> SvcModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  const Index count = expansion.centers().size();
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), count);
  Parts parts = parts_;
  parts.support_rows = no_training_rows(count);
  parts.support_classes.clear();
  for (Index j = 0; j < count; ++j) {
    parts.support_classes.push_back(supported_class(parts_.code, expansion.coefficients().row(j)));
  }
  for (Index m = 0; m < parts_.code.machines(); ++m) {
    MachineFacts& facts = parts.facts[m];
    facts.bounded = 0;  // no coefficient has a bound any more
    facts.offset = expansion.parametric_part().is_none() ? 0.0 : expansion.parametric_coefficients()(0, m);
    facts.support_vectors = 0;
    for (Index j = 0; j < count; ++j) {
      facts.support_vectors += expansion.coefficients()(j, m) != 0 ? 1 : 0;
    }
  }
  parts.expansion = std::move(expansion);
  return std::make_unique<SvcModel>(std::move(changed), std::move(parts));
}

namespace {

template <class Options>
bool has_slack_per_group(std::string_view model, std::span<const Option<Options>> table,
                         std::span<const OptionSetting> settings) {
  Options options;
  apply_settings<Options>(model, table, settings, options);
  return options.slack == decltype(options.slack)::group;
}

}  // namespace

const ModelEntry& svc_entry() {
  static const ModelEntry entry =
      make_entry<SvcModel>({.name = "svc",
                            .aliases = {"svm"},
                            .summary = "support vector classifier: maximal margin, C times the slack",
                            .task = Task::classification,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "svr",
                            .has_offset = true,
                            .folds_share = FoldSharing::support_vectors,
                            .takes_groups =
                                [](std::span<const OptionSetting> settings) {
                                  return has_slack_per_group<SvcOptions>("svc", svc_option_table(), settings);
                                },
                            .shares_of = SharesOf::rows},
                           svc_option_table(), fit_svc);
  return entry;
}

const ModelEntry& nusvc_entry() {
  static const ModelEntry entry =
      make_entry<SvcModel>({.name = "nusvc",
                            .aliases = {"nusvm"},
                            .summary = "support vector classifier that takes a fraction of margin errors, nu",
                            .task = Task::classification,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "nusvr",
                            .has_offset = true,
                            .takes_groups =
                                [](std::span<const OptionSetting> settings) {
                                  return has_slack_per_group<NuSvcOptions>("nusvc", nusvc_option_table(), settings);
                                },
                            .shares_of = SharesOf::rows},
                           nusvc_option_table(), fit_nusvc, [] { return SvcModel::Parts{.options = NuSvcOptions()}; });
  return entry;
}

}  // namespace mercer
