#include "mercer/select/folds/svm_fold_unit.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/svm/machine_classes.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/models/svm/svr_targets.h"
#include "mercer/models/svm/wide_tube.h"
#include "mercer/models/training_rows.h"
#include "mercer/select/folds/fold_parts.h"

namespace mercer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Index steps_per_row = 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What the rows of a machine have, for all tuning rows: 0 for those that it does not see, so that they have no bounds.
std::vector<double> among_all(std::span<const double> values, std::span<const Index> rows, Index all) {
  std::vector<double> result(static_cast<std::size_t>(all), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result[rows[i]] = values[i];
  }
  return result;
}

// The machines of a unit, and how their values become predictions.
template <class T>
class Machines {
 public:
  virtual ~Machines() = default;
  virtual void read(std::span<const Index> test, FoldNeeds needs, FoldPrediction& prediction) const = 0;
  std::vector<BoxPath<T>> machines;
};

template <class T>
class Classifier final : public Machines<T> {
 public:
  Classifier(const TrainingData& data, const SvcOptions& options, const Split& split, const StoredKernel<T>& kernel)
      : options_(options), code_(make(data, options, split)) {
    options.require_usable_threshold("svc", code_);
    const Index rows = data.samples.size();
    for (const MachineTask& task : machine_tasks(code_, labeled_.rows, labeled_.classes, labeled_.weights)) {
      const std::vector<double> signs = among_all(task.signs, task.rows, rows);
      const std::vector<double> bounds = among_all(task.bounds, task.rows, rows);
      this->machines.emplace_back(kernel, classifier_box(signs, bounds), options.tolerance, options.max_steps);
    }
  }

  void read(std::span<const Index> test, FoldNeeds needs, FoldPrediction& prediction) const override {
    const std::vector<BoxPath<T>>& solved = this->machines;
    Matrix<double> decisions(static_cast<Index>(test.size()), code_.machines());
    for (Index i = 0; i < decisions.rows(); ++i) {
      for (Index m = 0; m < decisions.columns(); ++m) {
        decisions(i, m) = solved[m].values()[test[i]] + solved[m].offset();
      }
    }
    prediction.predictions = classes_of_machines(code_, options_, decisions.view());
    for (Index i = 0; i < decisions.rows(); ++i) {
      double& number = prediction.predictions(i, 0);
      number = static_cast<double>(numbers_[static_cast<Index>(number)]);
    }
    if (needs.decisions) {
      prediction.decisions = std::move(decisions);
    }
  }

 private:
  // Classes are those of the fold's training rows; predictions are numbers of those of all rows.
  ClassCode make(const TrainingData& data, const SvcOptions& options, const Split& split) {
    const TrainingData training = training_part(data, split);
    labeled_ = read_labels("svc", training, LabelReading::classes, options.class_weight);
    for (Index& row : labeled_.rows) {
      row = split.train[row];
    }
    const ClassLabels all = data.targets.labels(0);
    numbers_.assign(labeled_.levels.size(), 0);
    for (std::size_t i = 0; i < labeled_.rows.size(); ++i) {
      numbers_[labeled_.classes[i]] = all.codes[labeled_.rows[i]];
    }
    return ClassCode::of(options.multiclass, static_cast<Index>(labeled_.levels.size()), {}, 0, options.decoding);
  }

  SvcOptions options_;
  LabeledRows labeled_;
  std::vector<Index> numbers_;
  ClassCode code_;
};

template <class T>
class Regressor final : public Machines<T> {
 public:
  Regressor(const TrainingData& data, const SvrOptions& options, const Split& split, const StoredKernel<T>& kernel) {
    const TrainingData training = training_part(data, split);
    require_targets(training);
    rows_ = weighted_rows(training, "svr");
    for (const TargetColumn& output : training.targets.columns()) {
      add_output(training, output, options, split, kernel);
    }
  }

  void read(std::span<const Index> test, FoldNeeds /*needs*/, FoldPrediction& prediction) const override {
    const std::vector<BoxPath<T>>& solved = this->machines;
    prediction.predictions = Matrix<double>(static_cast<Index>(test.size()), static_cast<Index>(solved.size()));
    for (std::size_t o = 0; o < solved.size(); ++o) {
      for (std::size_t i = 0; i < test.size(); ++i) {
        const double value = solved[o].values()[test[i]] + solved[o].offset();
        prediction.predictions(static_cast<Index>(i), static_cast<Index>(o)) = targets_[o].restored(value);
      }
    }
  }

 private:
  void add_output(const TrainingData& training, const TargetColumn& output, const SvrOptions& options,
                  const Split& split, const StoredKernel<T>& kernel) {
    const std::vector<double> given = output.finite_values(rows_);
    const std::vector<double> weights = weights_or_ones(training.weights, rows_);
    const SvrTargets standardized = svr_targets(given, weights, Standardization::each);
    SvrTargets targets = options.standardize ? standardized : svr_targets(given, weights, Standardization::none);
    const Index all = kernel.values.rows();
    std::vector<Index> rows;
    for (const Index row : rows_) {
      rows.push_back(split.train[row]);
    }
    MachineBox box = tube_box(among_all(targets.values, rows, all), scaled_tube(options.epsilon, targets.deviation),
                              among_all(weights, rows, all));
    // As in a fit (GapScale::smaller): relative to the targets where they are small.
    const double tolerance = options.tolerance * std::min(1.0, standardized.deviation / targets.deviation);
    this->machines.emplace_back(kernel, std::move(box), tolerance, options.max_steps);
    targets_.push_back(std::move(targets));
  }

