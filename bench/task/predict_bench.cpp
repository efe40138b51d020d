// Prediction: 20000 rows by an RBF expansion of 17600 centres in 50 dimensions, against LIBSVM's svm-predict on the same
// model and file. Ours counts reading the file, preparing and evaluating, on 2 threads; svm-predict the whole command.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/data/files/data_file.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/spec.h"
#include "timing.h"

namespace mercer::bench {
namespace {

constexpr Index dimension = 50;

Matrix<double> normal_rows(Index rows, std::uint64_t seed) {
  Matrix<double> x(rows, dimension);
  RandomStream random(seed);
  for (Index i = 0; i < rows * dimension; ++i) {
    x.data()[i] = std::round(random.normal() * 1e6) / 1e6;  // as many digits as LIBSVM prints
  }
  return x;
}

void write_row(std::ofstream& out, const Matrix<double>& x, Index i) {
  for (Index c = 0; c < dimension; ++c) {
    out << ' ' << c + 1 << ':' << shortest(x(i, c));
  }
  out << '\n';
}

void write_model(const std::filesystem::path& path, const Matrix<double>& centers, const Matrix<double>& alpha) {
  std::ofstream out(path);
  out << "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.01\nnr_class 2\ntotal_sv " << centers.rows()
      << "\nrho 0\nSV\n";
  for (Index i = 0; i < centers.rows(); ++i) {
    out << shortest(alpha(i, 0));
    write_row(out, centers, i);
  }
}

// The largest difference between svm-predict's output and ours.
double largest_difference(const std::filesystem::path& path, const Matrix<double>& ours) {
  std::ifstream in(path);
  double largest = 0;
  double value = 0;
  for (Index i = 0; in >> value; ++i) {
    largest = std::max(largest, std::abs(value - ours(i, 0)));
  }
  return largest;
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  using namespace mercer;
  using namespace mercer::bench;
  const Index rows = argc > 1 ? std::atoi(argv[1]) : 20000;
  const Index centers = argc > 2 ? std::atoi(argv[2]) : 17600;
  const std::string peer = "/usr/bin/svm-predict";
  if (access(peer.c_str(), X_OK) != 0) {
    std::fprintf(stderr, "%s is not installed: nothing to compare with\n", peer.c_str());
    return 1;
  }
  const auto folder = std::filesystem::temp_directory_path() / ("mercer-bench-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const Matrix<double> z = normal_rows(centers, 1);
  const Matrix<double> x = normal_rows(rows, 2);
  Matrix<double> alpha(centers, 1);
  RandomStream random(3);
  for (Index i = 0; i < centers; ++i) {
    alpha(i, 0) = random.normal();
  }
  write_model(folder / "model", z, alpha);
  {
    std::ofstream out(folder / "test");
    for (Index i = 0; i < rows; ++i) {
      out << '0';
      write_row(out, x, i);
    }
  }

  const mercer::Run run(RunOptions{.threads = 2});
  const Expansion expansion(parse_kernel("rbf(gamma=0.01)"), make_dense(Matrix<double>::copy_of(z.view())),
                            Matrix<double>::copy_of(alpha.view()), ParametricPart::none, Matrix<double>(0, 1),
                            Precision::single_precision, run);
  Matrix<double> values(rows, 1);
  const double ours = best_seconds(3, 1, [&] {
    const Samples samples = to_dense<float>(read_data(folder / "test", {}, run).samples);
    expansion.evaluate(samples, values.view(), run);
  });
  const std::string command =
      peer + " " + (folder / "test").string() + " " + (folder / "model").string() + " " + (folder / "out").string();
  int status = 0;
  const double theirs = best_seconds(1, 1, [&] { status = std::system((command + " > /dev/null").c_str()); });
  print_result("predict " + std::to_string(rows) + "x" + std::to_string(centers) + " d=50 / svm-predict", ours, theirs);
  std::fprintf(stderr, "largest difference to svm-predict %.2g\n", largest_difference(folder / "out", values));
  std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}
