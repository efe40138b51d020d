// Laws that every kernel of the registry obeys. A new kernel is tested here the day it is added.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/law_samples.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::law_columns;
using testing::law_samples;
using testing::law_values;
using testing::needs_of;

class KernelLaw : public ::testing::TestWithParam<std::string> {
 protected:
  Kernel kernel() const { return parse_kernel(GetParam()); }
};

template <class T>
Matrix<T> tile_of(const Kernel& kernel, const Prepared& x, IndexRange rows, const Prepared& y, IndexRange columns) {
  Workspace workspace;
  TileContext<T> context(x, rows, y, columns, workspace);
  Matrix<T> k(rows.size(), columns.size());
  kernel.node().tile(context, k.view());
  return k;
}

template <class T = double>
Matrix<T> gram_of(const Kernel& kernel, const Samples& samples) {
  const PreparedKernel prepared(kernel, samples, precision_of<T>, mercer::Run());
  const IndexRange all{0, samples.size()};
  return tile_of<T>(prepared.kernel(), prepared.reference(), all, prepared.reference(), all);
}

template <class T = double>
Matrix<T> cross_of(const Kernel& kernel, const Samples& x, const Samples& reference) {
  const PreparedKernel prepared(kernel, reference, precision_of<T>, mercer::Run());
  const auto rows = prepared.prepare(x, mercer::Run());
  return tile_of<T>(prepared.kernel(), *rows, {0, x.size()}, prepared.reference(), {0, reference.size()});
}

double largest(const Matrix<double>& k) {
  double value = 0;
  for (Index i = 0; i < k.rows() * k.columns(); ++i) {
    value = std::max(value, std::abs(k.data()[i]));
  }
  return value;
}

TEST_P(KernelLaw, ParsingItsPrintedTextGivesItBack) {
  const Kernel k = kernel();
  EXPECT_EQ(parse_kernel(k.spec()), k) << k.spec();
  EXPECT_EQ(parse_kernel(k.spec()).spec(), k.spec());
}

TEST_P(KernelLaw, ScaleParametersAreReadAndReplaced) {
  const Kernel k = kernel();
  std::vector<double> values;
  for (const ScaleParameter& parameter : k.scale_parameters()) {
    EXPECT_FALSE(parameter.path.empty());
    values.push_back(parameter.value);
  }
  EXPECT_EQ(static_cast<Index>(values.size()), k.node().scale_count());
  EXPECT_EQ(k.with_scale_parameters(values), k);
}

TEST_P(KernelLaw, IsSymmetric) {
  const Kernel k = kernel();
  const Matrix<double> gram = gram_of(k, law_samples(k, 30, 1));
  const double tolerance = 1e-12 * largest(gram);
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      EXPECT_NEAR(gram(i, j), gram(j, i), tolerance);
    }
  }
}

TEST_P(KernelLaw, TilesAreMadeOfPairs) {
  const Kernel k = kernel();
  const Samples samples = law_samples(k, 41, 2);
  const PreparedKernel prepared(k, samples, Precision::double_precision, mercer::Run());
  const Prepared& x = prepared.reference();
  const Matrix<double> tile = tile_of<double>(prepared.kernel(), x, {3, 20}, x, {9, 41});
  const double tolerance = 1e-12 * std::max(1.0, largest(tile));
  for (Index i = 0; i < tile.rows(); ++i) {
    for (Index j = 0; j < tile.columns(); ++j) {
      const Matrix<double> pair = tile_of<double>(prepared.kernel(), x, {3 + i, 4 + i}, x, {9 + j, 10 + j});
      EXPECT_NEAR(tile(i, j), pair(0, 0), tolerance);
    }
  }
}

TEST_P(KernelLaw, DiagonalIsThatOfTheTile) {
  const Kernel k = kernel();
  const Samples samples = law_samples(k, 25, 3);
  const PreparedKernel prepared(k, samples, Precision::double_precision, mercer::Run());
  const Matrix<double> gram = gram_of(k, samples);
  std::vector<double> diagonal(25);
  prepared.kernel().node().diagonal(prepared.reference(), {0, 25}, diagonal);
  for (Index i = 0; i < 25; ++i) {
    EXPECT_NEAR(diagonal[i], gram(i, i), 1e-13 * std::max(1.0, largest(gram)));
  }
}

