// Settings that laws over the registry try: every word and every yes/no of a model's options, one at a time.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/text.h"
#include "mercer/models/model.h"

namespace mercer::testing {

/// Of an option that takes words, or yes and no; none of any other.
inline const std::vector<std::string>& words_of(const OptionDescription& option) { return option.words; }

/// The defaults first.
inline std::vector<std::vector<OptionSetting>> word_variants(const ModelEntry& entry) {
  std::vector<std::vector<OptionSetting>> variants = {{}};
  for (const OptionDescription& option : entry.options) {
    for (const std::string& word : words_of(option)) {
      if (word != option.default_value) {
        variants.push_back({{option.name, word}});
      }
    }
  }
  return variants;
}

/// "C=2 loss=hinge" as settings.
inline std::vector<OptionSetting> settings_of_text(const std::string& text) {
  std::vector<OptionSetting> settings;
  for (const std::string& part : split(text, ' ')) {
    const std::vector<std::string> sides = split(part, '=');
    settings.push_back({sides[0], sides[1]});
  }
  return settings;
}

/// And back.
inline std::string text_of(const std::vector<OptionSetting>& settings) {
  std::string text;
  for (const OptionSetting& setting : settings) {
    text += (text.empty() ? "" : " ") + setting.name + "=" + setting.value;
  }
  return text;
}

}  // namespace mercer::testing
