#include "mercer/select/estimates/free_support.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky.h"

namespace mercer {

namespace {

std::size_t sums_of(HeldSums held) { return held == HeldSums::none ? 0 : held == HeldSums::all ? 1 : 2; }

std::size_t held_sum_of(HeldSums held, double coefficient) {
  return held == HeldSums::each_sign && coefficient < 0 ? 1 : 0;
}

void compute_means(FreeSupport& part) {
  const Index f = part.size();
  const auto sums = static_cast<Index>(part.counts.size());
  part.means = Matrix<double>::filled(sums, f, 0.0);
  part.total_means = Matrix<double>::filled(sums, sums, 0.0);
  for (Index i = 0; i < f && sums > 0; ++i) {
    const auto own = static_cast<Index>(part.group[i]);
    for (Index j = 0; j < f; ++j) {
      part.means(own, j) += part.kernel(i, j) / static_cast<double>(part.counts[own]);
    }
  }
  for (Index g = 0; g < sums; ++g) {
    for (Index j = 0; j < f; ++j) {
      const std::size_t other = part.group[j];
      part.total_means(g, static_cast<Index>(other)) += part.means(g, j) / static_cast<double>(part.counts[other]);
    }
  }
}

// (PKP)_ij
double centered_kernel(const FreeSupport& part, Index i, Index j) {
  if (part.counts.empty()) {
    return part.kernel(i, j);
  }
  const auto a = static_cast<Index>(part.group[i]);
  const auto b = static_cast<Index>(part.group[j]);
  return part.kernel(i, j) - part.means(a, j) - part.means(b, i) + part.total_means(a, b);
}

// The inverse of PKP + t Σ_g e_g e_gᵀ/f_g + ε1 less its part along the e_g. False where no small ε makes it positive.
bool invert_centered(FreeSupport& part, const Run& run) {
  const Index f = part.size();
  const double t = part.scale > 0 ? part.scale : 1;
  // What `along` has along the indicator of a group, in every entry of the group's block.
  const auto shared = [&](Index i, Index j, double along) {
    const std::size_t own = part.group[i];
    const bool same = !part.counts.empty() && own == part.group[j];
    return same ? along / static_cast<double>(part.counts[own]) : 0.0;
  };
  for (double jitter = 1e-13 * t; jitter <= 1e-6 * t; jitter *= 10) {
    part.inverse = Matrix<double>(f, f);
    for (Index i = 0; i < f; ++i) {
      for (Index j = 0; j < f; ++j) {
        part.inverse(i, j) = centered_kernel(part, i, j) + shared(i, j, t);
      }
      part.inverse(i, i) += jitter;
    }
    if (!try_cholesky(part.inverse.view(), run).ok) {
      continue;
    }
    cholesky_inverse(part.inverse.view(), run);
    for (Index i = 0; i < f; ++i) {
      for (Index j = 0; j <= i; ++j) {
        part.inverse(i, j) -= shared(i, j, 1 / (t + jitter));
        part.inverse(j, i) = part.inverse(i, j);
      }
    }
    return true;
  }
  return false;
}

// How the offset follows the levels of the held sums: free rows stay on their margins.
double offset_change(HeldSums held, const std::vector<double>& levels) {
  return held == HeldSums::all ? -levels[0] : held == HeldSums::each_sign ? -(levels[0] + levels[1]) / 2 : 0.0;
}

// Without a bound row: δ = p + u takes its place, p = e_g/f_g and u = (PKP)⁺(k − Kp).
double change_without_bound(const FreeSupport& part, std::size_t own, std::span<const double> k, double diagonal) {
  const Index f = part.size();
  const bool held = !part.counts.empty();
  const auto g = static_cast<Index>(own);
  std::vector<double> rest(k.begin(), k.end());
  for (Index i = 0; held && i < f; ++i) {
    rest[i] -= part.means(g, i);
  }
  std::vector<double> taken(rest.size(), 0.0);
  for (Index i = 0; i < f; ++i) {
    const std::span<const double> row = std::as_const(part.inverse).view().row(i);
    taken[i] = std::inner_product(row.begin(), row.end(), rest.begin(), 0.0);
    if (held && part.group[i] == own) {
      taken[i] += 1 / static_cast<double>(part.counts[own]);
    }
  }
  // (K(p+u) − k) is the level of its group at every free row.
  std::vector<double> levels(part.counts.size(), 0.0);
  for (Index h = 0; h < static_cast<Index>(levels.size()); ++h) {
    const std::span<const double> mean = std::as_const(part.means).view().row(h);
    levels[h] = std::inner_product(mean.begin(), mean.end(), taken.begin(), 0.0);
  }
  for (std::size_t i = 0; held && i < k.size(); ++i) {
    levels[part.group[i]] -= k[i] / static_cast<double>(part.counts[part.group[i]]);
  }
  const double change = std::inner_product(k.begin(), k.end(), taken.begin(), 0.0) - diagonal;
  return -(change + offset_change(part.held, levels));
}

}  // namespace

std::optional<FreeSupport> free_support(const Gram<double>& gram, std::vector<Index> free,
                                        std::span<const double> coefficients, HeldSums held, const Run& run) {
  FreeSupport part;
  part.held = held;
  part.rows = std::move(free);
  part.counts.assign(sums_of(held), 0);
  for (const Index row : part.rows) {
    part.group.push_back(held_sum_of(held, coefficients[row]));
    if (held != HeldSums::none) {
      ++part.counts[part.group.back()];
    }
  }
  if (part.rows.empty() || std::ranges::count(part.counts, 0) > 0) {
    return std::nullopt;
  }
  part.kernel = Matrix<double>(part.size(), part.size());
  gram.gather(part.rows, part.rows, part.kernel.view(), run);
  compute_means(part);
  for (Index i = 0; i < part.size(); ++i) {
    part.scale += centered_kernel(part, i, i);
  }
  part.scale = std::max(part.scale / static_cast<double>(part.size()), 0.0);
  if (!invert_centered(part, run)) {
    return std::nullopt;
  }
  return part;
}

double unit_change_without(const FreeSupport& part, Index l) {
  const double pivot = part.inverse(l, l);
  const std::size_t own = part.group[l];
  if (!(pivot > 0) || (part.held != HeldSums::none && part.counts[own] == 1)) {
    return std::numeric_limits<double>::infinity();
  }
  if (part.held != HeldSums::each_sign) {
    return 1 / pivot;  // the offset takes the level back
  }
  // δ = −N_l/N_ll is the change of the coefficients; (Kδ)_i is the level of its group, and 1/N_ll less at l itself.
  std::vector<double> levels(2, 0.0);
  for (Index h = 0; h < 2; ++h) {
    for (Index i = 0; i < part.size(); ++i) {
      levels[h] -= part.means(h, i) * part.inverse(i, l) / pivot;
    }
  }
  levels[own] += 1 / (pivot * static_cast<double>(part.counts[own]));
  return 1 / pivot - levels[own] - offset_change(part.held, levels);
}

std::vector<double> unit_changes_without(const Gram<double>& gram, const FreeSupport& part,
                                         const std::vector<Index>& bound, std::span<const double> coefficients,
                                         const Run& run) {
  const auto count = static_cast<Index>(bound.size());
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  Matrix<double> cross(count, part.size());
  gram.gather(bound, part.rows, cross.view(), run);
  std::vector<double> changes(bound.size());
  constexpr Index rows_per_task = 16;
  parallel_for(run, block_count(count, rows_per_task), [&](Index task) {
    const IndexRange range = block_range(count, rows_per_task, task);
    for (Index a = range.begin; a < range.end; ++a) {
      const auto row = static_cast<std::size_t>(bound[a]);
      changes[a] = change_without_bound(part, held_sum_of(part.held, coefficients[row]),
                                        std::as_const(cross).view().row(a), diagonal[row]);
    }
  });
  return changes;
}

}  // namespace mercer
