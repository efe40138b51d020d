#include "mercer/kernels/registry.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/algebra/center.h"
#include "mercer/kernels/algebra/changepoint.h"
#include "mercer/kernels/algebra/columns.h"
#include "mercer/kernels/algebra/conformal.h"
#include "mercer/kernels/algebra/exp.h"
#include "mercer/kernels/algebra/features.h"
#include "mercer/kernels/algebra/from_cpd.h"
#include "mercer/kernels/algebra/if_present.h"
#include "mercer/kernels/algebra/iterated.h"
#include "mercer/kernels/algebra/log.h"
#include "mercer/kernels/algebra/normalize.h"
#include "mercer/kernels/algebra/power.h"
#include "mercer/kernels/algebra/product.h"
#include "mercer/kernels/algebra/rbf_of.h"
#include "mercer/kernels/algebra/root.h"
#include "mercer/kernels/algebra/scale.h"
#include "mercer/kernels/algebra/sum.h"
#include "mercer/kernels/algebra/transform.h"
#include "mercer/kernels/algebra/version_space.h"
#include "mercer/kernels/algebra/warp.h"
#include "mercer/kernels/coordinate/anova.h"
#include "mercer/kernels/coordinate/bspline.h"
#include "mercer/kernels/coordinate/chi2.h"
#include "mercer/kernels/coordinate/constant.h"
#include "mercer/kernels/coordinate/coregion.h"
#include "mercer/kernels/coordinate/cyclic.h"
#include "mercer/kernels/coordinate/dirichlet.h"
#include "mercer/kernels/coordinate/hamming.h"
#include "mercer/kernels/coordinate/intersection.h"
#include "mercer/kernels/coordinate/laplacian.h"
#include "mercer/kernels/coordinate/periodic.h"
#include "mercer/kernels/coordinate/periodic_gaussian.h"
#include "mercer/kernels/coordinate/periodized.h"
#include "mercer/kernels/coordinate/precomputed.h"
#include "mercer/kernels/coordinate/rank_one.h"
#include "mercer/kernels/coordinate/spectral_mixture.h"
#include "mercer/kernels/coordinate/spline.h"
#include "mercer/kernels/dot/arccos.h"
#include "mercer/kernels/dot/cosine.h"
#include "mercer/kernels/dot/dot_series.h"
#include "mercer/kernels/dot/legendre_series.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/dot/neural.h"
#include "mercer/kernels/dot/poly.h"
#include "mercer/kernels/dot/sigmoid.h"
#include "mercer/kernels/dot/vovk.h"
#include "mercer/kernels/dot/vovk_infinite.h"
#include "mercer/kernels/generative/generative_kernels.h"
#include "mercer/kernels/graph/graph_kernels.h"
#include "mercer/kernels/image/image_kernels.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/radial/ball_spline.h"
#include "mercer/kernels/radial/cauchy.h"
#include "mercer/kernels/radial/exponential.h"
#include "mercer/kernels/radial/inverse_multiquadric.h"
#include "mercer/kernels/radial/inverse_polynomial.h"
#include "mercer/kernels/radial/inverse_quadratic.h"
#include "mercer/kernels/radial/log_distance.h"
#include "mercer/kernels/radial/matern.h"
#include "mercer/kernels/radial/multiquadric.h"
#include "mercer/kernels/radial/negative_distance.h"
#include "mercer/kernels/radial/power_exponential.h"
#include "mercer/kernels/radial/radial_spectrum.h"
#include "mercer/kernels/radial/rbf.h"
#include "mercer/kernels/radial/rq.h"
#include "mercer/kernels/radial/sobolev.h"
#include "mercer/kernels/radial/thin_plate.h"
#include "mercer/kernels/radial/wendland.h"
#include "mercer/kernels/set/set_kernels.h"
#include "mercer/kernels/string/alignment_kernels.h"
#include "mercer/kernels/string/substring_kernels.h"
#include "mercer/kernels/string/text_kernels.h"

