// Support vector machines on real data: test accuracies as LIBSVM has them, with the same C and gamma.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "mercer/data/files/data_file.h"
#include "mercer/models/libsvm/libsvm_prediction.h"
#include "mercer/models/libsvm/libsvm_training.h"

namespace mercer {
namespace {

std::filesystem::path data_folder() {
  const char* given = std::getenv("MERCER_DATA");
  return given != nullptr ? std::filesystem::path(given) : std::filesystem::path(MERCER_DATA_DEFAULT);
}

struct RealSet {
  const char* train;
  const char* test;
  double cost;
  double gamma;
  double accuracy;  // in percent
};

std::vector<double> labels_of(const DataFile& file) {
  const Matrix<double> values = file.targets->values();
  return {values.data(), values.data() + values.rows()};
}

class RealData : public ::testing::TestWithParam<RealSet> {};

TEST_P(RealData, AccuracyIsLibsvms) {
  const RealSet& set = GetParam();
  const auto train_path = data_folder() / set.train;
  const auto test_path = data_folder() / set.test;
  if (!std::filesystem::exists(train_path) || !std::filesystem::exists(test_path)) {
    GTEST_SKIP() << train_path << " is not there";
  }
  const mercer::Run run;
  const DataFile train = read_data(train_path.string(), {}, run);
  ReadOptions options;
  options.columns = train.samples.columns();
  const DataFile test = read_data(test_path.string(), options, run);
  LibsvmParameters parameters;
  parameters.cost = set.cost;
  parameters.gamma = set.gamma;
  parameters.memory_mb = 1000;
  const LibsvmTraining training = train_libsvm(parameters, train.samples, labels_of(train), run);
  const std::vector<double> predicted =
      libsvm_predictions(training.model, libsvm_decision_values(training.model, test.samples, run).view());
  const std::vector<double> truth = labels_of(test);
  double right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    right += truth[i] == predicted[i] ? 1 : 0;
  }
  EXPECT_NEAR(100 * right / static_cast<double>(truth.size()), set.accuracy, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Sets, RealData,
                         ::testing::Values(RealSet{"a9a/a9a.gz", "a9a/a9a.t.gz", 1, 0.05, 85.087},
                                           RealSet{"ijcnn1/ijcnn1.trn.bz2", "ijcnn1/ijcnn1.t.bz2", 32, 2, 98.697},
                                           RealSet{"libsvm/letter.scale.gz", "libsvm/letter.scale.t.gz", 16, 2, 97.72},
                                           RealSet{"libsvm/satimage.scale.gz", "libsvm/satimage.scale.t.gz", 16, 1,
                                                   91.3},
                                           RealSet{"libsvm/dna.gz", "libsvm/dna.t.gz", 8, 0.015625, 95.447},
                                           RealSet{"libsvm/usps.gz", "libsvm/usps.t.gz", 10, 1.0 / 128, 95.32},
                                           RealSet{"libsvm/splice.gz", "libsvm/splice.t.gz", 1000, 1.0 / 70, 90.2},
                                           RealSet{"svmguide1/svmguide1.gz", "svmguide1/svmguide1.t", 1, 0.25, 66.925}),
                         [](const auto& entry) {
                           std::string name = entry.param.train;
                           name = name.substr(name.rfind('/') + 1);
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace mercer