  std::vector<Index> rows_;  // of the training part
  std::vector<SvrTargets> targets_;
};

// Whether all machines are done.
template <class T>
bool go_on(std::vector<BoxPath<T>>& machines, Index most, const Run& run) {
  bool are_done = true;
  for (BoxPath<T>& machine : machines) {
    are_done = machine.go_on(most, run) && are_done;
  }
  return are_done;
}

// All machines with this C, and what they predict; false where that was not worth its steps.
template <class T>
bool solve(Machines<T>& solved, double c, const Split& split, FoldNeeds needs, const UnitWatch& watch,
           FoldPrediction& prediction, const Run& run) {
  for (BoxPath<T>& machine : solved.machines) {
    machine.begin(c, run);
  }
  const auto part = steps_per_row * static_cast<Index>(split.train.size());
  Index most = watch.is_worth_more ? part : std::numeric_limits<Index>::max();
  while (!go_on(solved.machines, most, run)) {
    solved.read(split.test, needs, prediction);
    if (!watch.is_worth_more(prediction)) {
      return false;
    }
    most += part;
  }
  for (const BoxPath<T>& machine : solved.machines) {
    prediction.status = machine.status() == SolveStatus::converged ? prediction.status : machine.status();
  }
  solved.read(split.test, needs, prediction);
  return true;
}

template <class T>
Index support_of(const std::vector<BoxPath<T>>& machines, std::span<const Index> train) {
  return std::count_if(train.begin(), train.end(), [&](Index row) {
    return std::any_of(machines.begin(), machines.end(),
                       [&](const BoxPath<T>& machine) { return machine.coefficient(row) != 0; });
  });
}

}  // namespace

std::optional<SvmPoint> read_svm_point(Task task, const PointPath& path, double value) {
  const std::vector<OptionSetting> settings = settings_at(path, value);
  SvmPoint point;
  if (task == Task::regression) {
    point.svr.emplace();
    apply_settings<SvrOptions>("svr", svr_option_table(), settings, *point.svr);
    point.svr->validate();
    return point.svr->is_usual() && point.svr->has_usual_tube() ? std::optional(std::move(point)) : std::nullopt;
  }
  point.svc.emplace();
  apply_settings<SvcOptions>("svc", svc_option_table(), settings, *point.svc);
  point.svc->validate();
  const SvcOptions& options = *point.svc;
  if (!is_pairs_or_rest(options.multiclass) || !options.is_usual() || options.slack != SvcSlack::linear ||
      options.formulation != SvcFormulation::dual || options.uncertain || options.probability || options.reject > 0) {
    return {};
  }
  return point;
}

template <class T>
std::vector<FoldPrediction> evaluate_svm_unit(Task task, const TrainingData& data, const PointPath& path,
                                              const Split& split, FoldNeeds needs, const StoredKernel<T>& kernel,
                                              const UnitWatch& watch, const Run& run) {
  std::unique_ptr<Machines<T>> solved;
  double last = 0;
  std::vector<FoldPrediction> predictions;
  bool given_up = false;
  for (const double value : path.values) {
    const Clock::time_point start = Clock::now();
    FoldPrediction prediction;
    if (!given_up) {
      const SvmPoint point = read_svm_point(task, path, value).value();
      const double c = point.svc ? point.svc->C : point.svr->C;
      if (!solved || path.option != "C" || c <= last) {
        if (point.svc) {
          solved = std::make_unique<Classifier<T>>(data, *point.svc, split, kernel);
        } else {
          solved = std::make_unique<Regressor<T>>(data, *point.svr, split, kernel);
        }
      }
      given_up = !solve(*solved, c, split, needs, watch, prediction, run);
      last = c;
    }
    if (given_up) {
      prediction = {};
      prediction.status = SolveStatus::iteration_limit;
      prediction.given_up = true;
    } else {
      prediction.support = support_of(solved->machines, split.train);
    }
    prediction.seconds = seconds_since(start);
    predictions.push_back(std::move(prediction));
    watch.point_done();
  }
  return predictions;
}

template std::vector<FoldPrediction> evaluate_svm_unit(Task, const TrainingData&, const PointPath&, const Split&,
                                                       FoldNeeds, const StoredKernel<float>&, const UnitWatch&,
                                                       const Run&);
template std::vector<FoldPrediction> evaluate_svm_unit(Task, const TrainingData&, const PointPath&, const Split&,
                                                       FoldNeeds, const StoredKernel<double>&, const UnitWatch&,
                                                       const Run&);

}  // namespace mercer
