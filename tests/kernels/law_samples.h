// Samples that suit a kernel, for the tests that run over the whole registry.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "kernels/law_objects.h"
#include "mercer/base/random.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/spec.h"

namespace mercer::testing {

/// What the leaves of an expression need of their samples.
struct Needs {
  bool nonnegative = false;
  bool unit_ball = false;
  bool categories = false;
  bool index_column = false;
  bool gram_rows = false;
  /// What the leaves compare where they do not compare vectors.
  std::optional<KernelInput> objects = std::nullopt;
};

/// Whether a kernel on this input looks at numbers.
inline bool takes_vectors(KernelInput input) {
  return input == KernelInput::vectors || input == KernelInput::nonnegative_vectors ||
         input == KernelInput::categories || input == KernelInput::any;
}

inline void collect_needs(const KernelNode& node, Needs& needs) {
  const Domain domain = node.definiteness().domain;
  needs.nonnegative = needs.nonnegative || domain.nonnegative || node.entry().input == KernelInput::nonnegative_vectors;
  needs.unit_ball = needs.unit_ball || domain.inside_unit_ball;
  needs.categories = needs.categories || node.entry().input == KernelInput::categories;
  needs.index_column = needs.index_column || node.entry().name == "coregion" || node.entry().name == "cyclic";
  needs.gram_rows = needs.gram_rows || node.entry().name == "precomputed";
  if (!takes_vectors(node.entry().input)) {
    needs.objects = node.entry().input;
  }
  for (const Kernel& child : node.children()) {
    collect_needs(child.node(), needs);
  }
}

inline Needs needs_of(const Kernel& kernel) {
  Needs needs;
  collect_needs(kernel.node(), needs);
  return needs;
}

inline constexpr Index law_columns = 3;

/// n × 3 coordinates: standard normal, or inside the kernel's domain. Column 0 holds whole numbers 0 … 2 where a kernel
/// takes an index. About a quarter of the entries are zero where `zeros` says so.
enum class Zeros { none, some };
inline std::vector<double> law_values(const Needs& needs, Index n, std::uint64_t seed, Zeros zeros = Zeros::none) {
  RandomStream random(seed, 17);
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < law_columns; ++c) {
      double value = needs.nonnegative ? random.uniform() : random.normal();
      value *= needs.unit_ball ? 0.25 : 1.0;
      if (needs.unit_ball) {
        value = std::clamp(value, -0.5, 0.5);
      }
      if (zeros == Zeros::some && random.uniform() < 0.25) {
        value = 0;
      }
      if (needs.index_column && c == 0) {
        value = static_cast<double>(random.below(3));
      }
      values.push_back(value);
    }
  }
  return values;
}

/// A positive definite matrix for kernels that read their values from the samples.
inline std::vector<double> gram_values(Index n, std::uint64_t seed) {
  const std::vector<double> x = law_values({}, n, seed);
  std::vector<double> k;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double squared = 0;
      for (Index c = 0; c < law_columns; ++c) {
        const double difference = x[i * law_columns + c] - x[j * law_columns + c];
        squared += difference * difference;
      }
      k.push_back(std::exp(-squared / 2));
    }
  }
  return k;
}

inline Samples law_samples(const Kernel& kernel, Index n, std::uint64_t seed) {
  const Needs needs = needs_of(kernel);
  if (needs.objects) {
    return law_objects(*needs.objects, n, seed);
  }
  if (needs.gram_rows) {
    return make_dense(gram_values(n, seed), n, n);
  }
  return make_dense(law_values(needs, n, seed), n, law_columns);
}

/// Every example of every entry.
inline std::vector<std::string> all_examples() {
  std::vector<std::string> specs;
  for (const KernelEntry* entry : kernel_registry()) {
    specs.insert(specs.end(), entry->examples.begin(), entry->examples.end());
  }
  return specs;
}

/// A test name may hold letters, digits and _ only.
inline std::string test_name(std::size_t index, const std::string& spec) {
  std::string name = std::to_string(index) + "_";
  for (const char c : spec.substr(0, 60)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

}  // namespace mercer::testing
