// Gram matrices of string kernels: how long one takes, from the strings to n × n stored doubles. Strings: one in each
// line of a file, or 3000 random DNA sequences of length 200. With --end every string gets one more symbol at its end,
// as kernlab's stringdot has it (string_kernlab_bench.py compares values).
//
// usage: string_kernel_bench [--end] [STRINGS.txt [SPEC …]]
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "timing.h"

namespace {

std::vector<std::string> random_dna() {
  mercer::RandomStream random(1);
  std::vector<std::string> strings(3000);
  for (std::string& text : strings) {
    for (int at = 0; at < 200; ++at) {
      text += "ACGT"[random.below(4)];
    }
  }
  return strings;
}

std::vector<std::string> lines_of(const char* path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

void measure(const std::string& spec, const mercer::Samples& samples) {
  const mercer::Index n = samples.size();
  const mercer::Run run;
  mercer::Matrix<double> k(n, n);
  const double seconds = mercer::bench::best_seconds(2, 1, [&] {
    const mercer::PreparedKernel prepared(mercer::parse_kernel(spec), samples, mercer::Precision::double_precision,
                                          run);
    mercer::evaluate_gram<double>(prepared, mercer::Triangle::both, k.view(), run);
  });
  double sum = 0;
  for (mercer::Index i = 0; i < n * n; ++i) {
    sum += k.data()[i];
  }
  std::printf("{\"bench\":\"gram of %lld strings\",\"kernel\":\"%s\",\"threads\":%d,\"ours_s\":%.4g,\"sum\":%.17g}\n",
              static_cast<long long>(n), spec.c_str(), run.threads(), seconds, sum);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool adds_end = !arguments.empty() && arguments[0] == "--end";
  arguments.erase(arguments.begin(), arguments.begin() + (adds_end ? 1 : 0));
  std::vector<std::string> strings = arguments.empty() ? random_dna() : lines_of(arguments[0].c_str());
  for (std::string& text : strings) {
    text += adds_end ? "\n" : "";
  }
  const mercer::Samples samples = mercer::make_strings(strings);
  std::vector<std::string> specs(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (specs.empty()) {
    specs = {"spectrum(k=6, alphabet=dna)",
             "spectrum(k=3, alphabet=dna)",
             "blended_spectrum(k=6, alphabet=dna)",
             "all_substrings(alphabet=dna)",
             "mismatch(k=6, m=1)",
             "gappy_pair(k=3, gap=3, alphabet=dna)",
             "gapped_kmer(l=8, k=6, alphabet=dna)",
             "weighted_degree(degree=8, alphabet=dna)"};
  }
  for (const std::string& spec : specs) {
    measure(spec, samples);
  }
  return 0;
}