// Columns 1, x_1, …, all monomials of degree < order: the null space that a conditional kernel needs.
Dense polynomials(const std::vector<double>& values, Index n, int order) {
  std::vector<Dense> columns;
  std::vector<Dense> last = {Dense(n, 1, 1.0)};
  for (int degree = 0; degree < order; ++degree) {
    columns.insert(columns.end(), last.begin(), last.end());
    std::vector<Dense> next;
    for (const Dense& monomial : last) {
      for (Index c = 0; c < law_columns; ++c) {
        Dense product = monomial;
        for (Index i = 0; i < n; ++i) {
          product(i) *= values[i * law_columns + c];
        }
        next.push_back(product);
      }
    }
    last = next;
  }
  Dense p(n, static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    p.set_column(static_cast<Index>(c), columns[c]);
  }
  return p;
}

TEST_P(KernelLaw, IsAsDefiniteAsItSays) {
  const Kernel k = kernel();
  const Definiteness definiteness = k.definiteness();
  if (definiteness.kind == DefinitenessKind::indefinite) {
    return;  // no promise to test; each indefinite kernel has a test of its own that shows a negative eigenvalue
  }
  constexpr Index n = 60;
  for (std::uint64_t seed = 10; seed < 13; ++seed) {
    const Matrix<double> gram = gram_of(k, law_samples(k, n, seed));
    Dense dense(gram);
    dense = (dense + dense.transpose()) / 2;
    if (definiteness.kind == DefinitenessKind::conditional) {
      const Dense p = polynomials(law_values(needs_of(k), n, seed), n, definiteness.order);
      const Dense q = p.column_space();
      const Dense projector = Dense::identity(n) - q * q.transpose();
      dense = projector * dense * projector;
    }
    const Dense eigenvalues = dense.eigenvalues();
    const double scale = std::max(std::abs(eigenvalues(0)), std::abs(eigenvalues(n - 1)));
    EXPECT_GE(eigenvalues(0), -1e-11 * std::max(scale, largest(gram))) << to_string(definiteness);
  }
}

TEST_P(KernelLaw, ContractionIsTheGradient) {
  const Kernel k = kernel();
  const std::vector<ScaleParameter> parameters = k.scale_parameters();
  if (parameters.empty()) {
    return;
  }
  constexpr Index n = 12;
  const Samples samples = law_samples(k, n, 4);
  RandomStream random(5, 0);
  Matrix<double> q(n, n);
  for (Index i = 0; i < n * n; ++i) {
    q.data()[i] = random.normal();
  }
  const PreparedKernel prepared(k, samples, Precision::double_precision, mercer::Run());
  Workspace workspace;
  TileContext<double> context(prepared.reference(), {0, n}, prepared.reference(), {0, n}, workspace);
  std::vector<double> gradient(parameters.size(), 0.0);
  prepared.kernel().node().contract(context, q.view(), gradient);
  std::vector<double> diagonal_gradient(parameters.size(), 0.0);
  prepared.kernel().node().contract_diagonal(prepared.reference(), {0, n}, {q.data(), n}, diagonal_gradient);

  const auto objective = [&](const std::vector<double>& values, double& diagonal) {
    const Kernel moved = k.with_scale_parameters(values);
    const Matrix<double> gram = gram_of(moved, samples);
    double total = 0;
    diagonal = 0;
    for (Index i = 0; i < n * n; ++i) {
      total += q.data()[i] * gram.data()[i];
    }
    for (Index i = 0; i < n; ++i) {
      diagonal += q.data()[i] * gram(i, i);
    }
    return total;
  };
  std::vector<double> values;
  for (const ScaleParameter& parameter : parameters) {
    values.push_back(parameter.value);
  }
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (std::isinf(values[p])) {
      EXPECT_EQ(gradient[p], 0) << parameters[p].path;
      continue;
    }
    const double h = 1e-5 * std::max(0.1, std::abs(values[p]));
    std::vector<double> up = values;
    std::vector<double> down = values;
    up[p] += h;
    down[p] -= h;
    if (parameters[p].constraint == Constraint::nonnegative && down[p] < 0) {
      continue;
    }
    double diagonal_up = 0;
    double diagonal_down = 0;
    const double slope = (objective(up, diagonal_up) - objective(down, diagonal_down)) / (2 * h);
    const double diagonal_slope = (diagonal_up - diagonal_down) / (2 * h);
    EXPECT_NEAR(gradient[p], slope, 1e-6 * std::max(1.0, std::abs(slope))) << parameters[p].path;
    EXPECT_NEAR(diagonal_gradient[p], diagonal_slope, 1e-6 * std::max(1.0, std::abs(diagonal_slope)))
        << parameters[p].path;
  }
}

