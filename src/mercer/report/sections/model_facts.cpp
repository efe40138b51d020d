#include "mercer/report/sections/model_facts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/models/gp/function_covariance.h"
#include "mercer/models/prior_columns.h"
#include "mercer/models/svm/svc.h"
#include "mercer/report/predictions.h"
#include "mercer/report/refit.h"

namespace mercer {

namespace {

struct Meaning {
  std::string_view prefix;
  const char* text;
};

constexpr std::array measure_meanings = {
    Meaning{word_of(Fact::support_vectors), "training rows that the model is made of"},
    Meaning{word_of(Fact::support_fraction), "of the training rows; near 1 the model has hardly generalised"},
    Meaning{"at the bound", "support vectors whose coefficient is at its upper bound: inside the margin or misplaced"},
    Meaning{"margin errors", "training rows inside the margin or on the wrong side"},
    Meaning{"margin", "distance from the boundary to the nearest rows that are right, in feature space"},
    Meaning{"primal value", "the problem that was solved, at the solution; equals the dual value at the optimum"},
    Meaning{"dual value", "a lower bound of the primal value"},
    Meaning{word_of(Fact::relative_gap),
            "primal less dual value, relative: how far the solution can be from the best one"},
    Meaning{"sigma",
            "scale of Huber's loss, in units of the target: smaller errors cost their square, larger ones their size"},
    Meaning{"epsilon", "half the width of the tube, in units of the target"},
    Meaning{"fraction outside", "of the training rows: outside the boundary"},
    Meaning{word_of(Fact::radius), "of the ball around the training rows in feature space"},
    Meaning{word_of(Fact::rho), "distance of the boundary from the origin, times the norm of its normal"},
    Meaning{word_of(Fact::noise_variance), "of the observations, in squared units of the target"},
    Meaning{word_of(Fact::noise_scale), "of the observations, in units of the target"},
    Meaning{"leave-one-out RMSE", "root mean squared error of every row predicted without it"},
    Meaning{"leave-one-out mean log density", "mean of ln p(y) of every row given all others"},
    Meaning{"leave-one-out error rate", "wrong answers for rows predicted without them"},
    Meaning{"path leave-one-out RMSE", "of the penalty that was chosen"},
    Meaning{"path GCV", "generalized cross-validation of the penalty that was chosen"},
    Meaning{"degrees of freedom", "trace of the smoother: how many parameters the fit effectively has"},
    Meaning{"weights that are not 0", "columns that the linear model uses, over all machines"},
    Meaning{"bandwidth", "how far a row is spread out: wider is smoother"},
    Meaning{"cells that hold samples", "bins, over all columns, with training rows in them"},
    Meaning{"cells", "bins, over all columns"},
    Meaning{"neighbours", "training rows in the ball around a query"},
    Meaning{"explained variance ratio", "share of the variance in feature space that the components hold"},
    Meaning{"explained variance", "variance in feature space along the components"},
    Meaning{word_of(Fact::total_variance), "of the training rows in feature space"},
    Meaning{"variance of component", "of the training rows along it"},
    Meaning{"components", "features that the model gives"},
    Meaning{word_of(Fact::inertia), "sum of squared distances to the means of the clusters, in feature space"},
    Meaning{word_of(Fact::distance_sum), "of the training rows to their medoids"},
    Meaning{"eigenvalue", "of the normalized affinities: near 1, parts of the graph that hold together"},
    Meaning{word_of(Fact::log_evidence), "log probability of the training targets under the model: higher is better"},
};

std::string measure_meaning(const std::string& name) {
  for (const Meaning& meaning : measure_meanings) {
    if (name.starts_with(meaning.prefix)) {
      return meaning.text;
    }
  }
  return {};
}

void add_kernel_facts(const KernelNode& node, std::vector<ReportFact>& facts) {
  for (const Parameter& parameter : node.parameters().all()) {
    facts.push_back({node.entry().name + ": " + parameter.spec->name, to_string(parameter.value),
                     parameter.spec->meaning.empty() ? node.entry().summary : parameter.spec->meaning});
  }
  if (node.parameters().all().empty() && node.children().empty()) {
    facts.push_back({node.entry().name, node.entry().formula, node.entry().summary});
  }
  for (std::size_t c = 0; c < node.children().size(); ++c) {
    add_kernel_facts(node.child(c), facts);
  }
}

std::vector<ReportOption> options_of(const ModelEntry& entry, std::span<const OptionSetting> settings) {
  std::vector<ReportOption> options;
  for (const OptionDescription& option : entry.options) {
    const auto at = std::ranges::find(settings, option.name, &OptionSetting::name);
    const std::string value = at == settings.end() ? option.default_value : at->value;
    options.push_back({option.name, value, option.meaning, value == option.default_value});
  }
  return options;
}

void add_support(const FittedModel& model, const SupportVectors& support, std::vector<SolutionFact>& facts) {
  const auto bound = static_cast<double>(std::ranges::count(support.states, SupportState::bound));
  const double all = static_cast<double>(support.states.size());
  facts.push_back({"free support vectors", all - bound, "on the margin: they fix the boundary"});
  facts.push_back({"bound support vectors", bound,
                   "inside the margin or on the wrong side, for one machine at least: as many as the penalty allows"});
  if (const auto* machines = offered<ClassMachines>(model)) {
    double gap = 0;
    for (const MachineFacts& machine : machines->machine_facts()) {
      gap = std::max(gap, machine.kkt_gap);
    }
    facts.push_back({"KKT gap", gap, "largest violation of the optimality conditions, over all machines"});
  }
}

std::vector<SolutionFact> solution_of(const FittedModel& model, const std::optional<SupportVectors>& support,
                                      const std::optional<GramSection>& gram) {
  const FitReport& report = model.report();
  std::vector<SolutionFact> facts;
  facts.push_back({"status", 0, "whether the solver reached its tolerance", std::string(to_string(report.status))});
  if (report.iterations > 0) {
    facts.push_back({"iterations", static_cast<double>(report.iterations), "steps of the solver or the search"});
  }
  if (!report.objective_name.empty()) {
    facts.push_back({report.objective_name, report.objective, measure_meaning(report.objective_name)});
  }
  for (const FitReport::Measure& measure : report.measures) {
    facts.push_back({measure.name, measure.value, measure_meaning(measure.name)});
  }
  if (support) {
    add_support(model, *support, facts);
  }
  const auto* const covariance = offered<JointCovariance>(model);
  if (const std::optional<double> jitter = covariance != nullptr ? covariance->jitter() : std::nullopt) {
    facts.push_back({"jitter", *jitter, "added to the diagonal, so that the factorisation goes through"});
  }
  if (gram) {
    facts.push_back({"condition number", gram->condition,
                     "of the Gram matrix without penalty or noise; empty: singular to rounding"});
    facts.push_back({"effective rank", gram->effective_rank,
                     "how many directions of feature space the rows fill: exp of the entropy of the spectrum"});
  }
  for (const std::string& note : report.notes) {
    facts.push_back({"note", 0, "", note});
  }
  return facts;
}

}  // namespace

std::vector<ReportFact> kernel_facts(const Kernel& kernel) {
  std::vector<ReportFact> facts;
  add_kernel_facts(kernel.node(), facts);
  return facts;
}

ModelFacts model_facts(const StoredModel& stored, const std::optional<SupportVectors>& support,
                       const std::optional<GramSection>& gram) {
  const FittedModel& model = *stored.model;
  const ModelEntry& entry = find_model(model.name());
  ModelFacts facts;
  facts.name = model.name();
  facts.task = model.task();
  facts.summary = entry.summary;
  if (model.has_kernel()) {
    facts.kernel = model.kernel().spec();
    facts.requested_kernel = model.head().requested_kernel;
    facts.kernel_facts = kernel_facts(model.kernel());
  }
  facts.options = options_of(entry, model.head().settings);
  facts.scaling = to_string(stored.preparation.scaling.rule);
  facts.classes = model.classes();
  facts.outputs = output_headings(model);
  facts.solution = solution_of(model, support, gram);
  if (model.head().decision.is_given()) {
    facts.solution.push_back({"decides by", 0, "the rule that answers follow, in place of the model's own",
                              describe(model.head().decision, model.classes())});
  }
  if (const PriorModel* prior = prior_model(stored.preparation)) {
    facts.solution.push_back(
        {"added to", 0, "the prior function, which was known before the fit", prior->stored().model->name()});
  }
  return facts;
}

}  // namespace mercer
