// String kernels on real sequences: how many a support vector machine gets wrong.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "data/temporary_folder.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"

namespace mercer {
namespace {

struct Sequences {
  Samples samples;
  Targets targets;
};

// Lines of label, tab, sequence.
Sequences read_sequences(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> labels;
  std::vector<std::string> strings;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    labels.push_back(line.substr(0, tab));
    strings.push_back(line.substr(tab + 1));
  }
  return {make_strings(strings), Targets::classes(labels)};
}

Index held_out_errors(const std::string& spec, double cost, const Sequences& data, const Folds& folds) {
  SvcOptions options;
  options.C = cost;
  Index errors = 0;
  for (Index fold = 0; fold < folds.count; ++fold) {
    const auto [train, test] = folds.split(fold);
    const auto model = fit_svc(parse_kernel(spec), options, {data.samples.select(train), data.targets.select(train)});
    const Matrix<double> predicted = model->predict(data.samples.select(test), mercer::Run());
    const ClassLabels truth = data.targets.select(test).labels(0, model->classes());
    for (std::size_t i = 0; i < test.size(); ++i) {
      errors += static_cast<std::int32_t>(predicted(static_cast<Index>(i), 0)) != truth.codes[i] ? 1 : 0;
    }
  }
  return errors;
}

TEST(RealStrings, WeightedDegreeTellsPromoters) {
  const std::string path = real_data("promoter/promoter.tsv");
  if (path.empty()) {
    GTEST_SKIP() << "the data are not there";
  }
  const Sequences data = read_sequences(path);
  ASSERT_EQ(data.samples.size(), 106);
  for (const char* alphabet : {"bytes", "dna"}) {
    const std::string spec = std::string("normalize(weighted_degree(degree=5, alphabet=") + alphabet + "))";
    EXPECT_LE(held_out_errors(spec, 10, data, leave_one_out(106)), 3) << spec;
  }
}

TEST(RealStrings, WeightedDegreeTellsSpliceJunctions) {
  const std::string path = real_data("splice-junction/splice_seq.tsv");
  if (path.empty()) {
    GTEST_SKIP() << "the data are not there";
  }
  const Sequences data = read_sequences(path);
  ASSERT_EQ(data.samples.size(), 3186);
  const Folds folds = stratified_k_fold(data.targets.labels().codes, 10, 0);
  const Index errors = held_out_errors("normalize(weighted_degree(degree=8, alphabet=dna))", 1, data, folds);
  RecordProperty("errors", static_cast<int>(errors));
  EXPECT_GE(1 - static_cast<double>(errors) / 3186, 0.965) << errors;
}

}  // namespace
}  // namespace mercer