TEST_P(KernelLaw, InputDerivativesAreThoseOfTheValues) {
  const Kernel k = kernel();
  const testing::Needs needs = needs_of(k);
  if (!k.node().has_input_derivatives()) {
    const PreparedKernel prepared(k, law_samples(k, 4, 6), Precision::double_precision, mercer::Run());
    Workspace workspace;
    TileContext<double> context(prepared.reference(), {0, 1}, prepared.reference(), {1, 2}, workspace);
    Matrix<double> q = Matrix<double>::filled(1, 1, 1.0);
    Matrix<double> dx = Matrix<double>::filled(1, law_columns, 0.0);
    EXPECT_ERROR(k.node().contract_inputs(context, q.view(), dx.view()), InvalidArgument,
                 "has no derivative with respect to its inputs");
    return;
  }
  constexpr Index m = 5;
  constexpr Index n = 7;
  const std::vector<double> x_values = law_values(needs, m, 6);
  // No coordinate of z lies within h of one of x: some kernels have a kink where they are equal.
  const std::vector<double> z_values = law_values(needs, n, 70);
  const Samples z = make_dense(z_values, n, law_columns);
  const PreparedKernel prepared(k, z, Precision::double_precision, mercer::Run());
  const auto x = prepared.prepare(make_dense(x_values, m, law_columns), mercer::Run());
  RandomStream random(8, 0);
  Matrix<double> q(m, n);
  for (Index i = 0; i < m * n; ++i) {
    q.data()[i] = random.normal();
  }
  Workspace workspace;
  Matrix<double> dx = Matrix<double>::filled(m, law_columns, 0.0);
  {
    TileContext<double> context(*x, {0, m}, prepared.reference(), {0, n}, workspace);
    prepared.kernel().node().contract_inputs(context, q.view(), dx.view());
  }
  const double h = 1e-5;
  const auto moved = [&](Index i, Index c, double step) {
    std::vector<double> values = x_values;
    values[i * law_columns + c] += step;
    const auto rows = prepared.prepare(make_dense(values, m, law_columns), mercer::Run());
    return tile_of<double>(prepared.kernel(), *rows, {i, i + 1}, prepared.reference(), {0, n});
  };
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < law_columns; ++c) {
      if (needs.index_column && c == 0) {
        continue;
      }
      const Matrix<double> up = moved(i, c, h);
      const Matrix<double> down = moved(i, c, -h);
      double slope = 0;
      for (Index j = 0; j < n; ++j) {
        slope += q(i, j) * (up(0, j) - down(0, j)) / (2 * h);
      }
      EXPECT_NEAR(dx(i, c), slope, 1e-6 * std::max(1.0, std::abs(slope))) << "row " << i << " column " << c;
    }
  }

  // One pair: both gradients and the mixed second derivative, the latter as differences of the contraction in x.
  TileContext<double> pair(*x, {1, 2}, prepared.reference(), {3, 4}, workspace);
  PairDerivatives derivatives(law_columns);
  prepared.kernel().node().pair_derivatives(pair, derivatives);
  EXPECT_NEAR(derivatives.value, tile_of<double>(prepared.kernel(), *x, {1, 2}, prepared.reference(), {3, 4})(0, 0),
              1e-12 * std::max(1.0, std::abs(derivatives.value)));
  if (k.node().depends_on_reference()) {
    return;  // moving z moves the reference, so ∂/∂z is not a derivative of the pair
  }
  const auto gradient_at = [&](Index c, double step) {
    std::vector<double> values(z_values.begin() + 3 * law_columns, z_values.begin() + 4 * law_columns);
    values[c] += step;
    const auto y = prepared.prepare(make_dense(values, 1, law_columns), mercer::Run());
    TileContext<double> context(*x, {1, 2}, *y, {0, 1}, workspace);
    Matrix<double> one = Matrix<double>::filled(1, 1, 1.0);
    Matrix<double> slope = Matrix<double>::filled(1, law_columns + 1, 0.0);
    prepared.kernel().node().contract_inputs(context, one.view(), slope.view().block(0, 0, 1, law_columns));
    slope(0, law_columns) = tile_of<double>(prepared.kernel(), *x, {1, 2}, *y, {0, 1})(0, 0);
    return slope;
  };
  for (Index c = 0; c < law_columns; ++c) {
    if (needs.index_column && c == 0) {
      continue;
    }
    const Matrix<double> up = gradient_at(c, h);
    const Matrix<double> down = gradient_at(c, -h);
    const auto column = static_cast<std::size_t>(c);
    const double dy = (up(0, law_columns) - down(0, law_columns)) / (2 * h);
    EXPECT_NEAR(derivatives.dy[column], dy, 1e-6 * std::max(1.0, std::abs(dy)));
    for (Index a = 0; a < law_columns; ++a) {
      const double mixed = (up(0, a) - down(0, a)) / (2 * h);
      EXPECT_NEAR(derivatives.mixed[a * law_columns + c], mixed, 1e-5 * std::max(1.0, std::abs(mixed)))
          << a << " " << c;
    }
  }
}

