// Texts and sequences with a linear model: which words speak for a class, which places of a sequence do.
//
//   example_texts
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/linear/linear_svm_model.h"

namespace {

void classify_texts(const mercer::Run& run) {
  const std::vector<std::string> texts = {"The shuttle reached its orbit",   "A probe left for the moon",
                                          "Two satellites in one orbit",     "The probe photographed the moon",
                                          "The goalkeeper saved the match",  "A late goal decided the match",
                                          "The season ended without a goal", "The league opened its season"};
  const std::vector<std::string> labels = {"space", "space", "space", "space", "sport", "sport", "sport", "sport"};
  const auto model = mercer::fit_linearsvc(mercer::parse_kernel("tfidf()"), {},
                                           {mercer::make_strings(texts), mercer::Targets::classes(labels)}, run);
  std::printf("heaviest of %lld words (positive: %s)\n", static_cast<long long>(model->machines().weights.rows()),
              model->classes()[1].c_str());
  for (mercer::Index j = 0; j < 6; ++j) {
    std::printf("  %+.3f  %s\n", model->machines().weights(j, 0), model->input().names()[j].c_str());
  }
  const std::vector<std::string> fresh = {"A goal in the last match", "Back from orbit, says the crew"};
  const mercer::Matrix<double> predicted = model->predict(mercer::make_strings(fresh), run);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const auto number = static_cast<std::size_t>(predicted(static_cast<mercer::Index>(i), 0));
    std::printf("  \"%s\": %s\n", fresh[i].c_str(), model->classes()[number].c_str());
  }
}

// Sequences with and without TATA at place 12: the profile of one of them shows the place.
void draw_profile(const mercer::Run& run) {
  std::mt19937 generator(1);
  std::vector<std::string> sequences;
  std::vector<std::string> labels;
  for (int i = 0; i < 120; ++i) {
    std::string sequence;
    for (int at = 0; at < 28; ++at) {
      sequence += "ACGT"[generator() % 4];
    }
    if (i % 2 == 0) {
      sequence.replace(12, 4, "TATA");
    }
    sequences.push_back(sequence);
    labels.emplace_back(i % 2 == 0 ? "promoter" : "other");
  }
  const mercer::Samples samples = mercer::make_strings(sequences);
  const mercer::Kernel kernel = mercer::parse_kernel("normalize(weighted_degree(degree=4, alphabet=dna))");
  const auto model = mercer::fit_linearsvc(kernel, {}, {samples, mercer::Targets::classes(labels)}, run);
  const auto profiles = model->input().map()->profile(samples, 0, model->machines().weights.view());
  std::printf("what every place adds for %s\n", model->classes()[1].c_str());
  for (mercer::Index at = 0; at < profiles.front().values.rows(); ++at) {
    const double part = profiles.front().values(at, 0);
    std::printf("  %c %+.3f %s\n", sequences[0][at], part,
                std::string(static_cast<std::size_t>(std::lround(100 * std::max(part, 0.0))), '#').c_str());
  }
}

}  // namespace

int main() {
  try {
    const mercer::Run run;
    classify_texts(run);
    draw_profile(run);
  } catch (const mercer::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
