// Centring about one row is moving the origin there, at the cost of that row.
#include <gtest/gtest.h>

#include "mercer/gram/wrappers.h"
#include "mercer/linalg/matrix.h"

namespace mercer {
namespace {

// A Gram matrix that counts the entries it is asked for.
class CountingGram final : public Gram<double> {
 public:
  Index size() const override { return 40; }
  void fill(IndexRange rows, IndexRange columns, MatrixView<double> out, Workspace& /*workspace*/) const override {
    entries += rows.size() * columns.size();
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index j = 0; j < columns.size(); ++j) {
        out(i, j) = value(rows.begin + i, columns.begin + j);
      }
    }
  }
  void diagonal(std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = value(static_cast<Index>(i), static_cast<Index>(i));
    }
  }
  double work_per_entry() const override { return 1; }
  static double value(Index i, Index j) { return static_cast<double>((i + 1) * (j + 1) % 7 + (j + 1) * (i + 1)); }

  mutable Index entries = 0;
};

TEST(CenteredGram, AboutOneRowTakesThatRowAlone) {
  const CountingGram gram;
  std::vector<double> weights(40, 0.0);
  weights[3] = 1;
  const CenteredGram<double> moved(borrowed<double>(gram), weights, mercer::Run{{.threads = 1}});
  EXPECT_LE(gram.entries, 40);
  Matrix<double> k(40, 40);
  moved.tile({0, 40}, {0, 40}, k.view());
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 40; ++j) {
      EXPECT_EQ(k(i, j), CountingGram::value(i, j) - CountingGram::value(i, 3) - CountingGram::value(3, j) +
                             CountingGram::value(3, 3));
    }
  }
}

}  // namespace
}  // namespace mercer
