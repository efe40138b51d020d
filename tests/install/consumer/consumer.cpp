// Uses the installed headers and links the installed library: text, and a parallel sum that needs threads.
#include <cstdio>

#include "mercer/base/parallel.h"
#include "mercer/base/run.h"
#include "mercer/base/text.h"

int main() {
  const mercer::Run run{{.threads = 2, .seed = 1}};
  const double sum = mercer::sum_in_order(run, 100, [](mercer::Index block) { return static_cast<double>(block); });
  if (mercer::shortest(0.1) != "0.1" || sum != 4950) {
    std::puts("consumer: wrong result");
    return 1;
  }
  std::puts("consumer: all right");
  return 0;
}
