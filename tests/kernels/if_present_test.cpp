// if_present: kernels on columns with missing values, and what subscripts say of columns.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/widths.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

Samples numbers() { return make_dense(std::vector<double>{1, 0, missing, 2, 3, missing, 0.5, -1}, 4, 2); }

TEST(IfPresent, RowsThatBothMissAValueHaveTheWeight) {
  const Kernel k = parse_kernel("if_present(rbf(gamma=0.5), weight=0.25)");
  const Matrix<double> gram = testing::gram(k, numbers());
  EXPECT_DOUBLE_EQ(gram(0, 0), 1);
  EXPECT_DOUBLE_EQ(gram(0, 1), 0);
  EXPECT_DOUBLE_EQ(gram(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(gram(1, 2), 0.25);
  EXPECT_NEAR(gram(0, 3), std::exp(-0.5 * (0.25 + 1)), 1e-14);
}

TEST(IfPresent, WidthsComeFromTheRowsThatAreThere) {
  const Samples samples = numbers();
  const Kernel k = resolve_widths(parse_kernel("if_present(rbf(gamma=scale)[0:2])"), samples, mercer::Run());
  const Samples complete = make_dense(std::vector<double>{1, 0, 0.5, -1}, 2, 2);
  EXPECT_EQ(k.spec(), "if_present(" + resolve_widths(parse_kernel("rbf(gamma=scale)"), complete, mercer::Run()).spec() +
                          "[0:2], weight=1)");
}

TEST(IfPresent, OtherColumnsStillRefuseMissingValues) {
  EXPECT_ERROR(testing::gram(parse_kernel("if_present(rbf(gamma=1))[0] + linear()[1]"), numbers()), DataError,
               "row 2, column 0 is NaN");
  EXPECT_NO_THROW(testing::gram(parse_kernel("if_present(rbf(gamma=1))[0] + if_present(linear())[1]"), numbers()));
}

TEST(IfPresent, EmptyTextsAreMissing) {
  const std::vector<std::string> texts = {"", "AC", "", "ACC"};
  const Matrix<double> gram = testing::gram(parse_kernel("if_present(spectrum(k=2))"), make_strings(texts));
  EXPECT_DOUBLE_EQ(gram(0, 2), 1);
  EXPECT_DOUBLE_EQ(gram(0, 1), 0);
  EXPECT_DOUBLE_EQ(gram(1, 3), 1);
  EXPECT_DOUBLE_EQ(gram(3, 3), 2);
}

// Rows 0, 2, 3 are there; the Gram matrix of those alone is the oracle.
void expect_gram_of_those_there(const std::string& inner, const Samples& all) {
  SCOPED_TRACE(inner);
  const Matrix<double> gram = testing::gram(parse_kernel("if_present(" + inner + ", weight=0.25)"), all);
  const std::vector<Index> there = {0, 2, 3};
  const Matrix<double> expected = testing::gram(parse_kernel(inner), all.select(there));
  for (Index i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(gram(1, i), i == 1 ? 0.25 : 0);
  }
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      EXPECT_DOUBLE_EQ(gram(there[i], there[j]), expected(i, j));
    }
  }
}

TEST(IfPresent, TheChildNeverMeetsTheMissingRows) {
  const Samples numbers = make_dense(std::vector<double>{1, 0, missing, 2, 3, 1, 0.5, -1}, 4, 2);
  expect_gram_of_those_there("center(linear())", numbers);
  expect_gram_of_those_there("center(rbf(gamma=0.5))", numbers);
  const std::vector<std::string> texts = {"ACGT", "", "ACCT", "TTGA"};
  expect_gram_of_those_there("weighted_degree()", make_strings(texts));
  const std::vector<std::string> words = {"a cat", "", "a dog and a cat", "the dog"};
  expect_gram_of_those_there("tfidf()", make_strings(words));
  expect_gram_of_those_there("tanimoto()", make_sets(std::vector<std::vector<std::int32_t>>{{1, 2}, {}, {2}, {2, 3}}));
  expect_gram_of_those_there("delta()", make_categories(std::vector<std::string>{"f", "", "m", "f"}));
  const Samples sparse = make_sparse(std::vector<double>{1, missing, 3, 2}, std::vector<std::int32_t>{0, 999999, 0, 7},
                                     {0, 1, 2, 3, 4}, 1000000);
  expect_gram_of_those_there("linear()", sparse);
}

