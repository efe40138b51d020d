// Graph kernels in models: molecules of a public set, and the nodes of one graph.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/temporary_folder.h"
#include "mercer/base/random.h"
#include "mercer/data/files/tu_graphs.h"
#include "mercer/data/split.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/svc.h"

namespace mercer {
namespace {

Index errors_of(const SvcModel& model, const Samples& samples, const Targets& targets) {
  const ClassLabels truth = targets.labels(0, model.classes());
  const Matrix<double> predicted = model.predict(samples, {});
  Index errors = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    errors += predicted(i, 0) == truth.codes[i] ? 0 : 1;
  }
  return errors;
}

// 188 molecules, two thirds of them mutagenic. Published: 84 … 88 % by ten folds.
TEST(RealGraphs, MutagenicMoleculesAreRecognized) {
  const std::string folder = real_data("tu-graphs/MUTAG");
  if (folder.empty()) {
    GTEST_SKIP() << "tu-graphs/MUTAG is not there";
  }
  const DataFile data = read_tu_graphs(find_tu_graphs(folder).value(), {});
  ASSERT_EQ(data.samples.size(), 188);
  const Kernel kernel = parse_kernel("normalize(weisfeiler_lehman(h=3))");
  const Folds folds = stratified_k_fold(data.targets->labels(0).codes, 10, 1);
  Index errors = 0;
  for (Index fold = 0; fold < folds.count; ++fold) {
    const Split split = folds.split(fold);
    SvcOptions options;
    options.C = 16;
    const auto model = fit_svc(kernel, options, {data.samples.select(split.train), data.targets->select(split.train)});
    errors += errors_of(*model, data.samples.select(split.test), data.targets->select(split.test));
  }
  EXPECT_LE(errors, 30) << "84 % of 188";
}

// Two groups of nodes, joined inside more often than between them; the first thirty of sixty nodes have labels.
class TwoGroups : public ::testing::Test {
 protected:
  static constexpr Index nodes = 60;
  static constexpr Index labeled = 30;

  void SetUp() override {
    RandomStream random(5, 0);
    std::vector<double> weights(nodes * nodes, 0.0);
    for (Index i = 0; i < nodes; ++i) {
      groups.push_back(i % 2 == 0 ? "even" : "odd");
      for (Index j = 0; j < i; ++j) {
        if (random.uniform() < (i % 2 == j % 2 ? 0.3 : 0.03)) {
          weights[i * nodes + j] = weights[j * nodes + i] = 1;
        }
      }
    }
    adjacency = make_dense(std::move(weights), nodes, nodes);
  }

  Targets targets(Index begin, Index end) const {
    return Targets::classes(std::vector<std::string>(groups.begin() + begin, groups.begin() + end));
  }

  Samples adjacency;
  std::vector<std::string> groups;
};

// The kernel matrix of all nodes first; then rows of labelled nodes train and rows of the others are predicted.
TEST_F(TwoGroups, LabelsSpreadToOtherNodesByThePrecomputedKernel) {
  const PreparedKernel prepared(parse_kernel("diffusion(beta=0.5)"), adjacency, Precision::double_precision, {});
  Matrix<double> k(nodes, nodes);
  evaluate_gram(prepared, Triangle::both, k.view(), {});
  const auto rows = [&](Index begin, Index end) {
    return make_dense(std::vector<double>(k.data() + begin * nodes, k.data() + end * nodes), end - begin, nodes);
  };
  SvcOptions options;
  options.C = 10;
  const auto model = fit_svc(parse_kernel("precomputed()"), options, {rows(0, labeled), targets(0, labeled)});
  EXPECT_LE(errors_of(*model, rows(labeled, nodes), targets(labeled, nodes)), 1);
}

// A model of all nodes, saved and read again, knows the nodes of the same file.
TEST_F(TwoGroups, ModelsOfAllNodesKnowThemAgain) {
  const auto model = fit_svc(parse_kernel("regularized_laplacian()"), {}, {adjacency, targets(0, nodes)});
  const auto restored = svc_entry().load(state_of(*model), {});
  const auto& rows = adjacency.as<DenseRows<double>>();
  const Samples copy = make_dense(std::vector<double>(rows.data, rows.data + nodes * nodes), nodes, nodes);
  const Matrix<double> a = model->decide(adjacency, {});
  const Matrix<double> b = restored->decide(copy, {});
  for (Index i = 0; i < nodes; ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), 1e-12);
  }
  EXPECT_LE(errors_of(*model, adjacency, targets(0, nodes)), 3);
}

}  // namespace
}  // namespace mercer
