#include "mercer/solvers/convex/interior/infeasibility.h"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"
#include "mercer/solvers/convex/program/program_proofs.h"
#include "mercer/solvers/convex/program/program_units.h"

namespace mercer {

namespace {

constexpr InteriorPointOptions proof_options{.tolerance = 1e-10, .certificates = Certificates::off};
constexpr double infinite_bound = std::numeric_limits<double>::infinity();

// (B, I) without the identity's columns of other rows: B beside a block of zeros with ones from `first` on.
Matrix<double> with_slacks(ConstMatrixView<double> rows, Index columns, Index slacks, Index first) {
  Matrix<double> wide = Matrix<double>::filled(rows.rows(), columns + slacks, 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    // Rows of the same size, so that one of a small unit is not given up first.
    const double size = largest_size(rows.row(i));
    std::copy_n(rows.row_data(i), columns, wide.view().row_data(i));
    wide(i, columns + first + i) = size > 0 ? size : 1.0;
  }
  return wide;
}

// The directions in which [lower, upper] has no end.
std::pair<double, double> directions(double lower, double upper) {
  return {std::isfinite(lower) ? 0.0 : -infinite_bound, std::isfinite(upper) ? 0.0 : infinite_bound};
}

void scale_to_one(FarkasCertificate& certificate) {
  const double size = std::max(largest_size(certificate.equality), largest_size(certificate.range));
  if (size > 0) {
    scale(1 / size, certificate.equality);
    scale(1 / size, certificate.range);
  }
}

// Multipliers that count for nothing, and those of bounds that do not exist.
void clean_certificate(const ConvexProgram& program, FarkasCertificate& certificate) {
  for (std::size_t i = 0; i < certificate.range.size(); ++i) {
    const double v = certificate.range[i];
    const auto row = static_cast<Index>(i);
    if (!std::isfinite(v > 0 ? program.range_lower_of(row) : program.range_upper_of(row))) {
      certificate.range[i] = 0;
    }
  }
}

}  // namespace

bool proves_infeasible(const ConvexProgram& program, const FarkasCertificate& certificate, double rounding,
                       const Run& run) {
  const FarkasReport report = check_farkas(program, certificate, run);
  return report.relative_margin > 1e-7 && report.violation <= rounding;
}

std::optional<FarkasCertificate> find_farkas_certificate(const ConvexProgram& program, const Run& run) {
  const Index n = program.size();
  const Index equalities = program.equality.rows();
  const Index ranges = program.range.rows();
  const Index slacks = equalities + ranges;
  if (slacks == 0) {
    return std::nullopt;
  }
  const Matrix<double> equality = with_slacks(program.equality, n, slacks, 0);
  const Matrix<double> range = with_slacks(program.range, n, slacks, equalities);
  std::vector<double> diagonal(static_cast<std::size_t>(n + slacks), 0.0);
  std::fill(diagonal.begin() + n, diagonal.end(), 1.0);
  ConvexProgram elastic = program;
  elastic.separable = nullptr;
  elastic.quadratic = std::make_shared<DiagonalQuadratic>(std::move(diagonal));
  elastic.linear.assign(static_cast<std::size_t>(n + slacks), 0.0);
  elastic.equality = equality.view();
  elastic.range = range.view();
  if (!elastic.lower.empty()) {
    elastic.lower.resize(static_cast<std::size_t>(n + slacks), -infinite_bound);
  }
  if (!elastic.upper.empty()) {
    elastic.upper.resize(static_cast<std::size_t>(n + slacks), infinite_bound);
  }
  const ConvexSolution nearest = solve_convex_program(elastic, proof_options, run);
  FarkasCertificate certificate{nearest.point.equality_multipliers, nearest.point.range_multipliers};
  clean_certificate(program, certificate);
  scale_to_one(certificate);
  if (!proves_infeasible(program, certificate, 1e-9, run)) {
    return std::nullopt;
  }
  certificate.margin = check_farkas(program, certificate, run).margin;
  return certificate;
}

std::optional<std::vector<double>> find_ray(const ConvexProgram& program, const Run& run) {
  const Index n = program.size();
  const double slope = largest_size(program.linear);
  if (slope == 0) {
    return std::nullopt;
  }
  ConvexProgram search;
  search.quadratic = program.has_quadratic()
                         ? program.quadratic
                         : std::make_shared<DiagonalQuadratic>(std::vector<double>(static_cast<std::size_t>(n), 1.0));
  search.linear.assign(static_cast<std::size_t>(n), 0.0);
  Matrix<double> equality(program.equality.rows() + 1, n);
  for (Index i = 0; i < program.equality.rows(); ++i) {
    std::copy_n(program.equality.row_data(i), n, equality.view().row_data(i));
  }
  std::copy(program.linear.begin(), program.linear.end(), equality.view().row_data(program.equality.rows()));
  search.equality = equality.view();
  search.equality_values.assign(static_cast<std::size_t>(equality.rows()), 0.0);
  search.equality_values.back() = -slope;
  search.range = program.range;
  for (Index i = 0; i < program.range.rows(); ++i) {
    const auto [lower, upper] = directions(program.range_lower_of(i), program.range_upper_of(i));
    search.range_lower.push_back(lower);
    search.range_upper.push_back(upper);
  }
  for (Index j = 0; j < n; ++j) {
    auto [lower, upper] = directions(program.lower_of(j), program.upper_of(j));
    if (program.separable != nullptr && program.separable->present(j)) {
      lower = upper = 0;
    }
    search.lower.push_back(lower);
    search.upper.push_back(upper);
  }
  std::vector<double> ray = solve_convex_program(search, proof_options, run).point.x;
  const double size = largest_size(ray);
  if (!(size > 0)) {
    return std::nullopt;
  }
  scale(1 / size, ray);
  const RayReport report = check_ray(program, ray, run);
  if (!(report.slope < -1e-7 && report.violation <= 1e-7)) {
    return std::nullopt;
  }
  return ray;
}

}  // namespace mercer