TEST(IfPresent, OnlyTheColumnsOfTheChildMatter) {
  const Samples all = numbers();
  const Matrix<double> gram = testing::gram(parse_kernel("if_present(rbf(gamma=1)[0]) + if_present(linear()[1])"), all);
  EXPECT_NEAR(gram(0, 2), std::exp(-4) + 0, 1e-14);
  EXPECT_DOUBLE_EQ(gram(1, 1), 1 + 4);
  EXPECT_DOUBLE_EQ(gram(2, 2), 1 + 1);
  // A constant says whether a row is there.
  const Matrix<double> indicator = testing::gram(parse_kernel("if_present(constant(), weight=0)[0]"), all);
  EXPECT_DOUBLE_EQ(indicator(0, 3), 1);
  EXPECT_DOUBLE_EQ(indicator(1, 1), 0);
}

TEST(IfPresent, NewSamplesAndReferencesMayMissEverything) {
  const Samples train = numbers();
  const Samples none = make_dense(std::vector<double>{missing, 1, 0, missing}, 2, 2);
  const Kernel k = parse_kernel("if_present(center(rbf(gamma=0.5)), weight=0.5)");
  const mercer::Run run;
  for (const auto& [reference, fresh] : {std::pair{train, none}, std::pair{none, train}, std::pair{none, none}}) {
    const PreparedKernel prepared(k, reference, Precision::double_precision, run);
    const auto other = prepared.prepare(fresh, run);
    Workspace workspace;
    Matrix<double> tile(fresh.size(), reference.size());
    TileContext<double> context(*other, {0, fresh.size()}, prepared.reference(), {0, reference.size()}, workspace);
    k.node().tile(context, tile.view());
    for (Index i = 0; i < fresh.size(); ++i) {
      for (Index j = 0; j < reference.size(); ++j) {
        const bool x = fresh.size() == 4 && (i == 0 || i == 3);
        const bool y = reference.size() == 4 && (j == 0 || j == 3);
        EXPECT_EQ(tile(i, j), !x && !y ? 0.5 : 0);
      }
    }
  }
}

TEST(IfPresent, GradientsLeaveOutTheMissingRows) {
  const Samples all = numbers();
  const Kernel k = parse_kernel("if_present(rbf(gamma=0.5), weight=0.25)");
  const mercer::Run run;
  const PreparedKernel prepared(k, all, Precision::double_precision, run);
  Workspace workspace;
  TileContext<double> context(prepared.reference(), {0, 4}, prepared.reference(), {0, 4}, workspace);
  Matrix<double> q(4, 4);
  for (Index i = 0; i < 16; ++i) {
    q(i / 4, i % 4) = 1 + 0.5 * static_cast<double>(i);
  }
  double gradient = 0;
  k.node().contract(context, q.view(), {&gradient, 1});
  // Rows 0 and 3 are there, at distance d² = 1.25: dk/dγ = -d² exp(-γ d²).
  const double slope = -1.25 * std::exp(-0.5 * 1.25);
  EXPECT_NEAR(gradient, slope * (q(0, 3) + q(3, 0)), 1e-13);
  Matrix<double> dx = Matrix<double>::filled(4, 2, 0.0);
  k.node().contract_inputs(context, q.view(), dx.view());
  // dk/dx = -2γ (x - y) k for x = (1, 0), y = (0.5, -1).
  EXPECT_NEAR(dx(0, 0), -0.5 * std::exp(-0.625) * q(0, 3), 1e-13);
  EXPECT_NEAR(dx(3, 1), 1.0 * std::exp(-0.625) * q(3, 0), 1e-13);
  EXPECT_EQ(dx(1, 1), 0);
  EXPECT_EQ(dx(2, 0), 0);
}

