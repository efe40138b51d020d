// Kernels made of probability models: strings that only differ in how long their stretches are, bags of points that differ
// in shape. Models are fitted by EM inside the kernel, and stand in its text afterwards.
//
//   example_fisher_kernels
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"

namespace {

using mercer::Index;

// Sixty letters, G and C in stretches of about twelve, A and T in others; or the same letters in any order.
mercer::TrainingData stretches(Index rows, std::uint64_t seed) {
  mercer::RandomStream random(seed);
  std::vector<std::string> strings;
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const bool has_stretches = i % 2 == 0;
    bool rich = random.uniform() < 0.5;
    std::string text;
    for (int t = 0; t < 60; ++t) {
      rich = random.uniform() < (has_stretches ? 1.0 / 12 : 0.5) ? !rich : rich;
      const bool strong = random.uniform() < (rich ? 0.75 : 0.25);
      text += (strong ? "GC" : "AT")[random.below(2)];
    }
    strings.push_back(text);
    labels.emplace_back(has_stretches ? "stretches" : "mixed");
  }
  return {mercer::make_strings(strings), mercer::Targets::classes(labels)};
}

// Thirty points on a ring, or in a cloud of the same mean and covariance.
mercer::TrainingData shapes(Index rows, std::uint64_t seed) {
  mercer::RandomStream random(seed);
  std::vector<std::vector<std::vector<double>>> bags;
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const bool is_ring = i % 2 == 0;
    std::vector<std::vector<double>> bag;
    for (int p = 0; p < 30; ++p) {
      const double angle = 2 * std::numbers::pi * random.uniform();
      const double radius =
          is_ring ? std::numbers::sqrt2 + 0.3 * random.normal() : std::hypot(random.normal(), random.normal());
      bag.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    }
    bags.push_back(bag);
    labels.emplace_back(is_ring ? "ring" : "cloud");
  }
  return {mercer::make_bags(bags), mercer::Targets::classes(labels)};
}

double accuracy(const char* spec, const mercer::TrainingData& train, const mercer::TrainingData& test,
                const mercer::Run& run) {
  const mercer::SvcOptions options;
  const auto model = mercer::fit_svc(mercer::parse_kernel(spec), options, train, run);
  const mercer::Matrix<double> predicted = model->predict(test.samples, run);
  const mercer::ClassLabels truth = test.targets.labels(0, model->classes());
  double right = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    right += predicted(i, 0) == truth.codes[i] ? 1 : 0;
  }
  right /= static_cast<double>(predicted.rows());
  std::printf("  %-60s accuracy %.3f\n", spec, right);
  return right;
}

}  // namespace

int main() try {
  const mercer::Run run{{.seed = 1}};

  std::printf("strings with and without stretches\n");
  const mercer::TrainingData strings = stretches(200, 1);
  const mercer::TrainingData new_strings = stretches(400, 2);
  accuracy("normalize(spectrum(k=1))", strings, new_strings, run);
  accuracy("normalize(fisher_markov(order=1))", strings, new_strings, run);
  const double hidden = accuracy("normalize(fisher_hmm(states=2))", strings, new_strings, run);
  accuracy("normalize(probability_product_hmm(states=2, length=8))", strings, new_strings, run);

  std::printf("rings and clouds\n");
  const mercer::TrainingData bags = shapes(200, 3);
  const mercer::TrainingData new_bags = shapes(400, 4);
  accuracy("probability_product_bags()", bags, new_bags, run);
  const double vectors = accuracy("normalize(fisher_gaussian_mixture(components=4))", bags, new_bags, run);

  // What the data decided is part of the kernel from then on.
  const mercer::SvcOptions options;
  const auto model = mercer::fit_svc(mercer::parse_kernel("fisher_markov(order=0)"), options, strings, run);
  std::printf("%s\n", model->expansion_form()->kernel().spec().c_str());
  return hidden > 0.8 && vectors > 0.9 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
