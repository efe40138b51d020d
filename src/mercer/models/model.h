// Models: what a fit gives. Only a fitted model predicts. Every model is one file pair and one line in the registry;
// the program, the Python package and the tests over all models see them through these interfaces.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/data/targets.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model_head.h"
#include "mercer/models/option_table.h"
#include "mercer/models/predictive_distribution.h"

namespace mercer {

/// Regression and classification predict targets. The others learn from samples alone, or from targets as a second view:
/// novelty tells the usual from the unusual, features are new coordinates, clustering sorts samples into groups, density
/// says how likely a sample is.
enum class Task { regression, classification, novelty, features, clustering, density };
std::string_view to_string(Task task);
constexpr bool predicts_targets(Task task) { return task == Task::regression || task == Task::classification; }
/// Whether predictions can be right or wrong, so that they can be scored and tuned.
constexpr bool is_scored(Task task) { return predicts_targets(task) || task == Task::novelty; }

/// What a caller wants to know of the same samples: all of it follows from one evaluation of the kernel.
struct AnswersWanted {
  bool predictions = false;
  bool decisions = false;
  bool probabilities = false;
};

/// What was wanted; the others are empty.
struct Answers {
  Matrix<double> predictions = {};
  Matrix<double> decisions = {};
  Matrix<double> probabilities = {};
};

class Expansion;
class Fields;
struct ModelState;

class FittedModel {
 public:
  virtual ~FittedModel() = default;
  FittedModel(const FittedModel&) = delete;
  FittedModel& operator=(const FittedModel&) = delete;
  FittedModel(FittedModel&&) = delete;
  FittedModel& operator=(FittedModel&&) = delete;

  const ModelHead& head() const { return head_; }
  const std::string& name() const { return head_.name; }
  const FitReport& report() const { return head_.report; }
  virtual Task task() const = 0;
  /// The kernel with its widths resolved. InvalidArgument where has_kernel() is false.
  virtual const Kernel& kernel() const;
  /// One name per column of predict(); a target without a name has an empty one.
  const std::vector<std::string>& output_names() const { return head_.output_names; }
  /// n × outputs. Regression: values. Classification: the number of the class in classes(), −1 where the model declines
  /// to answer. Novelty: 1 for what looks like the training samples, −1 for what does not. Features: the coordinates.
  /// Clustering: the number of the cluster, from 0. Density: ln p(x). Samples as at the fit: same columns, same scaling; DataError where
  /// not.
  Matrix<double> predict(const Samples& samples, const Run& run) const;

  /// Whether predictions are what was learned plus the offsets of the samples, which a preparation with a prior function gives
  /// them: InvalidArgument for samples without.
  bool adds_offsets() const { return head_.adds_offsets; }

  /// Classification: the labels, in the order of their numbers. Empty for other tasks.
  const std::vector<std::string>& classes() const { return head_.classes; }
  /// One name per column of decide(); empty where there are no decision values.
  virtual std::vector<std::string> decision_names() const { return {}; }
  /// Where the model itself parts two classes by one decision value: the second from it on.
  virtual double own_threshold() const { return 0; }
  /// Answers that are less sure than it are declined: its option `reject`. A rule of decisions compares its own sureness with it.
  virtual double reject_margin() const { return 0; }
  /// n × decisions: what predict() decides by. InvalidArgument where the model has none.
  Matrix<double> decide(const Samples& samples, const Run& run) const;
  virtual bool has_probabilities() const { return false; }
  /// "option=value" with which another fit of the same kind has probabilities; empty: with none.
  virtual std::string_view setting_for_probabilities() const;
  /// n × classes. InvalidArgument where the model has none.
  Matrix<double> probabilities(const Samples& samples, const Run& run) const;
  /// predict(), decide() and probabilities() of the same samples, by one evaluation. InvalidArgument where the model has
  /// not what is wanted.
  Answers answer(const Samples& samples, AnswersWanted wanted, const Run& run) const;

  /// Whether predictions come with a distribution: the functions below. InvalidArgument where there is none.
  virtual bool has_distribution() const { return false; }
  /// Whether it says how sure predictions of the function, or of observations, are; some know one of the two.
  virtual bool has_distribution_of(PredictionOf /*of*/) const { return has_distribution(); }
  /// One evaluation, for all that is asked of it. Batches of bounded memory, whatever the number of samples.
  virtual std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const;
  /// Of distribution(), for those who want one thing.
  PredictiveMoments moments(const Samples& samples, PredictionOf of, const Run& run) const;
  Matrix<double> quantiles(const Samples& samples, std::span<const double> levels, PredictionOf of,
                           const Run& run) const;
  Matrix<double> log_density(const Samples& samples, ConstMatrixView<double> truth, const Run& run) const;
  /// n × (outputs · count), the draws of one output side by side. One draw is joint over all samples, so that memory
  /// and time grow with n² and n³. Random numbers come from run.seed().
  virtual Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const;

  /// Features: whether samples can be found that have given features (pre-images).
  virtual bool has_reconstruction() const { return false; }
  /// n × numeric columns: for every sample the point of input space whose features are nearest to the sample's own, that
  /// is, the sample without what the features leave out. In the scale of the fit. InvalidArgument where there is none.
  virtual Matrix<double> reconstruct(const Samples& samples, const Run& run) const;

