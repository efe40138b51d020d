// What support vector machines are made of, as capabilities of models (models/capability.h).
#pragma once

#include <vector>

#include "mercer/data/samples.h"
#include "mercer/expansion/expansion.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/capability.h"
#include "mercer/models/support_rows.h"
#include "mercer/models/svm/svm_machine.h"

namespace mercer {

class SupportMachine : public SupportRows {
 public:
  virtual const Expansion& expansion() const = 0;
};

class ClassMachines : public Capability {
 public:
  /// The class of every support vector, one per centre.
  virtual const std::vector<Index>& support_classes() const = 0;
  /// One per machine.
  virtual const std::vector<MachineFacts>& machine_facts() const = 0;
};

class Tube : public Capability {
 public:
  /// ε per output, in the units of the target: half the width, its mean over the training rows where it differs.
  virtual const std::vector<double>& tube_widths() const = 0;
  /// At the support vectors: one row each, a column per output.
  virtual Matrix<double> support_widths() const = 0;
  /// Whether the width is known at new samples.
  virtual bool has_width_function() const = 0;
  /// At samples: n × outputs. InvalidArgument where it is not known.
  virtual Matrix<double> widths_at(const Samples& samples) const = 0;
};

}  // namespace mercer