// The same numbers as compressed rows.
Samples sparse_copy(const std::vector<double>& values, Index n) {
  std::vector<double> nonzeros;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < law_columns; ++c) {
      const double value = values[i * law_columns + c];
      if (value != 0) {
        nonzeros.push_back(value);
        columns.push_back(static_cast<std::int32_t>(c));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(nonzeros.size()));
  }
  return make_sparse(nonzeros, columns, offsets, law_columns);
}

TEST_P(KernelLaw, SparseSamplesGiveTheSameValues) {
  const Kernel k = kernel();
  const testing::Needs needs = needs_of(k);
  if (needs.gram_rows || needs.categories || needs.objects) {
    return;
  }
  constexpr Index n = 37;
  const std::vector<double> values = law_values(needs, n, 9, testing::Zeros::some);
  const Samples dense = make_dense(values, n, law_columns);
  const Samples sparse = sparse_copy(values, n);
  const Matrix<double> a = gram_of(k, dense);
  const Matrix<double> b = gram_of(k, sparse);
  const Matrix<double> mixed = cross_of(k, sparse.slice({0, 5}), dense);
  const Matrix<double> plain =
      cross_of(k, make_dense(std::vector<double>(values.begin(), values.begin() + 15), 5, 3), dense);
  const double tolerance = 1e-10 * std::max(1.0, largest(a));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      EXPECT_NEAR(a(i, j), b(i, j), tolerance);
      if (i < 5) {
        EXPECT_NEAR(mixed(i, j), plain(i, j), tolerance);
      }
    }
  }
}

// What a sample set holds besides may not matter: features and encodings are made set by set.
TEST_P(KernelLaw, NewSamplesMeetTheReferenceAsTheyWouldInside) {
  const Kernel k = kernel();
  const testing::Needs needs = needs_of(k);
  if (!needs.objects || needs.objects == KernelInput::adjacency || k.node().depends_on_reference()) {
    return;
  }
  const Samples all = law_samples(k, 30, 6);
  const Matrix<double> inside = gram_of(k, all);
  const PreparedKernel prepared(k, all.slice({0, 17}), Precision::double_precision, mercer::Run());
  const auto others = prepared.prepare(all.slice({17, 30}), mercer::Run());
  const Matrix<double> cross = tile_of<double>(k, *others, {0, 13}, prepared.reference(), {0, 17});
  const Matrix<double> among = tile_of<double>(k, *others, {0, 13}, *others, {0, 13});
  const double tolerance = 1e-12 * std::max(1.0, largest(inside));
  for (Index i = 0; i < 13; ++i) {
    for (Index j = 0; j < 17; ++j) {
      EXPECT_NEAR(cross(i, j), inside(17 + i, j), tolerance);
    }
    for (Index j = 0; j < 13; ++j) {
      EXPECT_NEAR(among(i, j), inside(17 + i, 17 + j), tolerance);
    }
  }
}

