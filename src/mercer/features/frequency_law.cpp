#include "mercer/features/frequency_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "mercer/base/special_functions.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/coordinate/laplacian.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/radial/radial_node.h"
#include "mercer/kernels/radial/rbf.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

using FrequencyDraw = std::function<void(RandomStream&, std::span<double>)>;

std::optional<FrequencyLaw> law_of(const Kernel& kernel, const Samples& scope);

std::optional<std::vector<FrequencyLaw>> laws_of(const std::vector<Kernel>& kernels, const Samples& scope) {
  std::vector<FrequencyLaw> laws;
  for (const Kernel& kernel : kernels) {
    std::optional<FrequencyLaw> law = law_of(kernel, scope);
    if (!law) {
      return std::nullopt;
    }
    laws.push_back(std::move(*law));
  }
  return laws;
}

bool all_shaped(const std::vector<FrequencyLaw>& laws) {
  return std::all_of(laws.begin(), laws.end(), [](const FrequencyLaw& law) { return law.shape != nullptr; });
}

std::optional<FrequencyLaw> mixture_law(const std::vector<Kernel>& terms, const Samples& scope) {
  auto laws = laws_of(terms, scope);
  if (!laws) {
    return std::nullopt;
  }
  double total = 0;
  for (const FrequencyLaw& law : *laws) {
    if (!(law.amplitude >= 0)) {
      return std::nullopt;
    }
    total += law.amplitude;
  }
  const auto chosen = [total](const std::vector<FrequencyLaw>& all, RandomStream& random) -> const FrequencyLaw& {
    double rest = random.uniform() * total;
    std::size_t c = 0;
    while (c + 1 < all.size() && rest >= all[c].amplitude) {
      rest -= all[c++].amplitude;
    }
    return all[c];
  };
  FrequencyDraw shape;
  if (all_shaped(*laws)) {
    shape = [laws = *laws, chosen](RandomStream& random, std::span<double> normals) {
      chosen(laws, random).shape(random, normals);
    };
  }
  return FrequencyLaw{total,
                      [laws = std::move(*laws), chosen](RandomStream& random, std::span<double> frequency) {
                        chosen(laws, random).draw(random, frequency);
                      },
                      std::move(shape)};
}

std::optional<FrequencyLaw> sum_of_frequencies(const std::vector<Kernel>& factors, const Samples& scope) {
  auto laws = laws_of(factors, scope);
  if (!laws || laws->empty()) {
    return std::nullopt;
  }
  double amplitude = 1;
  for (const FrequencyLaw& law : *laws) {
    amplitude *= law.amplitude;
  }
  const auto add_others = [](const std::vector<FrequencyLaw>& all, RandomStream& random, std::span<double> frequency) {
    std::vector<double> part(frequency.size());
    for (std::size_t c = 1; c < all.size(); ++c) {
      all[c].draw(random, part);
      for (std::size_t j = 0; j < part.size(); ++j) {
        frequency[j] += part[j];
      }
    }
  };
  FrequencyDraw shape;
  if (laws->front().shape) {
    shape = [laws = *laws, add_others](RandomStream& random, std::span<double> normals) {
      laws.front().shape(random, normals);
      add_others(laws, random, normals);
    };
  }
  return FrequencyLaw{amplitude,
                      [laws = std::move(*laws), add_others](RandomStream& random, std::span<double> frequency) {
                        laws.front().draw(random, frequency);
                        add_others(laws, random, frequency);
                      },
                      std::move(shape)};
}

// On some columns: gathers them, applies the inner law, writes zeros elsewhere.
FrequencyDraw on_columns(const FrequencyDraw& inner, std::vector<Index> columns) {
  if (!inner) {
    return {};
  }
  return [inner, columns = std::move(columns)](RandomStream& random, std::span<double> frequency) {
    std::vector<double> part;
    for (const Index column : columns) {
      part.push_back(frequency[column]);
    }
    inner(random, part);
    std::fill(frequency.begin(), frequency.end(), 0.0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      frequency[columns[c]] += part[c];
    }
  };
}