  /// The functions that predictions are made of, where they are kernel expansions: what reduced sets make smaller. Null
  /// where the model is something else.
  virtual const Expansion* expansion_form() const { return nullptr; }
  /// A model with these functions (same kernel, same outputs) in place of its own; where it is of another kind, because
  /// the functions are not all of this one (a gp without its variances is a ridge), the report says so.
  /// InvalidArgument where expansion_form() is null.
  virtual std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const;

  /// False for models of windows and neighbours in input space, which no positive definite kernel is part of.
  virtual bool has_kernel() const { return true; }

 protected:
  explicit FittedModel(ModelHead head) : head_(std::move(head)) {}

 private:
  friend ModelState state_of(const FittedModel& model, std::string_view only);
  friend void add_offsets_to_answers(FittedModel& model);
  friend void decide_by(FittedModel& model, DecisionRule rule);
  friend void keep_class_shares(FittedModel& model, std::vector<double> shares);
  /// The model's own answers, and those of its decision rule in their place.
  Answers decided(const Samples& samples, AnswersWanted wanted, const Run& run) const;
  /// At least what is wanted, which the model has.
  virtual Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const = 0;
  /// Describes the parts of the model (models/fields.h); a visitor that saves changes none of them.
  virtual void fields(Fields& visit) = 0;

  ModelHead head_;
};

/// What a fit takes beside options.
struct TrainingData {
  Samples samples;
  Targets targets;
  std::vector<double> weights = {};  ///< per sample, empty: all 1
  std::vector<double> noise = {};    ///< known error of every target, as ModelEntry::noise means it; empty: none
  /// The group of every sample, −1: none; for fits of ModelEntry::takes_groups, which others pass over. Empty: no groups.
  std::vector<std::int32_t> groups = {};
};

/// What fits of one model on the folds of a search can share (select/folds): nothing, one matrix of distances for every
/// width and fold with solutions followed along C, or one factorisation for all penalties.
enum class FoldSharing { nothing, support_vectors, ridge };

/// What the probabilities of a classifier take the shares of its classes from: the weights of rows and classes, or the number
/// of rows alone, where they are calibrated by unweighted rows.
enum class SharesOf { weights, rows };

/// What a number per row says of the error of its target.
enum class NoiseMeaning {
  unused,
  variance,   ///< of the noise
  tube_width  ///< half the width of the tube within which errors cost nothing, in the units of the target
};

struct ModelEntry {
  std::string name;
  std::vector<std::string> aliases = {};
  std::string summary;
  Task task = Task::regression;
  std::string default_kernel = {};  ///< empty: the model has no kernel
  /// Of models that predict targets: the name of the one nearest to it for the other kind of targets.
  std::string counterpart = {};
  std::vector<OptionDescription> options = {};
  /// Whether a fit uses targets although the model does not predict them: a second view of the samples.
  bool takes_second_view = false;
  /// Whether its functions are an offset and coefficients that sum to 0, so that constants in the kernel change nothing.
  bool has_offset = false;
  /// Whether a fit can begin with a prior function (prior.h): a model of quantities that prices the norm of what it adds to it,
  /// and whose loss is one of residuals.
  bool takes_prior = false;
  /// What TrainingData::noise means to a fit; models that make no use of it are not given any.
  NoiseMeaning noise = NoiseMeaning::unused;
  FoldSharing folds_share = FoldSharing::nothing;
  /// Whether a fit with these settings makes use of TrainingData::groups; empty: no fit of this model does.
  std::function<bool(std::span<const OptionSetting> settings)> takes_groups = nullptr;
  SharesOf shares_of = SharesOf::weights;
  bool fits_quantiles = false;  ///< whether its functions are quantiles, so that their loss is what a search looks at
  /// The name of the model that a fit gives, where it is another: mklsvc learns a kernel and gives an svc.
  std::string gives = {};
  /// Reads settings against the table of options: InvalidArgument for names and values that it does not allow, each by itself.
  std::function<void(std::span<const OptionSetting> settings)> check = nullptr;
  /// The kernel is empty for models that have none; InvalidArgument where it is given or missing against that.
  std::function<std::unique_ptr<FittedModel>(const std::optional<Kernel>& kernel,
                                             std::span<const OptionSetting> settings, const TrainingData& data,
                                             const Run& run)>
      fit = nullptr;
  /// Checks all of the state: DataError where it is no state of this model.
  std::function<std::unique_ptr<FittedModel>(ModelState state, const Run& run)> load = nullptr;
};

/// What FittedModel::name() is after a fit.
inline const std::string& fitted_name(const ModelEntry& entry) {
  return entry.gives.empty() ? entry.name : entry.gives;
}

/// Whether a fit needs targets.
inline bool uses_targets(const ModelEntry& entry) { return predicts_targets(entry.task) || entry.takes_second_view; }

/// The kernel of a text, of the entry's own where the text is empty; nothing for models without kernel. Throws as
/// parse_kernel() does, and InvalidArgument for a text where the model has no kernel.
std::optional<Kernel> kernel_for(const ModelEntry& entry, std::string_view spec = {});

std::span<const ModelEntry* const> model_registry();
/// By name or alias; null where there is none.
const ModelEntry* look_up_model(std::string_view name);
/// By name or alias; throws InvalidArgument with the nearest name.
const ModelEntry& find_model(std::string_view name);

}  // namespace mercer
