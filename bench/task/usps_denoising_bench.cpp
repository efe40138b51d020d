// Denoising of USPS digits by kernel PCA, as figures 18.7 and 18.8 of Schölkopf & Smola (2002): 300 training digits per
// class, Gaussian noise (σ = 0.5) or speckle (a pixel turns black or white with probability p/2 each), the noisy digit
// projected on n components and taken back to an image. Kernel PCA with k = exp(−d²/128) against linear PCA; one JSON
// object per line: the mean squared error per pixel against the digit without noise.
//
//   usps_denoising_bench [PER_CLASS [PICTURE.pgm [WIDTH]]]    test digits per class (10); usps_denoising_picture.py makes
//                                                             a PNG of the picture; k = exp(−d²/WIDTH)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/features/kpca.h"
#include "usps_images.h"

namespace mercer::bench {
namespace {

constexpr Index pixels = 256;
const std::vector<Index> counts = {1, 4, 8, 12, 16, 24, 32, 64, 128, 256};
const std::vector<Index> shown = {1, 4, 16, 64, 256};

// The first `per_class` digits of every class, class after class.
Matrix<double> first_of_classes(const UspsImages& images, Index per_class) {
  const ClassLabels labels = images.labels.labels();
  std::vector<Index> chosen;
  for (std::int32_t c = 0; c < 10; ++c) {
    Index taken = 0;
    for (Index i = 0; i < images.pixels.rows() && taken < per_class; ++i) {
      if (labels.codes[i] == c) {
        chosen.push_back(i);
        ++taken;
      }
    }
  }
  Matrix<double> result(static_cast<Index>(chosen.size()), pixels);
  for (Index i = 0; i < result.rows(); ++i) {
    std::copy_n(images.pixels.view().row_data(chosen[i]), pixels, result.view().row_data(i));
  }
  return result;
}

struct Noise {
  const char* name;
  double deviation;  // Gaussian
  double speckle;    // p
};
constexpr Noise noises[] = {{"gaussian 0.5", 0.5, 0}, {"speckle 0.2", 0, 0.2}, {"speckle 0.4", 0, 0.4}};

Matrix<double> with_noise(const Matrix<double>& clean, const Noise& noise) {
  Matrix<double> noisy = Matrix<double>::copy_of(clean.view());
  RandomStream random(1, 1);
  for (Index i = 0; i < noisy.rows() * pixels; ++i) {
    noisy.data()[i] += noise.deviation * random.normal();
    const double u = random.uniform();
    if (u < noise.speckle) {
      noisy.data()[i] = u < noise.speckle / 2 ? -1.0 : 1.0;
    }
  }
  return noisy;
}

double mean_squared_error(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (Index i = 0; i < a.rows() * pixels; ++i) {
    sum += (a.data()[i] - b.data()[i]) * (a.data()[i] - b.data()[i]);
  }
  return sum / static_cast<double>(a.rows() * pixels);
}

// The model with its first components alone.
FeatureModel truncated(const FeatureModel& model, Index count, const Run& run) {
  FeatureModel::Parts parts = model.parts();
  const Expansion& all = parts.expansion;
  count = std::min(count, all.outputs());
  const Index functions = all.parametric_coefficients().rows();
  Expansion some(
      all.kernel(), all.centers(), Matrix<double>::copy_of(all.coefficients().block(0, 0, all.centers().size(), count)),
      all.parametric_part(), Matrix<double>::copy_of(all.parametric_coefficients().block(0, 0, functions, count)),
      all.precision(), run);
  parts.expansion = std::move(some);
  parts.values.resize(count);
  parts.residual->scales.resize(count);
  ModelHead head = model.head();
  head.output_names = component_names(count);
  return FeatureModel(std::move(head), std::move(parts));
}

// Linear PCA: mean and leading eigenvectors of the covariance, as columns from the last.
class LinearPca {
 public:
  LinearPca(const Matrix<double>& x, const Run& run) : mean_(pixels, 0.0) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < pixels; ++j) {
        mean_[j] += x(i, j) / static_cast<double>(x.rows());
      }
    }
    const Matrix<double> centered = less_mean(x);
    Matrix<double> covariance(pixels, pixels);
    parallel_syrk<double>(1.0, centered.view(), Transpose::yes, 0.0, covariance.view(), run);
    vectors_ = symmetric_eigen(covariance.view(), run).vectors;
  }

  Matrix<double> projected(const Matrix<double>& x, Index count, const Run& run) const {
    const Matrix<double> centered = less_mean(x);
    const ConstMatrixView<double> leading = vectors_.view().block(0, pixels - count, pixels, count);
    Matrix<double> features(x.rows(), count);
    Matrix<double> result(x.rows(), pixels);
    parallel_gemm<double>(1.0, centered.view(), Transpose::no, leading, Transpose::no, 0.0, features.view(), run);
    parallel_gemm<double>(1.0, features.view(), Transpose::no, leading, Transpose::yes, 0.0, result.view(), run);
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < pixels; ++j) {
        result(i, j) += mean_[j];
      }
    }
    return result;
  }

 private:
  Matrix<double> less_mean(const Matrix<double>& x) const {
    Matrix<double> centered = Matrix<double>::copy_of(x.view());
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < pixels; ++j) {
        centered(i, j) -= mean_[j];
      }
    }
    return centered;
  }

  std::vector<double> mean_;
  Matrix<double> vectors_;
};

