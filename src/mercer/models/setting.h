// A value of an option as text, as it stands in `--set` and in a model file.
#pragma once

#include <string>

namespace mercer {

struct OptionSetting {
  std::string name;
  std::string value;
  bool operator==(const OptionSetting&) const = default;
};

}  // namespace mercer
