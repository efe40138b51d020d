// Kernel density estimation (Parzen windows): how likely is a sample?
//
//   p(x) = (1/W) Σ_i w_i |L|^−1 K(L^−1 (x − x_i)),    predict() = ln p(x)
//
// K is a smoothing kernel (smoothing/smoothing_kernel.h), no kernel of a feature space: there is nothing to give for
// --kernel. Draws, marginal and conditional densities, the distribution function and values on a grid are members of
// density(). References: Parzen (1962); Silverman (1986).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/models/density/density_parts.h"
#include "mercer/models/density/kde_options.h"
#include "mercer/models/model.h"
#include "mercer/models/smoothing/training_points.h"
#include "mercer/smoothing/kernel_density.h"

namespace mercer {

class KdeModel final : public FittedModel, public SmoothDensity, public SampleSource, public TrainingPoints {
 public:
  struct Parts {
    KernelDensity density;
    LeftOutColumns left_out;

    void fields(Fields& visit);
  };
  KdeModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::density; }
  bool has_kernel() const override { return false; }

  const KernelDensity& density() const override { return parts_.density; }
  const LeftOutColumns& left_out() const override { return parts_.left_out; }
  Matrix<double> draw(const HeldColumns& held, Index count, const Run& run) const override;
  Matrix<double> training_points() const override {
    return Matrix<double>::copy_of(parts_.density.parts().points.view());
  }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// Targets are not used; a weight counts as that many copies of a sample. Where a rule chooses the bandwidth, columns of
/// one value are left out, with a note. DataError for samples that are not numeric or have no spread to learn a bandwidth
/// from.
std::unique_ptr<KdeModel> fit_kde(const KdeOptions& options, const TrainingData& data, const Run& run = {});

const ModelEntry& kde_entry();

}  // namespace mercer