TEST_P(KernelLaw, SinglePrecisionIsNearDouble) {
  const Kernel k = kernel();
  const Samples samples = law_samples(k, 40, 20);
  const Matrix<double> a = gram_of<double>(k, samples);
  const Matrix<float> b = gram_of<float>(k, samples);
  const double tolerance = 1e-4 * std::max(1.0, largest(a));
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    EXPECT_NEAR(a.data()[i], static_cast<double>(b.data()[i]), tolerance);
  }
}

TEST_P(KernelLaw, FiniteInputsNeverGiveNaN) {
  const Kernel k = kernel();
  const testing::Needs needs = needs_of(k);
  if (needs.gram_rows || needs.objects) {
    return;
  }
  std::vector<double> values = law_values(needs, 12, 21);
  std::fill(values.begin(), values.begin() + 3, 0.0);                     // a zero row
  std::copy(values.begin() + 3, values.begin() + 6, values.begin() + 6);  // a duplicate
  for (std::size_t c = 9; c < 12; ++c) {
    values[c] *= needs.index_column ? 1.0 : 1e-160;                      // a tiny row
    values[c + 3] *= needs.unit_ball || needs.index_column ? 1.0 : 1e8;  // a huge row
  }
  const Matrix<double> gram = gram_of(k, make_dense(values, 12, law_columns));
  for (Index i = 0; i < gram.rows() * gram.columns(); ++i) {
    EXPECT_FALSE(std::isnan(gram.data()[i])) << i / 12 << "," << i % 12;
  }
  // All rows equal, and a single row.
  const std::vector<double> one(values.begin() + 3, values.begin() + 6);
  std::vector<double> equal;
  for (int copy = 0; copy < 4; ++copy) {
    equal.insert(equal.end(), one.begin(), one.end());
  }
  const Matrix<double> constant = gram_of(k, make_dense(equal, 4, law_columns));
  for (Index i = 0; i < 16; ++i) {
    EXPECT_FALSE(std::isnan(constant.data()[i]));
  }
  EXPECT_FALSE(std::isnan(gram_of(k, make_dense(one, 1, law_columns))(0, 0)));
}

TEST_P(KernelLaw, NoSamplesGiveAnEmptyTile) {
  const Kernel k = kernel();
  const testing::Needs needs = needs_of(k);
  if (needs.gram_rows) {
    return;
  }
  const Samples none = needs.objects ? law_samples(k, 0, 1) : make_dense(std::vector<double>(), 0, law_columns);
  EXPECT_EQ(gram_of(k, none).rows(), 0);
}

TEST_P(KernelLaw, NaNInputsAreRefused) {
  const Kernel k = kernel();
  if (k.node().children().empty() && k.node().entry().input == KernelInput::any) {
    return;  // constant and white do not look at the values
  }
  if (needs_of(k).objects || column_uses(k).takes_missing) {
    return;  // no numbers in them, numbers that the samples themselves check, or NaN has a meaning
  }
  std::vector<double> values = law_values(needs_of(k), 6, 22);
  for (std::size_t c = 6; c < 9; ++c) {
    values[c] = std::numeric_limits<double>::quiet_NaN();
  }
  EXPECT_ERROR(gram_of(k, make_dense(values, 6, law_columns)), DataError, "row ");
}

