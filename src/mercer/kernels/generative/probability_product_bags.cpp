// Probability products of the Gaussians of bags of vectors: with N(u; μ, Σ)^ρ = c(Σ) N(u; μ, Σ/ρ),
//
//   k = c(Σ) c(Σ') N(μ − μ'; 0, (Σ + Σ')/ρ),     ln c(Σ) = ½(1 − ρ)(d ln 2π + ln|Σ|) − ½ d ln ρ,
//
// all in logarithms. Σ is the covariance of the bag plus a ridge, full or diagonal. An empty bag has k = 0 with all.
// O(d³) per pair for full covariances, O(d) for diagonal ones. Reference: Kondor & Jebara (2003), A kernel between sets of
// vectors.
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/generative/model_parameters.h"
#include "mercer/kernels/generative/point_bags.h"
#include "mercer/kernels/generative/probability_product.h"
#include "mercer/kernels/nodes/object_node.h"

namespace mercer {

namespace {

struct BagGaussian {
  std::vector<double> mean;
  std::vector<double> covariance;  // the lower triangle by rows, or the diagonal
  double log_factor = 0;           // ln c
  bool is_empty = false;
};

struct EncodedBags {
  Index dimension = 0;
  bool has_points = false;  // otherwise the dimension is not known
  std::vector<BagGaussian> bags;
};

constexpr Index most_full_columns = 512;

enum class CovarianceShape { full, diagonal };

// ln|A| and bᵀA⁻¹b of a symmetric positive definite A, given by its lower triangle or diagonal; A and b are used up.
struct QuadraticForm {
  double log_determinant = 0;
  double value = 0;
};

QuadraticForm diagonal_form(std::span<const double> a, std::span<const double> b) {
  QuadraticForm form;
  for (std::size_t j = 0; j < b.size(); ++j) {
    form.log_determinant += std::log(a[j]);
    form.value += b[j] * b[j] / a[j];
  }
  return form;
}

// Row by row: L and L⁻¹b together.
QuadraticForm full_form(std::span<double> a, std::span<double> b) {
  QuadraticForm form;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double* const row = a.data() + i * (i + 1) / 2;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = a.data() + j * (j + 1) / 2;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= row[k] * other[k];
      }
      row[j] = i == j ? std::sqrt(sum) : sum / other[j];
      b[i] -= j < i ? row[j] * b[j] : 0.0;
    }
    b[i] /= row[i];
    form.log_determinant += 2 * std::log(row[i]);
    form.value += b[i] * b[i];
  }
  return form;
}

class ProbabilityProductBagsNode final : public ObjectNode<EncodedBags> {
 public:
  ProbabilityProductBagsNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        rho_(this->parameters().number_or("rho", 0.5)),
        shape_(this->parameters().word("covariance") == "full" ? CovarianceShape::full : CovarianceShape::diagonal) {
    waits_for_data(*this, "ridge");
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

  // A tenth of the mean variance of the columns over the points of all bags.
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (!waits_for_data(*this, "ridge")) {
      return KernelNode::resolved(all, run);
    }
    const PointBags bags = point_bags(entry().name, default_columns(all.samples));
    const std::vector<double> weights = point_weights(bags, all.weights);
    const auto weight = [&](Index p) { return weights.empty() ? 1.0 : weights[p]; };
    const Index n = bags.points.rows();
    double total = 0;
    for (Index p = 0; p < n; ++p) {
      total += weight(p);
    }
    double sum = 0;
    for (Index j = 0; j < bags.dimension(); ++j) {
      double mean = 0;
      for (Index p = 0; p < n; ++p) {
        mean += weight(p) * (bags.points(p, j) - bags.points(0, j)) / total;
      }
      for (Index p = 0; p < n; ++p) {
        const double deviation = bags.points(p, j) - bags.points(0, j) - mean;
        sum += weight(p) * deviation * deviation / total;
      }
    }
    const double mean = bags.dimension() == 0 ? 0.0 : sum / static_cast<double>(bags.dimension());
    return rebuilt(parameters().with("ridge", fitted_number(*this, mean > 0 ? 0.1 * mean : 1.0)), {});
  }

