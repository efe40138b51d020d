#include "mercer/models/svm/svc.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/classes/pairwise_coupling.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"

namespace mercer {

namespace {

template <class Options>
std::vector<Option<Options>> classifier_table(std::vector<Option<Options>> own, const Option<Options>& multiclass) {
  const std::vector<Option<Options>> shared = {
      {"class_weight", &Options::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies C"},
      multiclass,
      {"code", &Options::code, "of multiclass=code: words of + - 0 with ; between, one per class; empty: random"},
      {"probability", &Options::probability, "fit Platt's sigmoids on five held-out folds"},
      {"threshold", &Options::threshold,
       "two classes only: decision values of it and above mean the second class; move it where errors cost unequally"},
      {"reject", &Options::reject,
       "give no answer where |f - threshold| is less (two classes), or where the best score (votes, values; "
       "or probability) leads the second by less (more classes)",
       Constraint::nonnegative},
  };
  own.insert(own.end(), shared.begin(), shared.end());
  const std::vector<Option<Options>> solver = SvmSolverOptions::table<Options>();
  own.insert(own.end(), solver.begin(), solver.end());
  return own;
}

constexpr const char* machines_meaning =
    "more than two classes: ovo pairs with votes, ovr one against the rest, dag pairs in a graph, code "
    "error-correcting";

constexpr Index undecided = -1;

// The answer where its score leads every other by the margin, none elsewhere. The answer of a graph need not have the
// most votes, so that its lead may be negative.
Index if_leading(Index answer, std::span<const double> scores, double margin) {
  for (std::size_t c = 0; margin > 0 && c < scores.size(); ++c) {
    if (static_cast<Index>(c) != answer && scores[static_cast<std::size_t>(answer)] - scores[c] < margin) {
      return undecided;
    }
  }
  return answer;
}

}  // namespace

std::span<const Option<SvcOptions>> svc_option_table() {
  static const std::vector<Option<SvcOptions>> table = classifier_table<SvcOptions>(
      {
          {"C", &SvcOptions::C, "bound of every coefficient: the price of a margin error (LIBSVM's -c)",
           Constraint::positive, SearchRange{"2^-5..2^15"}},
          {"slack", &SvcOptions::slack,
           "linear: C times the slack; squared: C times its square; none: a hard margin, for separable classes"},
          {"uncertain", &SvcOptions::uncertain,
           "targets between -1 and 1: the sign is the class, the size how sure it is"},
      },
      {"multiclass", &SvcOptions::multiclass,
       std::string(machines_meaning) +
           ", ww all in one problem (Weston-Watkins), cs the same without offset (Crammer-Singer)"});
  return table;
}

std::span<const Option<NuSvcOptions>> nusvc_option_table() {
  static const std::vector<Option<NuSvcOptions>> table = classifier_table<NuSvcOptions>(
      {
          {"nu", &NuSvcOptions::nu,
           "at most this fraction of rows are margin errors, at least this fraction are support vectors",
           Limits::above_to(0, 1), SearchRange{"0.01..0.8"}},
          {"infeasible", &NuSvcOptions::infeasible,
           "where nu exceeds twice the weight of a machine's lighter class: refuse, or limit, the answer that ever "
           "wider margins end in, the heavier class"},
      },
      {"multiclass",
       &NuSvcOptions::multiclass,
       machines_meaning,
       {Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph, Multiclass::code}});
  return table;
}

SvcModel::SvcModel(Parts parts) : parts_(std::move(parts)) {}

Matrix<double> SvcModel::decide(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.code.machines());
  parts_.expansion.evaluate(samples, values.view(), run);
  return values;
}

Matrix<double> SvcModel::predict(const Samples& samples, const Run& run) const {
  Matrix<double> predicted(samples.size(), 1);
  if (has_probabilities()) {
    const Matrix<double> all = probabilities(samples, run);
    for (Index i = 0; i < samples.size(); ++i) {
      const std::span<const double> row = all.view().row(i);
      predicted(i, 0) = static_cast<double>(if_leading(class_of_values(row), row, parts_.reject));
    }
    return predicted;
  }
  const Matrix<double> values = decide(samples, run);
  std::vector<double> scores(parts_.classes.size());
  for (Index i = 0; i < samples.size(); ++i) {
    const std::span<const double> row = values.view().row(i);
    Index answer = undecided;
    if (parts_.classes.size() == 2 && parts_.code.machines() == 1) {
      // A code that was given may have its positive side on the first class.
      const double value = parts_.code(0, 1) * row[0] - parts_.threshold;
      answer = std::abs(value) < parts_.reject ? undecided : class_of_value(value);
    } else {
      answer = parts_.code.decode(row);
      if (parts_.reject > 0) {
        parts_.code.scores(row, scores);
        answer = if_leading(answer, scores, parts_.reject);
      }
    }
    predicted(i, 0) = static_cast<double>(answer);
  }
  return predicted;
}

// Pairs: coupled. One against the rest: the sigmoids, scaled to sum 1.
Matrix<double> SvcModel::probabilities(const Samples& samples, const Run& run) const {
  if (!has_probabilities()) {
    return FittedModel::probabilities(samples, run);
  }
  constexpr double least = 1e-7;  // keeps the coupling away from certainty, as LIBSVM does
  const Matrix<double> values = decide(samples, run);
  const auto k = static_cast<Index>(parts_.classes.size());
  Matrix<double> result(samples.size(), k);
  constexpr Index block = 256;
  parallel_for(run, block_count(samples.size(), block), [&](Index task) {
    Matrix<double> pairs = Matrix<double>::filled(k, k, 0.0);
    const IndexRange range = block_range(samples.size(), block, task);
    for (Index i = range.begin; i < range.end; ++i) {
      double total = 0;
      for (Index m = 0; m < parts_.code.machines(); ++m) {
        const double p =
            std::clamp(parts_.sigmoids[static_cast<std::size_t>(m)].probability(values(i, m)), least, 1 - least);
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
      push += code(m, c) * coefficients[static_cast<std::size_t>(m)];
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
  Parts parts = parts_;
  const Index count = expansion.centres().size();
  parts.report = compressed_report(parts_.report, parts_.expansion.centres().size(), count);
  parts.support_rows = no_training_rows(count);
  parts.support_classes.clear();
  for (Index j = 0; j < count; ++j) {
    parts.support_classes.push_back(supported_class(parts_.code, expansion.coefficients().row(j)));
  }
  for (Index m = 0; m < parts_.code.machines(); ++m) {
    MachineFacts& facts = parts.facts[static_cast<std::size_t>(m)];
    facts.bounded = 0;  // no coefficient has a bound any more
    facts.offset = expansion.parametric_coefficients()(0, m);
    facts.support_vectors = 0;
    for (Index j = 0; j < count; ++j) {
      facts.support_vectors += expansion.coefficients()(j, m) != 0 ? 1 : 0;
    }
  }
  parts.expansion = std::move(expansion);
  return std::make_unique<SvcModel>(std::move(parts));
}

ModelState SvcModel::state() const {
  ModelState state;
  state.model = parts_.name;
  state.requested_kernel = parts_.requested_kernel;
  state.kernel = kernel().spec();
  state.output_names = {parts_.output_name};
  state.classes = parts_.classes;
  state.settings = parts_.settings;
  state.report = parts_.report;
  state.arrays.emplace("coefficients", Matrix<double>::copy_of(parts_.expansion.coefficients()));
  state.arrays.emplace("parametric", Matrix<double>::copy_of(parts_.expansion.parametric_coefficients()));
  keep_kernel_precision(state, parts_.expansion.precision());
  state.arrays.emplace("code", Matrix<double>::copy_of(parts_.code.matrix().view()));
  state.arrays.emplace("support_rows", index_column(parts_.support_rows));
  state.arrays.emplace("support_classes", index_column(parts_.support_classes));
  Matrix<double> facts(static_cast<Index>(parts_.facts.size()), MachineFacts::count);
  for (Index m = 0; m < facts.rows(); ++m) {
    std::ranges::copy(parts_.facts[static_cast<std::size_t>(m)].as_numbers(), facts.view().row_data(m));
  }
  state.arrays.emplace("machine_facts", std::move(facts));
  if (has_probabilities()) {
    Matrix<double> sigmoids(static_cast<Index>(parts_.sigmoids.size()), 2);
    for (Index m = 0; m < sigmoids.rows(); ++m) {
      sigmoids(m, 0) = parts_.sigmoids[static_cast<std::size_t>(m)].a;
      sigmoids(m, 1) = parts_.sigmoids[static_cast<std::size_t>(m)].b;
    }
    state.arrays.emplace("sigmoids", std::move(sigmoids));
  }
  state.samples.emplace("centres", parts_.expansion.centres());
  return state;
}

namespace {

// The options that decide how the machines' values are read.
ClassifierOptions stored_options(const ModelState& state) {
  if (state.model == "nusvc") {
    NuSvcOptions options;
    apply_settings<NuSvcOptions>("nusvc", nusvc_option_table(), state.settings, options);
    options.validate();
    return options;
  }
  SvcOptions options;
  apply_settings<SvcOptions>("svc", svc_option_table(), state.settings, options);
  options.validate();
  return options;
}

Decoding stored_decoding(const ClassifierOptions& options, std::size_t classes) {
  if (classes == 2 && (options.multiclass != Multiclass::code || !options.code.are_given())) {
    return Decoding::votes;
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

ClassCode stored_code(const ModelState& state, const ClassifierOptions& options) {
  try {
    return {Matrix<double>::copy_of(state.array("code").view()), stored_decoding(options, state.classes.size())};
  } catch (const InvalidArgument& error) {
    throw DataError(std::string("the stored code of classes is not usable: ") + error.what());
  }
}

void require_shape(const Matrix<double>& array, Index rows, Index columns, const char* name) {
  if (array.rows() != rows || array.columns() != columns) {
    throw DataError(std::string("'") + name + "' is " + std::to_string(array.rows()) + " by " +
                    std::to_string(array.columns()) + " where the model needs " + std::to_string(rows) + " by " +
                    std::to_string(columns));
  }
}

}  // namespace

std::unique_ptr<SvcModel> SvcModel::from_state(const ModelState& state, const Run& run) {
  const ClassifierOptions options = stored_options(state);
  const ClassCode code = stored_code(state, options);
  if (code.classes() != static_cast<Index>(state.classes.size()) || state.output_names.size() != 1) {
    throw DataError("a code of " + std::to_string(code.classes()) + " classes with " +
                    std::to_string(state.classes.size()) + " labels");
  }
  const bool pairs = code.decoding() == Decoding::votes || code.decoding() == Decoding::graph;
  if (pairs && code.machines() != code.classes() * (code.classes() - 1) / 2) {
    throw DataError("a code of pairs with " + std::to_string(code.machines()) + " machines");
  }
  const Matrix<double>& coefficients = state.array("coefficients");
  const Index support = coefficients.rows();
  require_shape(coefficients, support, code.machines(), "coefficients");
  Expansion expansion(parse_kernel(state.kernel), state.sample_set("centres"),
                      Matrix<double>::copy_of(coefficients.view()), ParametricPart::constant,
                      Matrix<double>::copy_of(state.array("parametric").view()),
                      kept_kernel_precision(state, options.precision()), run);
  std::vector<PlattSigmoid> sigmoids;
  if (const auto found = state.arrays.find("sigmoids"); found != state.arrays.end()) {
    require_shape(found->second, code.machines(), 2, "sigmoids");
    for (Index m = 0; m < code.machines(); ++m) {
      sigmoids.push_back({found->second(m, 0), found->second(m, 1)});
    }
  }
  std::vector<MachineFacts> facts;
  const Matrix<double>& numbers = state.array("machine_facts");
  require_shape(numbers, code.machines(),
                numbers.columns() == MachineFacts::count_before_nu ? numbers.columns() : MachineFacts::count,
                "machine_facts");
  for (Index m = 0; m < code.machines(); ++m) {
    facts.push_back(MachineFacts::from_numbers(numbers.view().row(m)));
  }
  return std::make_unique<SvcModel>(
      Parts{.name = state.model,
            .requested_kernel = state.requested_kernel,
            .settings = state.settings,
            .output_name = state.output_names.front(),
            .classes = state.classes,
            .code = code,
            .expansion = std::move(expansion),
            .support_rows = state.indices("support_rows", support, max_stored_index),
            .support_classes = state.indices("support_classes", support, static_cast<Index>(state.classes.size())),
            .sigmoids = std::move(sigmoids),
            .facts = std::move(facts),
            .threshold = options.threshold,
            .reject = options.reject,
            .report = state.report});
}

const ModelEntry& svc_entry() {
  static const ModelEntry entry =
      make_entry<SvcModel>({.name = "svc",
                            .aliases = {"svm"},
                            .summary = "support vector classifier: maximal margin, C times the slack",
                            .task = Task::classification,
                            .default_kernel = "rbf(gamma=scale)",
                            .folds_share = FoldSharing::support_vectors},
                           svc_option_table(), fit_svc);
  return entry;
}

const ModelEntry& nusvc_entry() {
  static const ModelEntry entry =
      make_entry<SvcModel>({.name = "nusvc",
                            .aliases = {"nusvm"},
                            .summary = "support vector classifier that takes a fraction of margin errors, nu",
                            .task = Task::classification,
                            .default_kernel = "rbf(gamma=scale)"},
                           nusvc_option_table(), fit_nusvc);
  return entry;
}

}  // namespace mercer
