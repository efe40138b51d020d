// What code knows of a fit, facts, kinds of notes and the origin, comes back from a file as it was; files of formats 1 and
// 2 have only the words of it.
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "mercer/io/model_file.h"
#include "mercer/io/older_reports.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_problem;

ModelHead head_with_everything() {
  ModelHead head{.name = "ridge", .settings = {}, .output_names = {"y"}};
  head.report.measure(Fact::noise_variance, 0.25);
  head.report.measure(Fact::kernel_weight, 0.5, "rbf(gamma=1) of any kind");
  head.report.measures.push_back({"noise variance, as people say it", 7});
  head.report.notes = {"a plain sentence", {"raised", NoteKind::jitter_added}, {"an end", NoteKind::limit_reached}};
  head.origin = {"mklridge", {{"method", "align"}, {"normalize", "unit"}}};
  return head;
}

StoredModel stored_ridge(ModelHead head) {
  const TrainingData data = random_problem(10, 2, 1, 74);
  StoredModel stored;
  stored.preparation.schema = schema_of(data.samples);
  const auto fitted = fit_ridge(parse_kernel("linear()"), {}, data, {});
  stored.model = std::make_unique<RidgeModel>(
      std::move(head), RidgeModel::Parts{.expansion = fitted->parts().expansion, .options = fitted->parts().options});
  return stored;
}

TEST(TypedReports, ComeBack) {
  const StoredModel loaded = model_from_bytes(model_to_bytes(stored_ridge(head_with_everything())), "m");
  const ModelHead wanted = head_with_everything();
  const FitReport& found = loaded.model->report();
  ASSERT_EQ(found.measures.size(), wanted.report.measures.size());
  for (std::size_t k = 0; k < found.measures.size(); ++k) {
    EXPECT_EQ(found.measures[k].name, wanted.report.measures[k].name);
    EXPECT_EQ(found.measures[k].value, wanted.report.measures[k].value);
    EXPECT_EQ(found.measures[k].fact, wanted.report.measures[k].fact);
    EXPECT_EQ(found.measures[k].about, wanted.report.measures[k].about);
  }
  EXPECT_EQ(found.notes, wanted.report.notes);
  EXPECT_EQ(loaded.model->head().origin.name, "mklridge");
  EXPECT_EQ(loaded.model->head().origin.settings, wanted.origin.settings);
}

TEST(TypedReports, OfOlderFilesAreReadFromTheirWords) {
  ModelHead head;
  for (const char* name : {"support vectors", "noise variance of height", "weight of rbf(gamma=1)", "lambda",
                           "radius of", "lambdas", "fraction outside"}) {
    head.report.measures.push_back({name, 1});
  }
  head.report.notes = {"gamma ended at its upper bound 10",
                       "lengthscale ended at its lower bound 1e-3",
                       "solved in the primal: 3 weights per output",
                       "method pivoted",
                       "jitter: 1e-10 of the mean variance was added to the diagonal",
                       "mklsvc: the kernel is the weighted sum that was learnt with method=machine rounds=20",
                       "sparse: 3 of 9 kernel functions at lambda = 0.25, chosen by generalized cross-validation",
                       "32 negative eigenvalues were dropped"};
  type_older_report(head);
  const auto& measures = head.report.measures;
  EXPECT_EQ(measures[0].fact, Fact::support_vectors);
  EXPECT_EQ(measures[1].fact, Fact::noise_variance);
  EXPECT_EQ(measures[1].about, "height");
  EXPECT_EQ(measures[2].fact, Fact::kernel_weight);
  EXPECT_EQ(measures[2].about, "rbf(gamma=1)");
  EXPECT_EQ(measures[3].fact, Fact::lambda);
  EXPECT_EQ(head.report.measured(Fact::lambda), 1);  // the first: a kfd has the sentence alone
  ASSERT_EQ(measures.size(), 8u);
  EXPECT_EQ(measures[7].fact, Fact::lambda);
  EXPECT_EQ(measures[7].value, 0.25);
  for (std::size_t k = 4; k < 7; ++k) {
    EXPECT_EQ(measures[k].fact, std::nullopt) << measures[k].name;
  }
  const std::vector<NoteKind> kinds = {NoteKind::limit_reached, NoteKind::limit_reached, NoteKind::primal_form,
                                       NoteKind::pivoted_rows,  NoteKind::jitter_added,  NoteKind::plain,
                                       NoteKind::plain,         NoteKind::plain};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    EXPECT_EQ(head.report.notes[k].kind, kinds[k]) << head.report.notes[k].text;
  }
  EXPECT_EQ(head.origin.name, "mklsvc");
  const std::vector<OptionSetting> settings = {{"method", "machine"}, {"rounds", "20"}};
  EXPECT_EQ(head.origin.settings, settings);
}

}  // namespace
}  // namespace mercer
