// Histogram density: counts in bins, p(x) = n_cell / (N · volume), in any number of columns; predict() = ln p(x), −inf in
// empty cells and outside the edges. See smoothing/histogram.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/models/density/bin_choice.h"
#include "mercer/models/density/density_parts.h"
#include "mercer/models/model.h"
#include "mercer/smoothing/histogram.h"

namespace mercer {

struct HistogramOptions {
  BinChoice bins = BinRule::fd;  ///< a rule, a number, or one number per column
  void validate() const;
};

std::span<const Option<HistogramOptions>> histogram_option_table();

class HistogramModel final : public FittedModel, public CellDensity, public SampleSource {
 public:
  struct Parts {
    HistogramDensity density;

    void fields(Fields& visit);
  };
  HistogramModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::density; }
  bool has_kernel() const override { return false; }

  const HistogramDensity& density() const override { return parts_.density; }
  Matrix<double> draw(const HeldColumns& held, Index count, const Run& run) const override;
  /// The same with more samples counted (streaming); those outside the edges do not count.
  std::unique_ptr<HistogramModel> with(const Samples& samples, std::span<const double> weights) const;

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// Targets are not used; a weight counts as that many copies of a sample.
std::unique_ptr<HistogramModel> fit_histogram(const HistogramOptions& options, const TrainingData& data,
                                              const Run& run = {});

const ModelEntry& histogram_entry();

}  // namespace mercer
