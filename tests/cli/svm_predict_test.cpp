// mercer svm-predict on models that LIBSVM trained, beside LIBSVM's svm-predict: equal labels, values to 1e-5, equal
// result lines; and the program under the name svm-predict.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/peer.h"
#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class SvmPredict : public CliTest {
 protected:
  void train(const std::string& data, const std::string& model, std::vector<std::string> flags) {
    flags.insert(flags.end(), {"-q", data, model});
    const Outcome outcome = run_other(peer("svm-train"), flags, folder_);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  // Words that are numbers in both files agree to 1e-5; `exact` words per line are labels and must be equal.
  static void expect_close(const std::string& ours, const std::string& theirs, bool labels) {
    std::istringstream a(ours);
    std::istringstream b(theirs);
    std::string x;
    std::string y;
    while (std::getline(b, y)) {
      ASSERT_TRUE(std::getline(a, x));
      const auto p = words(x);
      const auto q = words(y);
      ASSERT_EQ(p.size(), q.size());
      if (labels || q[0] == "labels") {
        ASSERT_EQ(p[0], q[0]);
      }
      for (std::size_t i = q[0] == "labels" ? 1 : 0; i < q.size(); ++i) {
        ASSERT_NEAR(std::stod(p[i]), std::stod(q[i]), 1e-5 * std::max(1.0, std::abs(std::stod(q[i]))));
      }
    }
    ASSERT_FALSE(std::getline(a, x));
  }

  void compare(const std::string& test, const std::string& model, std::vector<std::string> flags, bool labels) {
    auto theirs = flags;
    theirs.insert(theirs.end(), {test, model, path("theirs")});
    auto ours = flags;
    ours.insert(ours.begin(), "svm-predict");
    ours.insert(ours.end(), {test, model, path("ours")});
    const Outcome a = run_other(peer("svm-predict"), theirs, folder_);
    const Outcome b = run(ours);
    EXPECT_EQ(a.code, b.code);
    EXPECT_EQ(a.out, b.out);
    EXPECT_EQ(a.err, b.err);
    if (a.code == 0) {
      expect_close(read("ours"), read("theirs"), labels);
    }
  }
};

TEST_F(SvmPredict, EveryTypeAndKernel) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const std::string data = write("train", two_classes(150, 1));
  const std::string test = write("test", two_classes(400, 2));
  for (int type = 0; type < 5; ++type) {
    for (int kernel = 0; kernel < 4; ++kernel) {
      for (const char* probability : {"0", "1"}) {
        if (type == 2 && probability[0] == '1') {
          continue;  // the LIBSVM of Debian 12 has no one-class probabilities
        }
        SCOPED_TRACE("-s " + std::to_string(type) + " -t " + std::to_string(kernel) + " -b " + probability);
        train(data, path("model"),
              {"-s", std::to_string(type), "-t", std::to_string(kernel), "-r", "0.5", "-b", probability});
        compare(test, path("model"), {}, type < 3);
        compare(test, path("model"), {"-b", "1"}, type < 3);
        compare(test, path("model"), {"-q", "-b", probability}, type < 3);
      }
    }
  }
}

TEST_F(SvmPredict, SeveralClassesWithProbabilities) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  for (const int classes : {3, 5, 12}) {
    SCOPED_TRACE(classes);
    const std::string data = write("train", two_classes(40 * classes, 3, classes));
    const std::string test = write("test", two_classes(300, 4, classes));
    for (const char* kernel : {"0", "2"}) {
      train(data, path("model"), {"-t", kernel, "-c", "2", "-b", "1"});
      compare(test, path("model"), {}, true);
      compare(test, path("model"), {"-b", "1"}, true);
      train(data, path("model"), {"-s", "1", "-n", "0.2", "-t", kernel});
      compare(test, path("model"), {}, true);
    }
  }
}

TEST_F(SvmPredict, Precomputed) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  for (const char* type : {"0", "1", "2", "3", "4"}) {
    const std::string data = write("train", precomputed(two_classes(60, 5)));
    train(data, path("model"), {"-s", type, "-t", "4"});
    compare(data, path("model"), {}, type[0] < '3');
  }
  const std::string several = write("train", precomputed(two_classes(80, 6, 4)));
  train(several, path("model"), {"-t", "4", "-b", "1"});
  compare(several, path("model"), {"-b", "1"}, true);
}