Matrix<double> resolved_gram(const std::string& spec, const Samples& samples) {
  return testing::gram(resolve_widths(parse_kernel(spec), samples, mercer::Run()), samples);
}

TEST(IfPresent, OnSeveralColumnsItIsEachOfThem) {
  // k(x, y) = Σ_j κ(x_j, y_j) over the columns that both rows have, and the weight for each that both miss.
  const double points[4][2] = {{1, 0}, {missing, 2}, {3, missing}, {missing, missing}};
  const Samples samples = make_dense(std::vector<double>{1, 0, missing, 2, 3, missing, missing, missing}, 4, 2);
  const double gammas[] = {0.5, 2};
  for (const std::string spec : {"if_present(rbf(lengthscale=[1, 0.5]), weight=0.25)",
                                 "if_present(rbf(lengthscale=[1, 0.5]), weight=0.25)[0, 1]"}) {
    const Matrix<double> gram = resolved_gram(spec, samples);
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        double expected = 0;
        for (int c = 0; c < 2; ++c) {
          const double a = points[i][c];
          const double b = points[j][c];
          expected += std::isnan(a) && std::isnan(b)   ? 0.25
                      : std::isnan(a) || std::isnan(b) ? 0.0
                                                       : std::exp(-gammas[c] * (a - b) * (a - b));
        }
        EXPECT_NEAR(gram(i, j), expected, 1e-15) << spec << " " << i << " " << j;
      }
    }
  }
}

TEST(IfPresent, ColumnsApartHaveTheirOwnWidthsAndNames) {
  const Samples samples = make_dense(std::vector<double>{1, 0, missing, 2, 3, missing, 0.5, -1}, 4, 2);
  const Samples table = make_table(Table(samples, {"a", "b c"}, {}));
  const auto resolved = [](const std::string& spec, const Samples& on) {
    return resolve_widths(parse_kernel(spec), on, mercer::Run()).spec();
  };
  const std::string first = resolved("if_present(rbf())[0]", samples);
  const std::string second = resolved("if_present(rbf())[1]", samples);
  EXPECT_EQ(resolved("if_present(rbf())", samples), first + " + " + second);
  EXPECT_EQ(resolved("if_present(rbf())[1, 0]", samples), second + " + " + first);
  EXPECT_EQ(resolved("2*if_present(linear())[a, \"b c\"]", table),
            "2*(if_present(linear(), weight=1)[a] + if_present(linear(), weight=1)[\"b c\"])");
  // A resolved kernel stays what it is, and so does one column, a kernel that names columns itself, and one for both kinds.
  for (const std::string& spec :
       {first + " + " + second, first, std::string("if_present(rbf(gamma=1)[0, 1], weight=1)"),
        std::string("if_present(changepoint(rbf(gamma=1), linear(), column=1))"),
        std::string("if_present(constant(), weight=1)")}) {
    EXPECT_EQ(resolved(spec, samples), parse_kernel(spec).spec());
  }
}

TEST(IfPresent, KernelsOnCategoriesSeeEveryColumnApart) {
  const Samples table = make_table(Table(make_dense(std::vector<double>{1, 2, missing, 2}, 4, 1), {"n"},
                                         {{"s", make_categories(std::vector<std::string>{"f", "", "", "f"})},
                                          {"t", make_categories(std::vector<std::string>{"u", "v", "u", "u"})}}));
  const Kernel k = resolve_widths(parse_kernel("if_present(delta(), weight=0.5)"), table, mercer::Run());
  EXPECT_EQ(k.spec(),
            "if_present(delta(), weight=0.5)[n] + if_present(delta(), weight=0.5)[s] + "
            "if_present(delta(), weight=0.5)[t]");
  const Matrix<double> gram = testing::gram(k, table);
  EXPECT_EQ(gram(1, 2), 0 + 0.5 + 0);
  EXPECT_EQ(gram(0, 3), 0 + 1 + 1);
  EXPECT_EQ(gram(1, 3), 1 + 0 + 0);
  EXPECT_EQ(gram(2, 2), 0.5 + 0.5 + 1);
}

