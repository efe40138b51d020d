// A measure of a fit's report, by its name.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "mercer/models/model.h"

namespace mercer::testing {

inline double measure(const FitReport& report, std::string_view name) {
  for (const FitReport::Measure& item : report.measures) {
    if (item.name == name) {
      return item.value;
    }
  }
  ADD_FAILURE() << "the report has no measure " << name;
  return std::nan("");
}

inline double measure(const FittedModel& model, std::string_view name) { return measure(model.report(), name); }

}  // namespace mercer::testing