std::optional<FrequencyLaw> subscript_law(const KernelOnColumns& subscript, const Samples& scope) {
  const CategoriesAs categories = categories_seen_by(subscript.kernel);
  const Samples inner = select_columns(scope, subscript.columns, categories);
  if (!inner.is_numeric()) {
    return std::nullopt;
  }
  std::optional<FrequencyLaw> law = law_of(subscript.kernel, inner);
  if (!law) {
    return law;
  }
  const std::vector<Index> columns = selected_numeric_columns(scope, subscript.columns, categories);
  return FrequencyLaw{law->amplitude, on_columns(law->draw, columns), on_columns(law->shape, columns)};
}

// φ(factor ‖z − z'‖²) with z = weights ∘ x: frequencies are weights ∘ ν, ν of a law that only knows its length. The
// direction is that of the normals, the length that of a draw; for the Gaussian both are the normals'.
FrequencyDraw radial_shape(const RadialNode& node, const FrequencyDraw& draw) {
  std::vector<double> weights = node.geometry_key().weights;
  if (&node.entry() == &rbf_entry()) {
    return [weights, stretch = std::sqrt(2 * node.factor())](RandomStream& /*random*/, std::span<double> normals) {
      for (std::size_t c = 0; c < normals.size(); ++c) {
        normals[c] *= stretch * (weights.empty() ? 1.0 : weights[c]);
      }
    };
  }
  return [weights, draw](RandomStream& random, std::span<double> normals) {
    std::vector<double> drawn(normals.size());
    draw(random, drawn);
    double length = 0;
    double norm = 0;
    for (std::size_t c = 0; c < normals.size(); ++c) {
      const double weight = weights.empty() ? 1.0 : weights[c];
      if (weight > 0) {
        length += drawn[c] / weight * (drawn[c] / weight);
        norm += normals[c] * normals[c];
      }
    }
    const double factor = norm > 0 ? std::sqrt(length / norm) : 0.0;
    for (std::size_t c = 0; c < normals.size(); ++c) {
      normals[c] *= factor * (weights.empty() ? 1.0 : weights[c]);
    }
  };
}

FrequencyDraw laplacian_shape(double gamma) {
  return [gamma](RandomStream& /*random*/, std::span<double> normals) {
    for (double& value : normals) {
      // tan(π(Φ(g) − ½)), from the nearer tail.
      const double tail = normal_cumulative(-std::abs(value));
      value = std::copysign(gamma / std::tan(std::numbers::pi * tail), value);
    }
  };
}

std::optional<FrequencyLaw> law_of(const Kernel& kernel, const Samples& scope) {
  if (const auto subscript = as_columns(kernel)) {
    return subscript_law(*subscript, scope);
  }
  if (const auto terms = as_sum(kernel)) {
    return mixture_law(*terms, scope);
  }
  if (const auto factors = as_product(kernel)) {
    return sum_of_frequencies(*factors, scope);
  }
  if (const auto scale = as_scale(kernel)) {
    std::optional<FrequencyLaw> law = law_of(scale->kernel, scope);
    if (law) {
      law->amplitude *= scale->factor.value_or(1);
    }
    return law;
  }
  const KernelNode& node = kernel.node();
  const Samples numeric = default_columns(scope);
  if (!numeric.is_numeric()) {
    return std::nullopt;
  }
  std::optional<SpectralSampler> sampler = node.spectral_sampler(numeric.columns());
  if (!sampler) {
    return std::nullopt;
  }
  FrequencyDraw shape;
  if (const auto* radial = dynamic_cast<const RadialNode*>(&node)) {
    shape = radial_shape(*radial, sampler->draw);
  } else if (&node.entry() == &laplacian_entry()) {
    shape = laplacian_shape(node.parameters().number_or("gamma", 1));
  }
  return FrequencyLaw{sampler->amplitude, std::move(sampler->draw), std::move(shape)};
}

}  // namespace

std::optional<FrequencyLaw> frequency_law(const Kernel& kernel, const Samples& samples) {
  std::optional<FrequencyLaw> law = law_of(kernel, samples);
  return law && law->amplitude >= 0 ? law : std::nullopt;
}

}  // namespace mercer
