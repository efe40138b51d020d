#include "mercer/models/required_definiteness.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/definiteness_on.h"

namespace mercer {

namespace {

// Numbers of numeric columns; all of them without references.
std::vector<Index> columns_of(const ColumnSelection& selection, const Samples& samples,
                              CategoriesAs categories = CategoriesAs::columns) {
  if (!selection.references.empty()) {
    return selected_numeric_columns(samples, selection, categories);
  }
  const Samples numeric = default_columns(samples);
  std::vector<Index> all(numeric.is_numeric() ? static_cast<std::size_t>(numeric.columns()) : 0);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

bool contains(const std::vector<Index>& columns, const std::vector<Index>& wanted) {
  return std::ranges::all_of(wanted, [&](Index j) { return std::ranges::find(columns, j) != columns.end(); });
}

// from_cpd moves the origin of feature space to a point: ½(k(x,y) − k(x,z) − k(z,y) + k(z,z)), positive for order 1.
std::string positive_instead(const Kernel& kernel, int order) {
  return (order == 1 ? "Use from_cpd(" + kernel.spec() +
                           "), which has the same distances up to a factor and is positive definite, or "
                     : std::string("Use ")) +
         "a positive definite kernel such as rbf, matern or poly";
}

std::string missing_part(const Kernel& kernel, int order, NormRemedies remedies) {
  if (remedies == NormRemedies::none) {
    return ": the fit has no unpenalised " +
           (order == 1 ? std::string("constant") : "polynomials of degree " + std::to_string(order - 1)) +
           " beside it. " + positive_instead(kernel, order);
  }
  const std::string needed = order == 1   ? "constants: set parametric=constant"
                             : order == 2 ? "linear functions: set parametric=linear"
                             : order == 3 ? "quadratic functions: set parametric=quadratic"
                                          : "polynomials of degree " + std::to_string(order - 1) +
                                                ", which it does not have. Use a kernel of order 3 or less";
  return ": the fit needs unpenalised " + needed;
}

// Whether the polynomials of a degree in all columns of `seen`, numbers of numeric columns, are in the part.
bool has_polynomials(const ParametricPart& part, const Samples& samples, int degree, const std::vector<Index>& seen) {
  if (degree <= 0) {
    return !part.is_none();
  }
  std::vector<Index> linear;
  for (const ParametricTerm& term : part.terms()) {
    if (term.shape == ParametricShape::periodic) {
      continue;
    }
    const std::vector<Index> columns = columns_of(term.columns, samples);
    const bool squares = term.shape == ParametricShape::quadratic;
    if (degree == 2 && squares && contains(columns, seen)) {
      return true;
    }
    linear.insert(linear.end(), columns.begin(), columns.end());
  }
  return degree == 1 && contains(linear, seen);
}

bool covers_on(const ParametricPart& part, const Kernel& kernel, const Samples& samples,
               const ColumnSelection& columns) {
  const Definiteness definiteness = kernel.definiteness();
  if (definiteness.kind == DefinitenessKind::indefinite) {
    return false;
  }
  if (definiteness.is_positive()) {
    return true;
  }
  if (const auto terms = as_sum(kernel)) {
    return std::ranges::all_of(*terms, [&](const Kernel& term) { return covers_on(part, term, samples, columns); });
  }
  if (const auto inner = as_scale(kernel); inner && inner->factor && *inner->factor >= 0) {
    return covers_on(part, inner->kernel, samples, columns);
  }
  if (const auto inner = as_columns(kernel); inner && columns.references.empty()) {
    return covers_on(part, inner->kernel, samples, inner->columns);
  }
  if (definiteness.order == 1) {
    return !part.is_none();
  }
  return has_polynomials(part, samples, definiteness.order - 1,
                         columns_of(columns, samples, categories_seen_by(kernel)));
}

}  // namespace

bool covers(const ParametricPart& part, const Kernel& kernel, const Samples& samples) {
  return covers_on(part, kernel, samples, {});
}

void require_columns(const char* model, const Kernel& kernel, const ParametricPart& part) {
  if (part.uses_columns() && column_uses(kernel).takes_matrix) {
    throw InvalidArgument(std::string(model) + ": parametric = " + part.text() + ": with " + kernel.spec() +
                          " samples are rows of a matrix, and have no columns that functions could take. Set "
                          "parametric=constant, or use a kernel on columns");
  }
}

void require_definite(const char* model, const Kernel& kernel, const Samples& samples, const ParametricPart& part,
                      NormRemedies remedies, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (definiteness.kind != DefinitenessKind::indefinite && covers(part, kernel, samples)) {
    return;
  }
  const std::string subject = std::string(model) + ": the kernel " + kernel.spec() + " is " + to_string(definiteness);
  if (definiteness.kind == DefinitenessKind::indefinite) {
    throw InvalidArgument(
        subject +
        ": its matrix K can have negative eigenvalues, then K + lambda I is not positive definite and "
        "||f||^2 is no norm. Use a positive definite kernel such as rbf, matern or poly" +
        (remedies == NormRemedies::ridge_options ? ", or set indefinite=solve" : ""));
  }
  throw InvalidArgument(subject + missing_part(kernel, definiteness.order, remedies));
}

void refuse_conditional(const char* model, const Kernel& kernel) {
  const Definiteness definiteness = kernel.definiteness();
  if (definiteness.kind == DefinitenessKind::conditional) {
    throw InvalidArgument(std::string(model) + ": the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ": its values are inner products about another origin only. " +
                          positive_instead(kernel, definiteness.order));
  }
}

}  // namespace mercer
