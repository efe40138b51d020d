#include "mercer/expansion/reduced_set/quadratic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/dot/poly.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

bool is_quadratic_form(const Kernel& kernel) {
  if (const auto scale = as_scale(kernel)) {
    return scale->factor.value_or(0) > 0 && is_quadratic_form(scale->kernel);
  }
  const KernelNode& node = kernel.node();
  return &node.entry() == &poly_entry() && node.children().empty() && node.parameters().integer("degree") == 2 &&
         node.parameters().number("coef0") == 0;
}

ReducedSet reduce_quadratic(const ReductionTarget& target, Index size, const Run& run) {
  if (!is_quadratic_form(target.kernel()) || target.outputs() != 1) {
    throw InvalidArgument("the exact reduced set is for one function of poly(degree=2, coef0=0), not for " +
                          std::to_string(target.outputs()) + " of " + target.kernel().spec());
  }
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
  const Matrix<double> x = points_of(target.centers());
  const Index d = x.columns();
  Matrix<double> weighted = Matrix<double>::copy_of(x.view());
  for (Index i = 0; i < x.rows(); ++i) {
    scale(target.coefficients()(i, 0), weighted.view().row(i));
  }
  Matrix<double> s(d, d);
  parallel_gemm<double>(1.0, x.view(), Transpose::yes, weighted.view(), Transpose::no, 0.0, s.view(), run);
  const SymmetricEigen<double> eigen = symmetric_eigen(s.view(), run);
  std::vector<Index> order(d);
  std::iota(order.begin(), order.end(), Index{0});
  const auto magnitude = [&](Index r) { return std::abs(eigen.values[r]); };
  std::ranges::stable_sort(order, [&](Index a, Index b) { return magnitude(a) > magnitude(b); });
  // Eigenvalues at the level of rounding are 0.
  const double least = d == 0 ? 0.0 : 1e-14 * static_cast<double>(d) * magnitude(order.front());
  Index n = std::min(size, d);
  while (n > 0 && magnitude(order[n - 1]) <= least) {
    --n;
  }
  Matrix<double> z(n, d);
  Matrix<double> beta(n, 1);
  for (Index r = 0; r < n; ++r) {
    const Index at = order[r];
    for (Index c = 0; c < d; ++c) {
      z(r, c) = std::sqrt(magnitude(at)) * eigen.vectors(c, at);
    }
    beta(r, 0) = eigen.values[at] < 0 ? -1.0 : 1.0;
  }
  ReducedSet set{points_like(target.centers(), z.view()), std::move(beta), {}};
  set.squared_errors = reduction_errors(target, set.centers, set.coefficients.view(), run);
  return set;
}

}  // namespace mercer
