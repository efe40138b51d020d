// LIBSVM model files: what is written reads back as itself; every damage is a DataError with its line.
#include "mercer/io/libsvm_model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "mercer/base/error.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

const std::string good =
    "svm_type c_svc\nkernel_type rbf\ngamma 0.25\nnr_class 3\ntotal_sv 4\nrho 0.1 -0.2 0.3\nlabel 1 -1 5\n"
    "probA -1 -2 -3\nprobB 0 0.5 1\nnr_sv 1 2 1\nSV\n"
    "0.5 1 1:0.25 3:-1 \n-0.5 0 2:1e-3 \n-1 0.75 \n-1 -0.75 1:1 2:2 3:3 \n";

std::string text_of(const LibsvmModel& model) {
  std::string text;
  write_libsvm_model(model, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(LibsvmModelFile, ReadsEveryPart) {
  const LibsvmModel model = parse_libsvm_model(good, "m");
  EXPECT_EQ(model.type, LibsvmType::c_svc);
  EXPECT_EQ(model.kernel, LibsvmKernel::rbf);
  EXPECT_EQ(model.gamma, 0.25);
  EXPECT_EQ(model.classes, 3);
  EXPECT_EQ(model.rho, (std::vector<double>{0.1, -0.2, 0.3}));
  EXPECT_EQ(model.labels, (std::vector<int>{1, -1, 5}));
  EXPECT_TRUE(model.has_probabilities);
  EXPECT_EQ(model.probability_a, (std::vector<double>{-1, -2, -3}));
  EXPECT_EQ(model.probability_b, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(model.class_sizes, (std::vector<Index>{1, 2, 1}));
  ASSERT_EQ(model.coefficients.rows(), 4);
  ASSERT_EQ(model.coefficients.columns(), 2);
  EXPECT_EQ(model.coefficients(2, 1), 0.75);
  const auto& rows = model.support_vectors.as<SparseRows<double>>();
  EXPECT_EQ(rows.columns, 4);
  EXPECT_EQ(std::vector<std::int64_t>(rows.offsets, rows.offsets + 5), (std::vector<std::int64_t>{0, 2, 3, 3, 6}));
  EXPECT_EQ(rows.column_numbers[2], 2);
  EXPECT_EQ(rows.values[2], 1e-3);
  EXPECT_EQ(libsvm_kernel(model).spec(), "rbf(gamma=0.25)");
}

TEST(LibsvmModelFile, WritesWhatItReads) {
  EXPECT_EQ(text_of(parse_libsvm_model(good, "m")), [] {
    std::string expected = good;
    expected.replace(expected.find("1e-3"), 4, "0.001");
    return expected;
  }());
  for (const std::string text :
       {"svm_type nu_svr\nkernel_type polynomial\ndegree 4\ngamma 0.5\ncoef0 -1.5\nnr_class 2\ntotal_sv 1\nrho 2\n"
        "probA 0.75\nSV\n0.5 7:1 \n",
        "svm_type one_class\nkernel_type sigmoid\ngamma 0.5\ncoef0 0\nnr_class 2\ntotal_sv 1\nrho 2\n"
        "prob_density_marks 1 2 3 4 5 6 7 8 9 10\nSV\n1 0:3 \n",
        "svm_type nu_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 2\nlabel 3 4\nnr_sv 1 1\nSV\n"
        "1 0:17 \n-1 0:3 \n",
        "svm_type c_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 3\nprobA\nprobB\nnr_sv 0\nSV\n",
        "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho -3\nSV\n"}) {
    EXPECT_EQ(text_of(parse_libsvm_model(text, "m")), text);
  }
}

// Any double survives, in coefficients and features; pieces of the text are cut anywhere.
TEST(LibsvmModelFile, NumbersAreLossless) {
  std::mt19937_64 random(4);
  const auto number = [&] {
    for (;;) {
      const std::uint64_t bits = random();
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      if (std::isfinite(value)) {
        return value;
      }
    }
  };
  LibsvmModel model;
  model.type = LibsvmType::epsilon_svr;
  model.gamma = 1.0 / 3;
  model.rho = {number()};
  const Index rows = 30000;
  model.coefficients = Matrix<double>(rows, 1);
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < rows; ++i) {
    model.coefficients(i, 0) = number();
    for (std::int32_t c = 1; c < 4; ++c) {
      values.push_back(number());
      columns.push_back(c + static_cast<std::int32_t>(i % 5));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  model.support_vectors = make_sparse(values, columns, offsets, 10);
  const std::string text = text_of(model);
  ASSERT_GT(text.size(), std::size_t{2} << 20);  // several pieces
  const LibsvmModel again = parse_libsvm_model(text, "m");
  EXPECT_EQ(again.rho, model.rho);
  EXPECT_EQ(again.gamma, model.gamma);
  EXPECT_TRUE(testing::same_bits(model.coefficients, again.coefficients));
  const auto& read = again.support_vectors.as<SparseRows<double>>();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), read.values));
  EXPECT_TRUE(std::equal(columns.begin(), columns.end(), read.column_numbers));
}

struct Damage {
  std::string from;
  std::string to;
  int line;
};

std::string damaged(const Damage& damage) {
  std::string text = good;
  const auto at = text.find(damage.from);
  EXPECT_NE(at, text.npos) << damage.from;
  return text.replace(at, damage.from.size(), damage.to);
}

TEST(LibsvmModelFile, DamageIsNamedWithItsLine) {
  for (const Damage& damage : std::vector<Damage>{{"c_svc", "d_svc", 1},
                                                  {"c_svc", "c_svc extra", 1},
                                                  {"kernel_type rbf", "kernel_type rbff", 2},
                                                  {"gamma 0.25", "gamma nan", 3},
                                                  {"gamma 0.25", "gamma -1", 3},
                                                  {"gamma 0.25", "gamma", 3},
                                                  {"gamma 0.25\n", "", 10},
                                                  {"gamma", "gama", 3},
                                                  {"nr_class 3", "nr_class 4", 6},
                                                  {"nr_class 3", "nr_class 0", 4},
                                                  {"nr_class 3", "nr_class 2000000000", 6},
                                                  {"nr_class 3", "nr_class 99999999999999999999", 4},
                                                  {"total_sv 4", "total_sv -4", 5},
                                                  {"total_sv 4", "total_sv 5", 10},
                                                  {"rho 0.1 -0.2 0.3", "rho 0.1 -0.2", 6},
                                                  {"rho 0.1 -0.2 0.3", "rho 0.1 -0.2 inf", 6},
                                                  {"label 1 -1 5", "label 1 -1 x", 7},
                                                  {"label 1 -1 5", "label 1 -1 5000000000", 7},
                                                  {"label 1 -1 5\n", "label 1 -1 5\nlabel 1 -1 5\n", 8},
                                                  {"probB 0 0.5 1\n", "", 10},
                                                  {"nr_sv 1 2 1", "nr_sv 1 2 2", 10},
                                                  {"nr_sv 1 2 1", "nr_sv -1 4 1", 10},
                                                  {"0.5 1 1:0.25", "0.5 x 1:0.25", 12},
                                                  {"0.5 1 1:0.25", "0.5 nan 1:0.25", 12},
                                                  {"0.5 1 1:0.25", "0.5 1:0.25", 12},
                                                  {"0.5 1 1:0.25", "0.5 1 1:0.25:3", 12},
                                                  {"0.5 1 1:0.25", "0.5 1 1: 0.25", 12},
                                                  {"0.5 1 1:0.25", "0.5 1 -1:0.25", 12},
                                                  {"2:1e-3", "2:inf", 13},
                                                  {"2:1e-3", "2:1e-3 2:1", 13},
                                                  {"2:1e-3", "3:1 2:1", 13},
                                                  {"2:1e-3", "99999999999:1", 13},
                                                  {"2:1e-3", "2:1e-3#", 13},
                                                  {"-1 0.75 \n", "-1\n", 14},
                                                  {"-1 0.75 \n", "", 14}}) {
    SCOPED_TRACE(damage.to);
    try {
      parse_libsvm_model(damaged(damage), "m.model");
      ADD_FAILURE() << "was read";
    } catch (const DataError& error) {
      EXPECT_EQ(error.place().file, "m.model");
      EXPECT_EQ(error.place().line, damage.line) << error.what();
    }
  }
}

TEST(LibsvmModelFile, EveryTruncationIsRefusedOrWhole) {
  for (std::size_t length = 0; length < good.size() - 20; ++length) {
    EXPECT_ERROR(parse_libsvm_model(std::string_view(good).substr(0, length), "m"), DataError, "m:") << length;
  }
}

TEST(LibsvmModelFile, OrderOfHeaderLinesIsFree) {
  const LibsvmModel model = parse_libsvm_model(
      "rho 1\r\nnr_class 2\r\n\r\ntotal_sv 1\r\nkernel_type linear\r\nsvm_type one_class\r\nSV\r\n1 1:2 \r\n", "m");
  EXPECT_EQ(model.type, LibsvmType::one_class);
  EXPECT_EQ(model.support_vectors.size(), 1);
}

TEST(LibsvmModelFile, PrecomputedLinesNeedSerialNumbers) {
  const std::string head = "svm_type one_class\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 1\nSV\n";
  EXPECT_EQ(parse_libsvm_model(head + "1 0:5 \n", "m").serial_numbers, std::vector<Index>{5});
  for (const char* line : {"1", "1 0:0", "1 0:-1", "1 0:1.5", "1 1:5", "1 0:5 1:2", "1 0:9999999999"}) {
    EXPECT_ERROR(parse_libsvm_model(head + line + "\n", "m"), DataError, "a line must") << line;
  }
}

TEST(LibsvmModelFile, FilesAppearWholeOrNotAtAll) {
  const std::string folder = ::testing::TempDir();
  const std::string path = folder + "/mercer_libsvm.model";
  LibsvmModel model = parse_libsvm_model(good, "m");
  write_libsvm_model(path, model);
  EXPECT_EQ(text_of(read_libsvm_model(path)), text_of(model));
  std::filesystem::remove(path);
  model.coefficients(3, 1) = std::nan("");
  EXPECT_ERROR(write_libsvm_model(path, model), InvalidArgument,
               "a LIBSVM model with a number that is not finite cannot be written");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_ERROR(read_libsvm_model(path), IoError, "cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace mercer
