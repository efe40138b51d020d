// Geometry of expansions in their kernel's space.
#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

bool same_centers(const Expansion& f, const Expansion& g) {
  const Samples& a = f.centers();
  const Samples& b = g.centers();
  if (a.origin() != b.origin() || a.size() != b.size()) {
    return false;
  }
  for (Index i = 0; i < a.size(); ++i) {
    if (a.row_id(i) != b.row_id(i)) {
      return false;
    }
  }
  return true;
}

void require_same_space(const Expansion& f, const Expansion& g) {
  if (!(f.kernel() == g.kernel())) {
    throw InvalidArgument("expansions in different spaces: " + f.kernel().spec() + " and " + g.kernel().spec());
  }
  if (f.outputs() != g.outputs()) {
    throw InvalidArgument("expansions of " + std::to_string(f.outputs()) + " and " + std::to_string(g.outputs()) +
                          " outputs");
  }
  if (f.kernel().node().depends_on_reference() && !same_centers(f, g)) {
    throw InvalidArgument("the kernel " + f.kernel().spec() +
                          " depends on its centres, so that expansions with other centres lie in another space");
  }
}

// Σ_ij α_io k(z_i, z'_j) α'_jo, with z the reference samples.
std::vector<double> form(const Kernel& kernel, const Samples& z, ConstMatrixView<double> alpha, const Samples& other,
                         ConstMatrixView<double> beta, const Run& run) {
  std::vector<double> result(alpha.columns(), 0.0);
  if (z.size() == 0 || other.size() == 0 || alpha.columns() == 0) {
    return result;
  }
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, z, Precision::double_precision, run);
  Matrix<double> values(other.size(), alpha.columns());
  CrossGram<double>(prepared, other, run).multiply(alpha, values.view(), run);
  for (Index j = 0; j < values.rows(); ++j) {
    for (Index o = 0; o < values.columns(); ++o) {
      result[o] += beta(j, o) * values(j, o);
    }
  }
  return result;
}

std::vector<double> clamped(std::vector<double> values) {
  for (double& value : values) {
    value = std::max(value, 0.0);
  }
  return values;
}

}  // namespace

std::vector<double> inner_product(const Expansion& f, const Expansion& g, const Run& run) {
  require_same_space(f, g);
  return form(f.kernel(), f.centers(), f.coefficients(), g.centers(), g.coefficients(), run);
}

std::vector<double> squared_norm(const Expansion& f, const Run& run) { return clamped(inner_product(f, f, run)); }

std::vector<double> squared_distance(const Expansion& f, const Expansion& g, const Run& run) {
  require_same_space(f, g);
  if (same_centers(f, g)) {
    // The difference is itself an expansion: no cancellation between three large forms.
    auto difference = Matrix<double>::copy_of(f.coefficients());
    for (Index i = 0; i < difference.rows(); ++i) {
      for (Index o = 0; o < difference.columns(); ++o) {
        difference(i, o) -= g.coefficients()(i, o);
      }
    }
    return clamped(form(f.kernel(), f.centers(), difference.view(), f.centers(), difference.view(), run));
  }
  std::vector<double> result = squared_norm(f, run);
  const std::vector<double> other = squared_norm(g, run);
  const std::vector<double> mixed = inner_product(f, g, run);
  for (std::size_t o = 0; o < result.size(); ++o) {
    result[o] += other[o] - 2 * mixed[o];
  }
  return clamped(std::move(result));
}

}  // namespace mercer
