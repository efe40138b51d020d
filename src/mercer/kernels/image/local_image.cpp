#include "mercer/kernels/image/local_image.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/coordinate/pairwise_node.h"
#include "mercer/kernels/image/pyramid_sums.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr double highest_image_power = 64;
constexpr double largest_pyramid = 64;

template <class T>
T whole_power_of(T base, int exponent) {
  T result = 1;
  for (int factor = 0; factor < exponent; ++factor) {
    result *= base;
  }
  return result;
}

class LocalImageNode final : public PairwiseNode {
 public:
  LocalImageNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : PairwiseNode(entry, std::move(parameters), std::move(children)),
        q_(static_cast<Index>(at_most("q", 4, largest_pyramid))),
        inner_power_(static_cast<int>(at_most("d1", 2, highest_image_power))),
        outer_power_(static_cast<int>(at_most("d2", 1, highest_image_power))),
        beyond_(this->parameters().word("border") == "extended" ? q_ - 1 : 0) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }
  bool has_input_derivatives() const override { return false; }
  bool has_costly_pairs() const override { return true; }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }
  void check_domain(const Prepared& x) const override { width_of(x.samples().columns()); }

 private:
  double at_most(const char* name, double fallback, double limit) const {
    const double value = parameters().number_or(name, fallback);
    if (value > limit) {
      reject_argument(entry().name + ": " + name, value, "at most " + std::to_string(static_cast<int>(limit)));
    }
    return value;
  }

  Index width_of(Index pixels) const {
    if (parameters().has("width")) {
      const auto width = static_cast<Index>(parameters().number("width"));
      if (pixels % width != 0) {
        throw DataError("local_image: " + std::to_string(pixels) + " pixels cannot be cut into rows of width=" +
                        std::to_string(width) + "; give the width of the images");
      }
      return width;
    }
    auto height = static_cast<Index>(std::sqrt(static_cast<double>(std::max<Index>(pixels, 1))));
    while (pixels % height != 0) {
      --height;
    }
    return pixels / height;
  }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    const auto pixels = static_cast<Index>(x.size());
    const Index width = width_of(pixels);
    const Index height = width == 0 ? 0 : pixels / width;
    const Index frame = beyond_ + q_ - 1;
    FramedImage<T> products(height, width, frame);
    FramedImage<T> box(height, width, frame);
    FramedImage<T> sums(height, width, beyond_);
    for (Index first = 0; first < y.columns(); first += image_lanes) {
      const Index lanes = std::min(image_lanes, y.columns() - first);
      for (Index p = 0; p < pixels; ++p) {
        T* const to = products.at(p / width, p % width);
        const T* const from = y.row_data(p) + first;
        for (Index lane = 0; lane < lanes; ++lane) {
          to[lane] = x[p] * from[lane];
        }
      }
      sum_pyramids(products, q_, beyond_, box, sums);
      for (Index lane = 0; lane < lanes; ++lane) {
        k[first + lane] = combined(sums, lane);
      }
    }
  }

  template <class T>
  T combined(const FramedImage<T>& sums, Index lane) const {
    T total = 0;
    for (Index row = -beyond_; row < sums.height() + beyond_; ++row) {
      for (Index column = -beyond_; column < sums.width() + beyond_; ++column) {
        total += whole_power_of(sums.at(row, column)[lane], inner_power_);
      }
    }
    return whole_power_of(total, outer_power_);
  }

  Index q_;
  int inner_power_;
  int outer_power_;
  Index beyond_;
};

}  // namespace

const KernelEntry& local_image_entry() {
  static const KernelEntry entry{
      .name = "local_image",
      .aliases = {"image_pyramid"},
      .formula = "(sum_c (sum_p max(q - |c-p|, 0) x_p y_p)^d1)^d2, |.| = larger of the distances in rows and columns",
      .summary = "images: pixels near each other act together, summed over overlapping pyramids",
      .definiteness = "positive definite",
      .parameters = {{.name = "width",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .meaning = "pixels in a row of the image (default: as near to a square as may be)"},
                     {.name = "q",
                      .aliases = {"window"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "4",
                      .meaning = "height of a pyramid, which covers 2q-1 pixels across"},
                     {.name = "d1",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "2",
                      .meaning = "power of every pyramid: dependences between pixels near each other"},
                     {.name = "d2",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "1",
                      .meaning = "power of the sum: dependences between pixels far apart"},
                     {.name = "border",
                      .role = ParameterRole::word,
                      .default_text = "inside",
                      .meaning = "centres on the image only, or wherever a pyramid touches it",
                      .words = {"inside", "extended"}}},
      .make = make_node<LocalImageNode>,
      .examples = {"local_image(width=3, q=2)", "local_image(width=1, q=3, d1=3, border=extended)",
                   "normalize(local_image(q=2, d1=2, d2=2))"}};
  return entry;
}

}  // namespace mercer
