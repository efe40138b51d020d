#include "mercer/kernels/coordinate/coordinate_node.h"

namespace mercer {

void products_of_others(std::span<const double> factors, std::span<double> out) {
  double before = 1;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    out[c] = before;
    before *= factors[c];
  }
  double after = 1;
  for (std::size_t c = factors.size(); c-- > 0;) {
    out[c] *= after;
    after *= factors[c];
  }
}

}  // namespace mercer
