#include "mercer/select/folds/scaled_folds.h"

namespace mercer {

namespace {

class ScaledFolds final : public FoldEvaluator {
 public:
  ScaledFolds(const ModelEntry& model, TrainingData data, FoldNeeds needs, ScalingRule rule)
      : model_(model), data_(std::move(data)), needs_(needs), rule_(rule) {}

  void evaluate(std::span<const PointPath> paths, std::span<const Split> folds, std::span<const FoldUnit> units,
                const Done& done, const Run& run) const override {
    for (std::size_t f = 0; f < folds.size(); ++f) {
      std::vector<FoldUnit> here;
      for (const FoldUnit& unit : units) {
        if (unit.fold == static_cast<Index>(f)) {
          here.push_back({unit.path, 0});
        }
      }
      if (here.empty()) {
        continue;
      }
      TrainingData scaled = data_;
      const std::vector<double> weights = select_weights(data_.weights, folds[f].train);
      scaled.samples = fit_scaling(rule_, {data_.samples.select(folds[f].train), weights}).apply(data_.samples, run);
      const auto evaluator = make_fold_evaluator(model_, std::move(scaled), needs_);
      evaluator->set_watch(watch_of(static_cast<Index>(f)));
      evaluator->evaluate(
          paths, folds.subspan(f, 1), here,
          [&](FoldUnit unit, std::vector<FoldPrediction> predictions) {
            done({unit.path, static_cast<Index>(f)}, std::move(predictions));
          },
          run);
    }
  }

 private:
  // The evaluator of a fold knows no other.
  FoldWatch watch_of(Index fold) const {
    FoldWatch own;
    own.point_done = [this, fold](FoldUnit unit) { point_done({unit.path, fold}); };
    if (watch().is_worth_more) {
      own.is_worth_more = [this, fold](FoldUnit unit, const FoldPrediction& prediction) {
        return watch().is_worth_more({unit.path, fold}, prediction);
      };
    }
    return own;
  }

  const ModelEntry& model_;
  TrainingData data_;
  FoldNeeds needs_;
  ScalingRule rule_;
};

}  // namespace

std::unique_ptr<FoldEvaluator> scaled_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs,
                                                     ScalingRule rule) {
  return std::make_unique<ScaledFolds>(model, std::move(data), needs, rule);
}

}  // namespace mercer
