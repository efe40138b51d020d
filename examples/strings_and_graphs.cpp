// Kernels on things that are not vectors: strings, sets, trees and graphs go through the same Gram matrices, models and
// predictions as rows of numbers. Ends with 1 where a claim of this example does not hold.
#include <cstdio>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"

namespace {

using namespace mercer;

double pair_value(const char* spec, const Samples& samples) {
  const auto prepared =
      std::make_shared<const PreparedKernel>(parse_kernel(spec), samples, Precision::double_precision, mercer::Run());
  Matrix<double> k(samples.size(), samples.size());
  CrossGram<double>(prepared, samples, mercer::Run()).evaluate(k.view(), mercer::Run());
  return k(0, 1);
}

// Random DNA; in every second sequence stands a TATA box, somewhere.
TrainingData promoters(Index count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<std::string> sequences;
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i) {
    std::string sequence;
    for (int c = 0; c < 60; ++c) {
      sequence += "ACGT"[random.below(4)];
    }
    if (i % 2 == 1) {
      sequence.replace(random.below(54), 6, "TATAAT");
    }
    sequences.push_back(sequence);
    labels.emplace_back(i % 2 == 1 ? "promoter" : "other");
  }
  return {make_strings(sequences), Targets::classes(labels)};
}

double accuracy_of(const char* spec) {
  const TrainingData train = promoters(400, 1);
  const TrainingData test = promoters(400, 2);
  const auto model = fit_svc(parse_kernel(spec), {.C = 10}, train, mercer::Run());
  const Matrix<double> predicted = model->predict(test.samples, mercer::Run());
  const ClassLabels truth = test.targets.labels(0, model->classes());
  double right = 0;
  for (Index i = 0; i < test.samples.size(); ++i) {
    right += predicted(i, 0) == truth.codes[i] ? 1 : 0;
  }
  return right / static_cast<double>(test.samples.size());
}

}  // namespace

int main() {
  const Samples words = make_strings(std::vector<std::string>{"the cat sat on the mat", "the cat ate the rat"});
  const Samples sets = make_sets(std::vector<std::vector<std::int32_t>>{{1, 2, 3}, {2, 3, 4, 5}});
  const Samples trees = make_strings(std::vector<std::string>{"(S (NP D N) (VP V))", "(S (NP D N) (VP V (NP D N)))"});
  const Samples graphs = make_graphs(
      std::vector<Graph>{{3, {{0, 1}, {1, 2}}, {0, 1, 0}, {}}, {3, {{0, 1}, {1, 2}, {2, 0}}, {0, 1, 0}, {}}});
  std::printf("common words                 %g\n", pair_value("words(min_length=1)", words));
  std::printf("common substrings of length 3 %g\n", pair_value("spectrum(k=3)", words));
  std::printf("Jaccard                      %g\n", pair_value("tanimoto()", sets));
  std::printf("common tree fragments        %g\n", pair_value("subset_tree(decay=1)", trees));
  std::printf("Weisfeiler-Lehman            %g\n", pair_value("weisfeiler_lehman(h=2)", graphs));
  const double spectrum = accuracy_of("normalize(spectrum(k=5, alphabet=dna))");
  const double composition = accuracy_of("normalize(bag_of_characters(alphabet=dna))");
  std::printf("TATA boxes found: substrings of length 5 %.1f %%, composition alone %.1f %%\n", 100 * spectrum,
              100 * composition);
  return pair_value("tanimoto()", sets) == 0.4 && spectrum > 0.85 && spectrum > composition + 0.2 ? 0 : 1;
}