TEST(IfPresent, ThousandsOfColumnsAreNotTakenApart) {
  const Samples wide = make_dense(std::vector<double>(2002, 1.0), 2, 1001);
  EXPECT_ERROR(resolve_widths(parse_kernel("if_present(linear())"), wide, mercer::Run()), InvalidArgument,
               "if_present() on 1001 columns is a kernel for each of them");
}

// Kernels of models that were fitted before are evaluated as they stand in their files: all columns must be there.
TEST(IfPresent, UnresolvedItMeansAllColumns) {
  const Matrix<double> gram = testing::gram(parse_kernel("if_present(rbf(gamma=0.5), weight=0.25)[0, 1]"), numbers());
  EXPECT_EQ(gram(0, 2), 0);
  EXPECT_EQ(gram(1, 2), 0.25);
}

TEST(ColumnUses, VectorsInSubscriptsAreCoded) {
  const auto coded = [](const char* spec) { return column_uses(parse_kernel(spec)).coded; };
  using Names = std::vector<std::string>;
  EXPECT_EQ(coded("rbf()[age, job] * delta()[sex]"), (Names{"age", "job"}));
  EXPECT_EQ(coded("(rbf() + hamming())[job] + spectrum(k=2)[dna]"), Names{"job"});
  EXPECT_EQ(coded("if_present(rbf())[age, job] + rbf()"), Names{});
  EXPECT_EQ(coded("if_present(rbf()[age])"), Names{});
}

TEST(ColumnUses, CategoryKernelsNameCategories) {
  const ColumnUses uses = column_uses(parse_kernel("if_present(delta())[town] + hamming()[a, b] + spectrum()[dna]"));
  EXPECT_EQ(uses.categories, (std::vector<std::string>{"town", "a", "b"}));
}

TEST(ColumnUses, KernelsOnTextsWithoutASubscript) {
  EXPECT_TRUE(column_uses(parse_kernel("0.5*normalize(spectrum(k=2)) + rbf()[age]")).texts_by_default);
  EXPECT_FALSE(column_uses(parse_kernel("spectrum(k=2)[dna] + hamming() + rbf()")).texts_by_default);
}

TEST(ColumnUses, StringKernelsNameTextColumns) {
  const ColumnUses uses = column_uses(
      parse_kernel("rbf()[age, bmi] * normalize(spectrum(k=3))[dna] + 0.1*delta()[sex] + if_present(linear())[bmi]"));
  EXPECT_EQ(uses.text, std::vector<std::string>{"dna"});
  EXPECT_TRUE(uses.takes_missing);
  EXPECT_EQ(uses.named, (std::vector<std::string>{"age", "bmi", "dna", "sex"}));
  EXPECT_EQ(uses.complete, (std::vector<std::string>{"age", "bmi", "dna", "sex"}));
  EXPECT_EQ(column_uses(parse_kernel("rbf()[age] + if_present(linear()[bmi])")).complete,
            std::vector<std::string>{"age"});
  EXPECT_TRUE(column_uses(parse_kernel("rbf()[age] + linear()")).named.empty());
  EXPECT_TRUE(column_uses(parse_kernel("rbf()[0]")).named.empty());
  EXPECT_FALSE(column_uses(parse_kernel("rbf() + spectrum()")).takes_missing);
}

}  // namespace
}  // namespace mercer
