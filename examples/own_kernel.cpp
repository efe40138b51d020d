// A kernel of your own, outside of the library: the hyperbolic secant
//
//   k(x, y) = 1/cosh(‖x − y‖/ℓ) = Π_m 1/(1 + 4‖x − y‖²/((2m − 1)²π²ℓ²)),   m = 1, 2, …
//
// a product of Cauchy kernels, so positive definite in any number of dimensions and infinitely divisible: as smooth as the
// Gaussian at 0, with the tails of the exponential. Its entry makes it part of the text form; kernel ridge regression, the
// algebra of kernels and gradients then take it like any other.
//
//   example_own_kernel examples/data
#include <mercer/mercer.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

// φ(u) = 1/cosh(√u), u = ‖x − y‖²/ℓ²; distances, length scales and derivatives by them are the base's matter.
class SechNode final : public mercer::RadialNode {
 public:
  SechNode(const mercer::KernelEntry& entry, mercer::ParameterList parameters, std::vector<mercer::Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0) {}

  mercer::Definiteness definiteness() const override {
    mercer::Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { fill(u); }
  void profile(std::span<double> u) const override { fill(u); }
  // φ' = −φ tanh(s)/(2s), s = √u; by their series near 0, where the quotients lose their digits.
  void first_derivative(std::span<double> u) const override {
    for (double& value : u) {
      const double s = std::sqrt(value);
      value = value < 1e-6 ? -0.5 + 5.0 / 12 * value : -std::tanh(s) / (2 * s * std::cosh(s));
    }
  }
  // φ'' = φ (tanh²(s) − φ² + tanh(s)/s)/(4u)
  void second_derivative(std::span<double> u) const override {
    for (double& value : u) {
      const double s = std::sqrt(value);
      const double sech = 1 / std::cosh(s);
      const double tanh = std::tanh(s);
      value =
          value < 1e-6 ? 5.0 / 12 - 61.0 / 120 * value : sech * (tanh * tanh - sech * sech + tanh / s) / (4 * value);
    }
  }

 private:
  template <class T>
  static void fill(std::span<T> u) {
    for (T& value : u) {
      value = 1 / std::cosh(std::sqrt(value));
    }
  }
};

const mercer::KernelEntry& sech_entry() {
  static const mercer::KernelEntry entry{.name = "sech",
                                         .formula = "1 / cosh(|x-y| / lengthscale)",
                                         .summary = "hyperbolic secant: smooth, with exponential tails",
                                         .definiteness = "positive definite",
                                         .parameters = {{.name = "lengthscale",
                                                         .default_text = "scale",
                                                         .meaning = "width, one number or one per column",
                                                         .may_be_list = true,
                                                         .may_be_infinite = true}},
                                         .make = mercer::make_node<SechNode>,
                                         .examples = {"sech(lengthscale=1.5)"}};
  return entry;
}

// The largest |k(x_i, x_j) − f(‖x_i − x_j‖)| over points of the line.
double largest_difference(const mercer::Kernel& kernel, double (*f)(double distance), const mercer::Run& run) {
  const std::vector<double> points = {0, 0.1, 0.5, 2, 30};
  const auto count = static_cast<mercer::Index>(points.size());
  const mercer::PreparedKernel prepared(kernel, mercer::make_dense(points, count, 1),
                                        mercer::Precision::double_precision, run);
  mercer::Matrix<double> gram(count, count);
  mercer::evaluate_gram<double>(prepared, mercer::Triangle::both, gram.view(), run);
  double largest = 0;
  for (mercer::Index i = 0; i < count; ++i) {
    for (mercer::Index j = 0; j < count; ++j) {
      const double distance = points[i] - points[j];
      largest = std::max(largest, std::abs(gram(i, j) - f(distance)));
    }
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run;

  // Made directly, or read: entries of the program's own are handed to the parser.
  const mercer::Kernel made = mercer::make_kernel(sech_entry(), {{"lengthscale", mercer::ParameterValue::number(2)}});
  const std::array own = {&sech_entry()};
  const mercer::Kernel read = mercer::parse_kernel("sech(lengthscale=2)", own);
  const double difference = largest_difference(read, [](double r) { return 1 / std::cosh(r / 2); }, run);
  std::printf("%s, %s: differs from its formula by %.1e\n", made.spec().c_str(), to_string(made.definiteness()).c_str(),
              difference);

  const mercer::DataFile file = mercer::read_data(folder + "/diabetes.csv", {.targets = {"progression"}}, run);
  const mercer::Scaling scaling = mercer::fit_scaling(mercer::default_scaling(file.samples), file.samples);
  const mercer::TrainingData data{scaling.apply(file.samples, run), *file.targets};
  const auto model = mercer::fit_ridge(mercer::parse_kernel("sech(lengthscale=scale) + 0.1*linear()", own),
                                       {.lambda = 1.0, .loo = true}, data, run);
  const double error = model->report().measures.front().value;
  std::printf("%s: leave-one-out RMSE %.2f\n", model->kernel().spec().c_str(), error);

  // The columns explain about half of the variance of the targets, whose standard deviation is 77.
  const bool right = made == read && difference < 1e-14 && error < 60;
  return right ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