TEST_F(SvmPredict, IndicesBeyondTheModelAndFromZero) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const std::string data = write("train", "1 0:1 2:3\n-1 0:2 2:4.5\n1 1:0.5\n-1 1:2.5 3:1\n");
  const std::string test = write("test", "1 0:1 2:1\n-1 9:0.5 100000:0.25\n1\n-1 1:3\n");
  for (const char* kernel : {"0", "1", "2", "3"}) {
    train(data, path("model"), {"-t", kernel});
    compare(test, path("model"), {}, true);
  }
}

TEST_F(SvmPredict, OneClassOnly) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const std::string data = write("train", "1 1:3\n1 1:4\n");
  for (const char* probability : {"0", "1"}) {
    train(data, path("model"), {"-b", probability});
    compare(data, path("model"), {}, true);
    compare(data, path("model"), {"-b", "1"}, true);
  }
}

TEST_F(SvmPredict, EndsAlikeOnWrongFilesAndFlags) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const std::string data = write("train", two_classes(60, 7));
  train(data, path("model"), {});
  compare(path("missing"), path("model"), {}, true);
  compare(data, path("missing"), {}, true);
  compare(data, path("model"), {"-b", "1"}, true);
  const Outcome ours = run({"svm-predict", data, path("model"), path("no/folder")});
  EXPECT_EQ(ours.code, 1);
  EXPECT_EQ(ours.err, "can't open output file " + path("no/folder") + "\n");
}

const char* const small_model =
    "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 \n-1 1:-1 "
    "\n";

TEST_F(SvmPredict, LabelsAndLines) {
  const std::string model = write("model", small_model);
  const std::string test = write("test", "1 1:1\n-1 1:0.2\n1 1:-3\n");
  const Outcome outcome = run({"svm-predict", test, model, path("out")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "Accuracy = 66.6667% (2/3) (classification)\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(read("out"), "1\n-1\n-1\n");
  EXPECT_EQ(run({"svm-predict", "-q", test, model, path("out")}).out, "");
}

TEST_F(SvmPredict, ActsUnderItsOwnName) {
  const std::string model = write("model", small_model);
  const std::string test = write("test", "1 1:1\n");
  std::filesystem::create_symlink(program_path(), path("svm-predict"));
  const Outcome outcome = run_other(path("svm-predict"), {test, model, path("out")}, folder_);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "Accuracy = 100% (1/1) (classification)\n");
}

TEST_F(SvmPredict, OneClassProbabilitiesOfNewerVersions) {
  const std::string model = write("model",
                                  "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\n"
                                  "prob_density_marks -5 -4 -3 -2 -1 1 2 3 4 5\nSV\n1 1:1 \n");
  const std::string test = write("test", "1 1:-6\n1 1:-4.5\n1 1:0.5\n1 1:7\n");
  const Outcome outcome = run({"svm-predict", "-b", "1", test, model, path("out")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read("out"), "label normal outlier\n-1 0.001 0.999\n-1 0.1 0.9\n1 0.5 0.5\n1 0.999 0.001\n");
}

TEST_F(SvmPredict, HostileModelsLeaveNothing) {
  const std::string test = write("test", "1 1:1\n");
  for (const std::string text : {"", "hello\n", "svm_type c_svc\n",
                                 "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 999999999\nrho 0\n"
                                 "label 1 -1\nnr_sv 999999998 1\nSV\n1 1:1\n"}) {
    SCOPED_TRACE(text);
    const std::string model = write("model", text);
    const auto before = listing();
    const Outcome outcome = run({"svm-predict", test, model, path("out")});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "can't open model file " + model)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(SvmPredict, WrongDataNamesTheLineAndLeavesNothing) {
  const std::string model = write("model", small_model);
  const std::string test = write("test", "1 1:1\n-1 2:1 1:1\n");
  const auto before = listing();
  const Outcome outcome = run({"svm-predict", test, model, path("out")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("Wrong input format at line 2\n")) << outcome.err;
  EXPECT_EQ(listing(), before);
}

TEST_F(SvmPredict, WrongUsageShowsTheFlags) {
  const Outcome few = run({"svm-predict", "a", "b"});
  EXPECT_EQ(few.code, 1);
  EXPECT_TRUE(few.out.starts_with("Usage: svm-predict [options] test_file model_file output_file\n"));
  const Outcome unknown = run({"svm-predict", "-x", "1", "a", "b", "c"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.err, "Unknown option: -x\n");
  EXPECT_EQ(run({"svm-predict", "--help"}).code, 0);
}

}  // namespace
}  // namespace mercer::cli_test
