// A row has the answer that it has in a batch: other shapes of the same products round differently, and no more than that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/expansion/expansion.h"
#include "models/smooth_problem.h"

namespace mercer {
namespace {

using testing::answers;
using testing::exact_coordinates;
using testing::smooth_targets;

class RowLaw : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(RowLaw, ARowAloneHasItsAnswerOfTheBatch) {
  const ModelEntry& entry = *GetParam();
  const Matrix<double> x = exact_coordinates(80, 3, 71);
  const auto model =
      entry.fit(kernel_for(entry), {}, {make_dense(Matrix<double>::copy_of(x.view())), smooth_targets(entry, x)}, {});
  const Samples query = make_dense(exact_coordinates(30, 3, 72));
  const Matrix<double> batch = answers(*model, query);
  double size = 0;
  for (Index i = 0; i < batch.rows() * batch.columns(); ++i) {
    size = std::max(size, std::abs(batch.data()[i]));
  }
  // Models in single precision are so only where 8 δ √Σα² is within their tolerance, 1e-3.
  const Expansion* const functions = model->expansion_form();
  const bool single = functions != nullptr && functions->precision() == Precision::single_precision;
  for (Index i = 0; i < query.size(); ++i) {
    const Matrix<double> alone = answers(*model, query.slice({i, i + 1}));
    for (Index o = 0; o < batch.columns(); ++o) {
      EXPECT_NEAR(alone(0, o), batch(i, o), single ? 1e-3 : 1e-9 * size) << "row " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, RowLaw, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
