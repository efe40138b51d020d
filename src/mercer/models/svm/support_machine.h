// What support vector machines are made of, as capabilities of models (models/capability.h).
#pragma once

#include <vector>

#include "mercer/expansion/expansion.h"
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
  /// ε per output, in the units of the target.
  virtual const std::vector<double>& tube_widths() const = 0;
};

}  // namespace mercer
