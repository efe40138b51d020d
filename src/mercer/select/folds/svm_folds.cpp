#include "mercer/select/folds/svm_folds.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/entry_error.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/radial/radial_node.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/models/training_rows.h"
#include "mercer/select/folds/fold_parts.h"
#include "mercer/select/folds/kernel_family.h"
#include "mercer/select/folds/svm_fold_unit.h"

namespace mercer {

namespace {

// Matrices that are there at a time: distances, those of the kernels in work, a working set.
constexpr double matrices = 4;
constexpr double largest_face = 8192;

struct Job {
  FoldUnit unit;
  std::size_t kernel = 0;
};

// What is to be done in one precision: units, and the kernels that they need in the order of their first use.
struct Plan {
  std::vector<Job> jobs;
  std::vector<Kernel> kernels;

  void add(FoldUnit unit, const Kernel& kernel) {
    const auto found = std::find(kernels.begin(), kernels.end(), kernel);
    jobs.push_back({unit, static_cast<std::size_t>(found - kernels.begin())});
    if (found == kernels.end()) {
      kernels.push_back(kernel);
    }
  }
};

// A kernel matrix while units need it: the first makes it, the last drops it.
template <class T>
class SharedMatrix {
 public:
  void expect_unit() { ++left_; }
  std::shared_ptr<const KernelMatrix<T>> use(const KernelFamily<T>& family, std::size_t kernel, const Run& run) {
    const std::lock_guard lock(mutex_);
    if (!matrix_) {
      matrix_ = std::make_shared<const KernelMatrix<T>>(family.matrix(kernel, run));
    }
    return matrix_;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) {
      matrix_.reset();
    }
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const KernelMatrix<T>> matrix_;
  Index left_ = 0;
};

class SvmFolds final : public FoldEvaluator {
 public:
  SvmFolds(const ModelEntry& model, TrainingData data, FoldNeeds needs)
      : model_(model), data_(std::move(data)), needs_(needs), general_(model_fold_evaluator(model, data_, needs)) {}

  void set_watch(FoldWatch watch) override {
    general_->set_watch(watch);
    FoldEvaluator::set_watch(std::move(watch));
  }

  void evaluate(std::span<const PointPath> paths, std::span<const Split> folds, std::span<const FoldUnit> units,
                const Done& done, const Run& run) const override {
    Plan in_float;
    Plan in_double;
    std::vector<FoldUnit> others;
    for (const FoldUnit& unit : units) {
      const PointPath& path = paths[unit.path];
      const std::optional<Precision> precision = shared_precision(path);
      const std::optional<Kernel> kernel = precision ? resolved(*path.kernel, folds[unit.fold], run) : std::nullopt;
      if (!kernel) {
        others.push_back(unit);
      } else {
        const bool single = *precision == Precision::single_precision && keeps_digits_in_float(*kernel, run);
        (single ? in_float : in_double).add(unit, *kernel);
      }
    }
    carry_out<float>(in_float, paths, folds, done, run);
    carry_out<double>(in_double, paths, folds, done, run);
    if (!others.empty()) {
      general_->evaluate(paths, folds, others, done, run);
    }
  }

 private:
  // Of the path's kernel matrix; nothing where its points are not for this evaluator. It depends on the path alone, so
  // that a unit is always evaluated the same way.
  std::optional<Precision> shared_precision(const PointPath& path) const {
    const bool suits = data_.noise.empty() &&  // no tube per row
                       definiteness_on(*path.kernel, data_.samples, Run()).is_conditional_up_to(1) &&
                       !path.kernel->node().depends_on_reference();
    if (!suits || needs_.probabilities || needs_.log_density || needs_.quantiles) {
      return {};
    }
    std::optional<Precision> precision;
    try {
      for (const double value : path.values) {
        const std::optional<SvmPoint> point = read_svm_point(model_.task, path, value);
        if (!point || (precision && *precision != point->solver().precision()) || !fits(point->solver())) {
          return {};
        }
        precision = point->solver().precision();
      }
    } catch (const Error&) {
      return {};
    }
    return precision;
  }

