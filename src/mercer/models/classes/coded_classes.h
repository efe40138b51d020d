// Classes that are decided by the signs of several machines, as a capability of models (models/capability.h).
#pragma once

#include "mercer/models/capability.h"
#include "mercer/models/classes/class_code.h"

namespace mercer {

class CodedClasses : public Capability {
 public:
  virtual const ClassCode& code() const = 0;
};

}  // namespace mercer
