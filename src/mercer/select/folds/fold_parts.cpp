#include "mercer/select/folds/fold_parts.h"

#include "mercer/base/text.h"
#include "mercer/data/weighted_samples.h"

namespace mercer {

TrainingData training_part(const TrainingData& data, const Split& split) {
  return {data.samples.select(split.train), data.targets.size() > 0 ? data.targets.select(split.train) : Targets(),
          select_weights(data.weights, split.train), select_weights(data.noise, split.train),
          select_groups(data.groups, split.train)};
}

std::vector<OptionSetting> settings_at(const PointPath& path, double value) {
  std::vector<OptionSetting> settings = path.settings;
  if (!path.option.empty()) {
    settings.push_back({path.option, shortest(value)});
  }
  return settings;
}

}  // namespace mercer