  // Radial kernels are computed in double and rounded once. Others may have lost digits before: far from the origin, say.
  bool keeps_digits_in_float(const Kernel& kernel, const Run& run) const {
    constexpr double few_roundings = 1e-5;
    if (dynamic_cast<const RadialNode*>(&kernel.node()) != nullptr) {
      return true;
    }
    const EntryError entry = single_precision_errors(kernel, packed_for_svm(data_.samples), run).by_the_kernel;
    return entry.worst <= few_roundings * entry.spread;
  }

  bool fits(const SvmSolverOptions& options) const {
    const auto n = static_cast<double>(data_.samples.size());
    const double number = options.precision() == Precision::single_precision ? sizeof(float) : sizeof(double);
    const double face = std::min(n, largest_face);
    const double bytes = matrices * n * n * number + face * face * sizeof(double);
    return bytes <= allowed_memory(options.memory_mb);
  }

  std::optional<Kernel> resolved(const Kernel& kernel, const Split& split, const Run& run) const {
    if (kernel.is_resolved()) {
      return kernel;
    }
    try {
      const TrainingData training = training_part(data_, split);
      const std::vector<Index> rows = weighted_rows(training, model_.name.c_str());
      return resolve_widths(kernel, counted_samples(training.samples, rows), rows, training, run);
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      return {};
    }
  }

  template <class T>
  void carry_out(Plan& plan, std::span<const PointPath> paths, std::span<const Split> folds, const Done& done,
                 const Run& run) const {
    if (plan.jobs.empty()) {
      return;
    }
    std::stable_sort(plan.jobs.begin(), plan.jobs.end(),
                     [](const Job& a, const Job& b) { return a.kernel < b.kernel; });
    const KernelFamily<T> family(packed_for_svm(data_.samples), plan.kernels, run);
    std::vector<SharedMatrix<T>> shared(plan.kernels.size());
    for (const Job& job : plan.jobs) {
      shared[job.kernel].expect_unit();
    }
    parallel_for(run, static_cast<Index>(plan.jobs.size()), "folds", [&](Index j) {
      const Job& job = plan.jobs[j];
      const PointPath& path = paths[job.unit.path];
      const Split& split = folds[job.unit.fold];
      done(job.unit, evaluate_unit<T>(path, split, family, job.kernel, shared[job.kernel], watch_of(job.unit), run));
    });
  }

  // What cannot be fitted on these rows (a fold with one class only) has no predictions; it does not end the search.
  template <class T>
  std::vector<FoldPrediction> evaluate_unit(const PointPath& path, const Split& split, const KernelFamily<T>& family,
                                            std::size_t kernel, SharedMatrix<T>& shared, const UnitWatch& watch,
                                            const Run& run) const {
    std::vector<FoldPrediction> predictions;
    std::size_t told = 0;
    const UnitWatch counting{.point_done =
                                 [&] {
                                   ++told;
                                   watch.point_done();
                                 },
                             .is_worth_more = watch.is_worth_more};
    try {
      const std::shared_ptr<const KernelMatrix<T>> matrix = shared.use(family, kernel, run);
      predictions =
          evaluate_svm_unit<T>(model_.task, data_, path, split, needs_, matrix->stored(), counting, run.quiet());
    } catch (const Stopped&) {
      throw;
    } catch (const IoError&) {
      throw;
    } catch (const Error&) {
      predictions.clear();
      predictions.resize(path.values.size());
      for (FoldPrediction& prediction : predictions) {
        prediction.status = SolveStatus::stalled;
      }
      for (; told < path.values.size(); ++told) {
        watch.point_done();
      }
    }
    shared.release();
    return predictions;
  }

  UnitWatch watch_of(FoldUnit unit) const {
    UnitWatch own{.point_done = [this, unit] { point_done(unit); }, .is_worth_more = {}};
    if (watch().is_worth_more) {
      own.is_worth_more = [this, unit](const FoldPrediction& so_far) { return watch().is_worth_more(unit, so_far); };
    }
    return own;
  }

  const ModelEntry& model_;
  TrainingData data_;
  FoldNeeds needs_;
  std::unique_ptr<FoldEvaluator> general_;
};

}  // namespace

std::unique_ptr<FoldEvaluator> svm_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs) {
  return std::make_unique<SvmFolds>(model, std::move(data), needs);
}

}  // namespace mercer