 protected:
  EncodedBags encode(const Samples& samples, const EncodedBags* reference, const Run& run) const override {
    const PointBags bags = point_bags(entry().name, samples);
    if (reference != nullptr && reference->has_points) {
      require_dimension(entry().name, bags, reference->dimension);
    }
    if (shape_ == CovarianceShape::full && bags.dimension() > most_full_columns) {
      throw InvalidArgument(entry().name + ": full covariances of " + std::to_string(bags.dimension()) +
                            " columns, more than " + std::to_string(most_full_columns) +
                            ", cost too much for every pair; take covariance=diagonal");
    }
    const double ridge = model_numbers(*this, "ridge", 1)[0];
    EncodedBags encoded{bags.dimension(), bags.points.rows() > 0, {}};
    encoded.bags.resize(bags.size());
    std::vector<double> log_diagonal(encoded.bags.size(), 0.0);
    parallel_for(run, bags.size(), [&](Index i) {
      BagGaussian& gaussian = encoded.bags[i];
      gaussian = gaussian_of(bags, i, ridge);
      if (!gaussian.is_empty) {
        log_diagonal[i] = log_value(gaussian, gaussian);
      }
    });
    // k(x, y) ≤ √(k(x, x) k(y, y)): where the diagonal is in the range of double numbers, all is.
    for (std::size_t i = 0; i < log_diagonal.size(); ++i) {
      if (!(log_diagonal[i] < 700)) {
        throw NumericalError(entry().name + ": the densities of bag " + std::to_string(i) +
                             " (counted from 0) are too large; scale the data, raise the ridge, or take rho=0.5");
      }
    }
    return encoded;
  }
  double value(const EncodedBags& x, Index i, const EncodedBags& y, Index j) const override {
    const BagGaussian& a = x.bags[i];
    const BagGaussian& b = y.bags[j];
    return a.is_empty || b.is_empty ? 0.0 : std::exp(log_value(a, b));
  }

 private:
  BagGaussian gaussian_of(const PointBags& bags, Index i, double ridge) const {
    const Index begin = bags.offsets[i];
    const Index end = bags.offsets[i + 1];
    const auto d = static_cast<std::size_t>(bags.dimension());
    const auto count = static_cast<double>(end - begin);
    BagGaussian gaussian{std::vector<double>(d, 0.0),
                         std::vector<double>(shape_ == CovarianceShape::full ? d * (d + 1) / 2 : d, 0.0), 0,
                         begin == end};
    if (gaussian.is_empty) {
      return gaussian;
    }
    for (Index p = begin; p < end; ++p) {
      for (std::size_t j = 0; j < d; ++j) {
        gaussian.mean[j] += bags.point(p)[j] / count;
      }
    }
    std::vector<double> deviation(d);
    for (Index p = begin; p < end; ++p) {
      std::size_t at = 0;
      for (std::size_t j = 0; j < d; ++j) {
        deviation[j] = bags.point(p)[j] - gaussian.mean[j];
        for (std::size_t k = shape_ == CovarianceShape::full ? 0 : j; k <= j; ++k) {
          gaussian.covariance[at++] += deviation[j] * deviation[k] / count;
        }
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      gaussian.covariance[shape_ == CovarianceShape::full ? j * (j + 3) / 2 : j] += ridge;
    }
    std::vector<double> zero(d, 0.0);
    std::vector<double> covariance = gaussian.covariance;
    const auto dimension = static_cast<double>(d);
    gaussian.log_factor =
        0.5 * (1 - rho_) * (dimension * std::log(2 * std::numbers::pi) + form_of(covariance, zero).log_determinant) -
        0.5 * dimension * std::log(rho_);
    return gaussian;
  }

  QuadraticForm form_of(std::span<double> a, std::span<double> b) const {
    return shape_ == CovarianceShape::full ? full_form(a, b) : diagonal_form(a, b);
  }

  double log_value(const BagGaussian& x, const BagGaussian& y) const {
    std::vector<double> covariance(x.covariance.size());
    std::vector<double> difference(x.mean.size());
    for (std::size_t e = 0; e < covariance.size(); ++e) {
      covariance[e] = (x.covariance[e] + y.covariance[e]) / rho_;
    }
    for (std::size_t j = 0; j < difference.size(); ++j) {
      difference[j] = x.mean[j] - y.mean[j];
    }
    const auto d = static_cast<double>(difference.size());
    const QuadraticForm form = form_of(covariance, difference);
    return x.log_factor + y.log_factor - 0.5 * (d * std::log(2 * std::numbers::pi) + form.log_determinant + form.value);
  }

  double rho_;
  CovarianceShape shape_;
};

}  // namespace

const KernelEntry& probability_product_bags_entry() {
  static const KernelEntry entry{
      .name = "probability_product_bags",
      .aliases = {"bhattacharyya_bags"},
      .formula = "integral of N(u; mean(x), cov(x) + ridge)^rho N(u; mean(y), cov(y) + ridge)^rho du",
      .summary = "overlap of the Gaussians fitted to two bags of vectors",
      .definiteness = "positive definite",
      .input = KernelInput::bags,
      .parameters = {{.name = "rho",
                      .role = ParameterRole::number,
                      .default_text = "0.5",
                      .meaning = "power of the densities: 0.5 Bhattacharyya, 1 expected likelihood"},
                     fitted_spec("ridge", "added to every variance; auto: a tenth of the mean variance of all points",
                                 Constraint::positive),
                     {.name = "covariance",
                      .role = ParameterRole::word,
                      .default_text = "full",
                      .meaning = "full, or diagonal: columns independent",
                      .words = {"full", "diagonal"}}},
      .make = make_node<ProbabilityProductBagsNode>,
      .examples = {"probability_product_bags(ridge=0.1)",
                   "probability_product_bags(rho=1, ridge=0.2, covariance=diagonal)",
                   "normalize(probability_product_bags(rho=1.5, ridge=0.3))"}};
  return entry;
}

}  // namespace mercer
