// A model as it is written: with further annotations beside those that it has. The model itself is shared, not copied, and
// stays as it is.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mercer/models/stored_model.h"

namespace mercer::python {

class AnnotatedModel {
 public:
  /// Annotations of the same front are replaced. The model must outlive this.
  AnnotatedModel(const StoredModel& stored, const std::map<std::string, std::string>& more)
      : annotated_{
            .model = {}, .preparation = stored.preparation, .label_kind = stored.label_kind, .annotations = more} {
    annotated_.annotations.insert(stored.annotations.begin(), stored.annotations.end());
    annotated_.model.reset(stored.model.get());  // last: nothing may throw once it is held
  }
  ~AnnotatedModel() { static_cast<void>(annotated_.model.release()); }  // its owner is another
  AnnotatedModel(const AnnotatedModel&) = delete;
  AnnotatedModel& operator=(const AnnotatedModel&) = delete;

  const StoredModel& get() const { return annotated_; }

 private:
  StoredModel annotated_;
};

}  // namespace mercer::python
