// Explicit feature maps as models: `fourier`, `sinks`, `sketch`, `chi2map` and `nystroem` turn samples into vectors z(x)
// with z(x)·z(x') ≈ k(x, x') (features/feature_map.h), drawn at the fit from the seed and kept in the model. Linear
// methods on z(x) are kernel methods whose cost grows with the number of rows only.
//
// Targets are not used; a weight of 0 leaves a row out, other weights change nothing. nystroem is a FeatureModel: its
// features are kernel expansions. The others are functions of the columns alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/models/features/feature_model.h"
#include "mercer/models/mapped/map_options.h"

namespace mercer {

class MapModel final : public FittedModel {
 public:
  struct Parts {
    MapKind kind = MapKind::fourier;  ///< known of the entry
    Kernel kernel;
    std::shared_ptr<const FeatureMap> map;

    void fields(Fields& visit);
  };
  MapModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::features; }
  const Kernel& kernel() const override { return parts_.kernel; }

  const FeatureMap& map() const { return *parts_.map; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// kind: fourier, sinks, sketch or chi2.
std::unique_ptr<MapModel> fit_map(MapKind kind, const Kernel& kernel, const MapOptions& options,
                                  const TrainingData& data, const Run& run = {});
/// Kernels of any samples whose values depend on the pair alone. Of an indefinite kernel the negative part is left out.
std::unique_ptr<FeatureModel> fit_nystroem(const Kernel& kernel, const MapOptions& options, const TrainingData& data,
                                           const Run& run = {});

const ModelEntry& fourier_entry();
const ModelEntry& sinks_entry();
const ModelEntry& sketch_entry();
const ModelEntry& chi2map_entry();
const ModelEntry& nystroem_entry();

}  // namespace mercer
