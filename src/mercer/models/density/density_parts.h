// What densities are made of and what can be drawn from them, as capabilities of models (models/capability.h).
#pragma once

#include "mercer/models/capability.h"
#include "mercer/models/density/density_columns.h"
#include "mercer/smoothing/conditional_draws.h"
#include "mercer/smoothing/histogram.h"
#include "mercer/smoothing/kernel_density.h"

namespace mercer {

class SmoothDensity : public Capability {
 public:
  /// Over the columns that are not left out, in their order.
  virtual const KernelDensity& density() const = 0;
  virtual const LeftOutColumns& left_out() const = 0;
};

class CellDensity : public Capability {
 public:
  virtual const HistogramDensity& density() const = 0;
};

class SampleSource : public Capability {
 public:
  /// count × columns, as the model sees them; what `held` names keeps its values.
  virtual Matrix<double> draw(const HeldColumns& held, Index count, const Run& run) const = 0;
};

}  // namespace mercer