TEST_P(KernelLaw, SpectralSamplerReproducesTheKernel) {
  const Kernel k = kernel();
  const auto sampler = k.node().spectral_sampler(law_columns);
  if (!sampler) {
    return;
  }
  const std::vector<double> values = law_values(needs_of(k), 8, 23);
  const Matrix<double> gram = gram_of(k, make_dense(values, 8, law_columns));
  constexpr int draws = 40000;
  Matrix<double> mean = Matrix<double>::filled(8, 8, 0.0);
  RandomStream random(24, 0);
  std::vector<double> frequency(law_columns);
  for (int draw = 0; draw < draws; ++draw) {
    sampler->draw(random, frequency);
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < i; ++j) {
        double phase = 0;
        for (Index c = 0; c < law_columns; ++c) {
          phase += frequency[c] * (values[i * law_columns + c] - values[j * law_columns + c]);
        }
        mean(i, j) += std::cos(phase) / draws;
      }
    }
  }
  for (Index i = 0; i < 8; ++i) {
    EXPECT_NEAR(sampler->amplitude, gram(i, i), 1e-12);
    for (Index j = 0; j < i; ++j) {
      // Four and a half standard errors of a cosine, whose variance is at most 1/2 … 1.
      EXPECT_NEAR(sampler->amplitude * mean(i, j), gram(i, j), 4.5 * sampler->amplitude / std::sqrt(double(draws)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, KernelLaw, ::testing::ValuesIn(testing::all_examples()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return testing::test_name(info.index, info.param);
                         });

// Two billion columns: nothing may grow with the number that a file claims.
TEST(SparseSamples, VeryWideRowsCostOnlyWhatTheyHold) {
  constexpr std::int32_t last = 2147483646;
  const std::vector<double> values = {1, 2, 0.5, 2, -1};
  const Samples wide = make_sparse(values, std::vector<std::int32_t>{0, 7, last, 7, last}, {0, 3, 5}, Index{last} + 1);
  const Samples narrow = make_sparse(values, std::vector<std::int32_t>{0, 1, 2, 1, 2}, {0, 3, 5}, 3);
  for (const char* spec : {"rbf(gamma=0.3)", "linear() + poly(degree=2, gamma=1)"}) {
    const Matrix<double> a = gram_of(parse_kernel(spec), wide);
    const Matrix<double> b = gram_of(parse_kernel(spec), narrow);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(a.data()[i], b.data()[i], 1e-13) << spec;
    }
  }
}

TEST(KernelRegistry, EveryEntryIsCompleteAndHasExamples) {
  std::vector<std::string> names;
  for (const KernelEntry* entry : kernel_registry()) {
    EXPECT_FALSE(entry->name.empty());
    EXPECT_FALSE(entry->formula.empty()) << entry->name;
    EXPECT_FALSE(entry->summary.empty()) << entry->name;
    EXPECT_FALSE(entry->definiteness.empty()) << entry->name;
    EXPECT_FALSE(entry->examples.empty()) << entry->name;
    EXPECT_NE(entry->make, nullptr) << entry->name;
    for (const ParameterSpec& parameter : entry->parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << entry->name << "." << parameter.name;
    }
    names.push_back(entry->name);
    names.insert(names.end(), entry->aliases.begin(), entry->aliases.end());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "a name stands twice";
}

TEST(KernelRegistry, DefaultsWorkWithoutThought) {
  for (const KernelEntry* entry : kernel_registry()) {
    if (entry->fewest_children > 0 || entry->name == "precomputed") {
      continue;
    }
    SCOPED_TRACE(entry->name);
    const Kernel k = parse_kernel(entry->name);
    testing::Needs needs = needs_of(k);
    Samples samples = law_samples(k, 20, 30);
    if (k.definiteness().domain.largest_dimension == 1 || needs.index_column) {
      samples = select_columns(samples, {{ColumnSpan{0, 1}}});
    }
    const Kernel resolved = resolve_widths(k, samples, mercer::Run());
    EXPECT_TRUE(resolved.is_resolved());
    const Matrix<double> gram = gram_of(resolved, samples);
    for (Index i = 0; i < 400; ++i) {
      EXPECT_TRUE(std::isfinite(gram.data()[i]));
    }
  }
}

}  // namespace
}  // namespace mercer
