// A row has the answer that it has in a batch: other shapes of the same products round differently, and no more than that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/expansion/expansion.h"
#include "mercer/gram/kernel_distances.h"
#include "models/smooth_problem.h"

namespace mercer {
namespace {

using testing::answers;
using testing::exact_coordinates;
using testing::smooth_targets;

bool is_in_float(const FittedModel& model) {
  return model.expansion_form() != nullptr && model.expansion_form()->precision() == Precision::single_precision;
}

double largest_answer(const Matrix<double>& answers) {
  double largest = 0;
  for (Index i = 0; i < answers.rows() * answers.columns(); ++i) {
    largest = std::isinf(answers.data()[i]) ? largest : std::max(largest, std::abs(answers.data()[i]));
  }
  return largest;
}

// Σ_i |α_i| k(z_i, z_i), the largest of the outputs; 0 without an expansion.
double largest_sum(const FittedModel& model) {
  const Expansion* const f = model.expansion_form();
  if (f == nullptr) {
    return 0;
  }
  const PreparedKernel kernel(f->kernel(), f->centers(), Precision::double_precision, {});
  const std::vector<double> diagonal = kernel_diagonal(kernel, f->centers(), {});
  double largest = 0;
  for (Index o = 0; o < f->outputs(); ++o) {
    double sum = 0;
    for (Index i = 0; i < f->coefficients().rows(); ++i) {
      sum += std::abs(f->coefficients()(i, o)) * diagonal[i];
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

class RowLaw : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(RowLaw, ARowAloneHasItsAnswerOfTheBatch) {
  const ModelEntry& entry = *GetParam();
  const Matrix<double> x = exact_coordinates(80, 3, 71);
  const auto model =
      entry.fit(kernel_for(entry), {}, {make_dense(Matrix<double>::copy_of(x.view())), smooth_targets(entry, x)}, {});
  const Samples query = make_dense(exact_coordinates(30, 3, 72));
  const Matrix<double> batch = answers(*model, query);
  // Models in single precision are so only where 8 δ √Σα² is within their tolerance, 1e-3. Others differ by roundings of
  // the terms of their sums.
  const double bound = is_in_float(*model) ? 1e-3 : 1e-12 * (largest_answer(batch) + largest_sum(*model));
  for (Index i = 0; i < query.size(); ++i) {
    const Matrix<double> alone = answers(*model, query.slice({i, i + 1}));
    for (Index o = 0; o < batch.columns(); ++o) {
      if (std::isinf(batch(i, o))) {
        EXPECT_EQ(alone(0, o), batch(i, o)) << "row " << i;
      } else {
        EXPECT_NEAR(alone(0, o), batch(i, o), bound) << "row " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, RowLaw, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
