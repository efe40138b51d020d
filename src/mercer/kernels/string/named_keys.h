// NamedKeys: names for many features of one text, found in one walk through it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace mercer {

class NamedKeys {
 public:
  explicit NamedKeys(std::span<const std::uint64_t> keys) : keys_(keys.begin(), keys.end()) {
    for (const std::uint64_t key : keys) {
      names_.emplace(key, std::string());
    }
  }

  /// Where the name of the feature belongs; null where it has one, or nobody asked for it.
  std::string* unnamed(std::uint64_t key) {
    const auto found = names_.find(key);
    return found == names_.end() || !found->second.empty() ? nullptr : &found->second;
  }

  /// In the order of the keys; `otherwise(key)` for those that no walk met.
  template <class F>
  std::vector<std::string> names(F otherwise) const {
    std::vector<std::string> names;
    names.reserve(keys_.size());
    for (const std::uint64_t key : keys_) {
      const std::string& name = names_.at(key);
      names.push_back(name.empty() ? otherwise(key) : name);
    }
    return names;
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::unordered_map<std::uint64_t, std::string> names_;
};

}  // namespace mercer