// Rows of images, one per class in every row; gray values, −1 white.
void write_picture(const std::string& path, const std::vector<std::vector<const Matrix<double>*>>& rows,
                   Index per_class) {
  constexpr Index cell = 18;
  const Index width = static_cast<Index>(rows.front().size()) * 10 * cell;
  const Index height = static_cast<Index>(rows.size()) * cell;
  std::vector<unsigned char> gray(width * height, 255);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t block = 0; block < rows[r].size(); ++block) {
      for (Index digit = 0; digit < 10; ++digit) {
        const double* const image = rows[r][block]->view().row_data(digit * per_class);
        for (Index p = 0; p < pixels; ++p) {
          const Index y = static_cast<Index>(r) * cell + 1 + p / 16;
          const Index x = (static_cast<Index>(block) * 10 + digit) * cell + 1 + p % 16;
          const double level = std::clamp((1 - image[p]) / 2, 0.0, 1.0);
          gray[y * width + x] = static_cast<unsigned char>(255 * level + 0.5);
        }
      }
    }
  }
  std::ofstream out(path, std::ios::binary);
  out << "P5\n" << width << ' ' << height << "\n255\n";
  out.write(reinterpret_cast<const char*>(gray.data()), static_cast<std::streamsize>(gray.size()));
}

void print_error(const char* noise, const char* method, Index components, double error) {
  std::printf("{\"bench\":\"usps denoising\",\"noise\":\"%s\",\"method\":\"%s\",\"components\":%lld,\"mse\":%.5f}\n",
              noise, method, static_cast<long long>(components), error);
  std::fflush(stdout);
}

int run_all(Index per_class, const char* picture, double width) {
  const Run run;
  const Matrix<double> train = first_of_classes(read_usps("zip.train.csv.gz", 0.75), 300);
  const Matrix<double> clean = first_of_classes(read_usps("zip.test.csv.gz", 0.75), per_class);
  KpcaOptions options;
  options.components = 256;
  const auto kpca = fit_kpca(parse_kernel("rbf(gamma=" + std::to_string(1 / width) + ")"), options,
                             {make_dense(Matrix<double>::copy_of(train.view())), {}}, run);
  const LinearPca pca(train, run);
  constexpr std::size_t kinds = std::size(noises);
  std::map<std::pair<int, Index>, Matrix<double>> pictures[kinds];
  Matrix<double> noisy[kinds];
  for (std::size_t which = 0; which < kinds; ++which) {
    const char* const name = noises[which].name;
    noisy[which] = with_noise(clean, noises[which]);
    print_error(name, "none", 0, mean_squared_error(noisy[which], clean));
    const Samples samples = make_dense(Matrix<double>::copy_of(noisy[which].view()));
    for (const Index count : counts) {
      Matrix<double> kernel = truncated(*kpca, count, run).reconstruct(samples, run);
      Matrix<double> linear = pca.projected(noisy[which], count, run);
      print_error(name, "kernel pca", count, mean_squared_error(kernel, clean));
      print_error(name, "linear pca", count, mean_squared_error(linear, clean));
      pictures[which].insert_or_assign({0, count}, std::move(kernel));
      pictures[which].insert_or_assign({1, count}, std::move(linear));
    }
  }
  if (picture != nullptr) {
    std::vector<std::vector<const Matrix<double>*>> rows = {{&clean, &clean}, {&noisy[0], &noisy[1]}};
    for (const int method : {0, 1}) {
      for (const Index count : shown) {
        rows.push_back({&pictures[0].at({method, count}), &pictures[1].at({method, count})});
      }
    }
    write_picture(picture, rows, per_class);
  }
  return 0;
}

}  // namespace
}  // namespace mercer::bench

int main(int count, char** arguments) {
  return mercer::bench::run_all(count > 1 ? std::atoll(arguments[1]) : 10, count > 2 ? arguments[2] : nullptr,
                                count > 3 ? std::atof(arguments[3]) : 128);
}