namespace mercer {

namespace {

using Entries = std::vector<const KernelEntry*>;

Entries vector_kernels() {
  const Entries entries = {
      // Functions of the distance
      &rbf_entry(),
      &exponential_entry(),
      &power_exponential_entry(),
      &matern_entry(),
      &rq_entry(),
      &cauchy_entry(),
      &inverse_multiquadric_entry(),
      &inverse_quadratic_entry(),
      &inverse_polynomial_entry(),
      &wendland_entry(),
      &ball_spline_entry(),
      &sobolev_entry(),
      &radial_spectrum_entry(),
      &multiquadric_entry(),
      &negative_distance_entry(),
      &log_distance_entry(),
      &thin_plate_entry(),
      // Functions of the inner product
      &linear_entry(),
      &poly_entry(),
      &sigmoid_entry(),
      &cosine_entry(),
      &arccos_entry(),
      &neural_entry(),
      &vovk_entry(),
      &vovk_infinite_entry(),
      &dot_series_entry(),
      &legendre_series_entry(),
      // Coordinate by coordinate
      &laplacian_entry(),
      &periodic_entry(),
      &locally_periodic_entry(),
      &spectral_mixture_entry(),
      &chi2_entry(),
      &additive_chi2_entry(),
      &intersection_entry(),
      &anova_entry(),
      &anovadot_entry(),
      &spline_entry(),
      &bspline_entry(),
      &dirichlet_entry(),
      &periodic_gaussian_entry(),
      &periodized_entry(),
      &hamming_entry(),
      &delta_entry(),
      &coregion_entry(),
      &cyclic_entry(),
      &rank_one_entry(),
      &constant_entry(),
      &white_entry(),
      &precomputed_entry(),
  };
  return entries;
}

Entries constructions() {
  const Entries entries = {
      &sum_entry(),      &product_entry(),     &scale_entry(),     &power_entry(),      &columns_entry(),
      &exp_entry(),      &log_entry(),         &root_entry(),      &normalize_entry(),  &center_entry(),
      &iterated_entry(), &from_cpd_entry(),    &conformal_entry(), &warp_entry(),       &transform_entry(),
      &features_entry(), &changepoint_entry(), &rbf_of_entry(),    &if_present_entry(), &version_space_entry(),
  };
  return entries;
}

}  // namespace

std::span<const KernelEntry* const> kernel_registry() {
  static const Entries entries = [] {
    Entries all;
    for (const Entries& family :
         {vector_kernels(), substring_kernels(), alignment_kernels(), text_kernels(), set_kernels(), graph_kernels(),
          image_kernels(), generative_kernels(), constructions()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return entries;
}

const KernelEntry* find_kernel(std::string_view name, std::span<const KernelEntry* const> own) {
  for (const auto entries : {own, kernel_registry()}) {
    for (const KernelEntry* entry : entries) {
      if (entry->name == name ||
          std::find(entry->aliases.begin(), entry->aliases.end(), name) != entry->aliases.end()) {
        return entry;
      }
    }
  }
  return nullptr;
}

std::vector<std::string> kernel_names(std::span<const KernelEntry* const> own) {
  std::vector<std::string> names;
  for (const auto entries : {own, kernel_registry()}) {
    for (const KernelEntry* entry : entries) {
      names.push_back(entry->name);
      names.insert(names.end(), entry->aliases.begin(), entry->aliases.end());
    }
  }
  return names;
}

void require_own_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || !is_letter(name.front()) || !std::ranges::all_of(name, is_part)) {
    throw InvalidArgument("'" + name + "' is no name of a kernel: letters, digits and _ are, beginning with a letter");
  }
  if (find_kernel(name) != nullptr) {
    throw InvalidArgument("there is a kernel '" + name + "' in the registry: yours needs a name of its own");
  }
}

Kernel make_kernel(const KernelEntry& entry, std::vector<std::pair<std::string, ParameterValue>> parameters,
                   std::vector<Kernel> children) {
  if (find_kernel(entry.name) != &entry) {
    require_own_name(entry.name);
  }
  const auto count = static_cast<int>(children.size());
  if (count < entry.fewest_children || count > entry.most_children) {
    const std::string wanted =
        entry.fewest_children == entry.most_children
            ? std::to_string(entry.fewest_children)
            : std::to_string(entry.fewest_children) + " to " + std::to_string(entry.most_children);
    throw InvalidArgument(entry.name + " takes " + wanted + " kernels as arguments, not " + std::to_string(count));
  }
  // Nested sums and products are one, however they were built.
  if (&entry == &sum_entry()) {
    return sum(std::move(children));
  }
  if (&entry == &product_entry()) {
    return product(std::move(children));
  }
  return Kernel(
      entry.make(entry, ParameterList(entry.name, entry.parameters, std::move(parameters)), std::move(children)));
}

Kernel make_kernel(std::string_view name, std::vector<std::pair<std::string, ParameterValue>> parameters,
                   std::vector<Kernel> children) {
  const KernelEntry* const entry = find_kernel(name);
  if (entry == nullptr) {
    throw InvalidArgument("there is no kernel '" + std::string(name) + "'." + did_you_mean(name, kernel_names()));
  }
  return make_kernel(*entry, std::move(parameters), std::move(children));
}

}  // namespace mercer
