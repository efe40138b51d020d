#include "mercer/expansion/parametric_functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr Index block_rows = 1024;

// Categories are seen as kernels on vectors see them, by a column per level; waves of those would be constants.
CategoriesAs categories_for(const ParametricTerm& term) {
  return term.shape == ParametricShape::periodic ? CategoriesAs::columns : CategoriesAs::vectors;
}

Samples numeric_columns(const ParametricTerm& term, const Samples& samples) {
  const bool has_columns = term.columns.references.empty();
  Samples numeric =
      has_columns ? default_columns(samples) : select_columns(samples, term.columns, categories_for(term));
  if (!numeric.is_numeric()) {
    throw DataError(std::string(word_of(term.shape)) + " functions" +
                    (has_columns ? std::string() : " of " + to_string(term.columns)) +
                    " need numeric columns, these samples are of kind '" + std::string(to_string(numeric.kind())) +
                    "'");
  }
  return numeric;
}

std::vector<std::string> column_names(const ParametricTerm& term, const Samples& samples, Index columns) {
  std::vector<Index> numbers(columns);
  for (Index j = 0; j < columns; ++j) {
    numbers[j] = j;
  }
  if (!term.columns.references.empty()) {
    numbers = selected_numeric_columns(samples, term.columns, categories_for(term));
  }
  const bool named = samples.kind() == SampleKind::table && !samples.table().numeric_names().empty();
  std::vector<std::string> names;
  for (const Index j : numbers) {
    names.push_back(named ? samples.table().numeric_names()[j] : "x" + std::to_string(j));
  }
  return names;
}

Index function_count(const ParametricTerm& term, Index d) {
  switch (term.shape) {
    case ParametricShape::linear:
      return d;
    case ParametricShape::quadratic:
      return d + d * (d + 1) / 2;
    case ParametricShape::periodic:
      return 2 * term.harmonics * d;
  }
  return 0;
}

// `values` begins with the columns themselves.
void fill_products(Index d, std::span<double> values) {
  double* product = values.data() + d;
  for (Index j = 0; j < d; ++j) {
    for (Index k = j; k < d; ++k) {
      *product++ = values[j] * values[k];
    }
  }
}

// The angle is brought into one period first, so that far columns keep their digits.
void fill_waves(const ParametricTerm& term, std::span<const double> x, double* wave) {
  for (const double value : x) {
    const double turn = std::remainder(value, term.period) / term.period;
    for (Index h = 1; h <= term.harmonics; ++h) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(h) * turn;
      *wave++ = std::sin(angle);
      *wave++ = std::cos(angle);
    }
  }
}

}  // namespace

ParametricFunctions::ParametricFunctions(ParametricPart part, const Samples& samples)
    : part_(std::move(part)), samples_(samples), count_(part_.is_none() ? 0 : 1) {
  for (const ParametricTerm& term : part_.terms()) {
    Samples columns = numeric_columns(term, samples);
    const Index count = function_count(term, columns.columns());
    std::vector<std::string> names = column_names(term, samples, columns.columns());
    terms_.push_back({term, std::move(columns), std::move(names), count});
    count_ += count;
  }
}

void ParametricFunctions::values(IndexRange range, MatrixView<double> out) const {
  if (part_.is_none()) {
    return;
  }
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = 1;
  }
  Index begin = 1;
  for (const Term& term : terms_) {
    const Index d = term.columns.columns();
    if (term.what.shape == ParametricShape::periodic) {
      Matrix<double> x(out.rows(), d);
      copy_rows(term.columns, range, x.view());
      for (Index i = 0; i < out.rows(); ++i) {
        fill_waves(term.what, x.view().row(i), out.row_data(i) + begin);
      }
    } else {
      copy_rows(term.columns, range, out.block(0, begin, out.rows(), d));
      for (Index i = 0; term.what.shape == ParametricShape::quadratic && i < out.rows(); ++i) {
        fill_products(d, std::span<double>(out.row_data(i) + begin, static_cast<std::size_t>(term.count)));
      }
    }
    begin += term.count;
  }
}

void ParametricFunctions::add(ConstMatrixView<double> beta, MatrixView<double> out, const Run& run) const {
  if (beta.rows() != count_) {
    throw DataError("there are " + std::to_string(count_) + " parametric functions of these columns, and " +
                    std::to_string(beta.rows()) + " coefficients: the columns are not those of the fit");
  }
  if (part_.is_none()) {
    return;
  }
  const bool is_linear =
      std::ranges::all_of(terms_, [](const Term& term) { return term.what.shape == ParametricShape::linear; });
  if (is_linear) {
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index o = 0; o < out.columns(); ++o) {
        out(i, o) += beta(0, o);
      }
    }
    Index begin = 1;
    for (const Term& term : terms_) {
      add_linear_part(term.columns, beta.row_block({begin, begin + term.count}), out, run);
      begin += term.count;
    }
    return;
  }
  for (const Term& term : terms_) {
    require_finite(term.columns);
  }
  parallel_for(run, block_count(out.rows(), block_rows), [&](Index b) {
    const IndexRange range = block_range(out.rows(), block_rows, b);
    Matrix<double> functions(range.size(), count_);
    values(range, functions.view());
    gemm(1.0, functions.view(), Transpose::no, beta, Transpose::no, 1.0, out.row_block(range));
  });
}

std::vector<std::string> ParametricFunctions::names() const {
  std::vector<std::string> names;
  if (!part_.is_none()) {
    names.emplace_back("1");
  }
  for (const Term& term : terms_) {
    if (term.what.shape == ParametricShape::periodic) {
      for (const std::string& name : term.names) {
        for (Index h = 1; h <= term.what.harmonics; ++h) {
          const std::string angle =
              "(" + std::to_string(2 * h) + "*pi*" + name + "/" + shortest(term.what.period) + ")";
          names.push_back("sin" + angle);
          names.push_back("cos" + angle);
        }
      }
      continue;
    }
    names.insert(names.end(), term.names.begin(), term.names.end());
    for (std::size_t j = 0; term.what.shape == ParametricShape::quadratic && j < term.names.size(); ++j) {
      for (std::size_t k = j; k < term.names.size(); ++k) {
        names.push_back(j == k ? term.names[j] + "^2" : term.names[j] + "*" + term.names[k]);
      }
    }
  }
  return names;
}

Index parametric_count(const ParametricPart& part, const Samples& samples) {
  return part.uses_columns() ? ParametricFunctions(part, samples).count() : part.is_none() ? 0 : 1;
}

}  // namespace mercer
