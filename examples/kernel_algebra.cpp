// Kernels are values: parse them, add and multiply them, ask what is known of them, evaluate them.
#include <cstdio>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/widths.h"

int main() try {
  using namespace mercer;
  const Run run;
  const Samples samples = make_dense(std::vector<double>{0, 0, 1, 0, 0, 2, 3, 3}, 4, 2);

  // The same kernel from text and from operators.
  const Kernel text = parse_kernel("0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1)[0]");
  const Kernel built =
      0.5 * parse_kernel("rbf(gamma=0.1)") + on_columns(parse_kernel("poly(degree=2, gamma=1)"), {{ColumnSpan{0, 1}}});
  std::printf("%s\n%s\n", text.spec().c_str(),
              text == built ? "the same kernel, built by operators" : "another kernel");

  // What the algebra knows, and widths that the data decide.
  for (const char* spec : {"rbf(gamma=scale) * poly(degree=2)", "negative_distance()", "sigmoid()"}) {
    const Kernel kernel = resolve_widths(parse_kernel(spec), samples, run);
    std::printf("%-60s %s\n", kernel.spec().c_str(), to_string(kernel.definiteness()).c_str());
  }

  // The kernel matrix of four samples.
  const PreparedKernel prepared(text, samples, Precision::double_precision, run);
  Matrix<double> gram(samples.size(), samples.size());
  evaluate_gram<double>(prepared, Triangle::both, gram.view(), run);
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < gram.columns(); ++j) {
      std::printf("%9.4f", gram(i, j));
    }
    std::printf("\n");
  }
  return text == built ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
