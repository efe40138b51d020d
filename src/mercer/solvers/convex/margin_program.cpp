#include "mercer/solvers/convex/margin_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr int most_prices = 100;
// Below this share of the price at which no function is of use, rounding decides on the margin.
constexpr double least_price_share = 1e-9;

struct MarginProof {
  std::vector<double> multipliers;
  double mass = 0;  // Σ tᵢθᵢ
};

class PriceSearch {
 public:
  PriceSearch(ConstMatrixView<double> features, const CheckLosses& losses, double nu,
              const LinearProgramOptions& options, const Run& run)
      : features_(features), losses_(losses), nu_(nu), options_(options), run_(run) {
    for (std::size_t i = 0; i < losses.targets.size(); ++i) {
      total_ += losses.up[i] + losses.down[i];
      margin_ = std::max(margin_, std::abs(losses.targets[i]));
    }
    wanted_ = nu * total_ * margin_;
  }

  MarginProgramSolution solve() {
    start();
    double low = 0;
    double high = first_;
    double price = high * (wanted_ / widest_.mass);
    for (int round = 0; round < most_prices && !is_settled(); ++round) {
      const double next = try_price(price);
      low = std::max(low, next);
      if (last_objective_ > wanted_ || next == 0) {
        high = std::min(high, price);
      } else {
        low = std::max(low, price);
      }
      // The line of the last program, the best lower bound there is; without one an order of magnitude less.
      const bool has_step = low > 0 && low != price;
      price = has_step ? low : 0.1 * high;
      if (low > 0 && !has_step) {
        break;  // the step is lost in rounding
      }
      if (low == 0 && price < least_price_share * first_) {
        refuse_without_margin();
      }
    }
    if (!(best_price_ > least_price_share * first_)) {
      refuse_without_margin();
    }
    finish();
    return std::move(result_);
  }

 private:
  bool is_settled() const { return proven_ - best_price_ <= 10 * options_.tolerance * proven_; }

  // All coefficients 0: the largest ν, and the least price at which they are.
  void start() {
    std::vector<double> sums(static_cast<std::size_t>(features_.columns()), 0.0);
    for (Index i = 0; i < features_.rows(); ++i) {
      const double weight = losses_.up[i] + losses_.down[i];
      for (Index j = 0; j < features_.columns(); ++j) {
        sums[j] += weight * std::abs(features_(i, j));
      }
    }
    const double most = sums.empty() ? 0.0 : *std::ranges::max_element(sums);
    const double price = most > 0 ? 2 * most : 1.0;
    const LinearProgramSolution none = at_price(price);
    widest_ = proof_of(none);
    if (wanted_ > widest_.mass * (1 + 1e-9)) {
      throw InvalidArgument("nu = " + shortest(nu_) +
                            " is not feasible for these classes: it must be above 0 and at most " +
                            shortest(widest_.mass / (total_ * margin_)) + " with the weights that they have");
    }
    wanted_ = std::min(wanted_, widest_.mass);
    first_ = asked(widest_.multipliers);
    prove(widest_);
    if (!(first_ > 0)) {
      refuse_without_margin();
    }
  }

  LinearProgramSolution at_price(double price) {
    const std::vector<double> prices(static_cast<std::size_t>(features_.columns()), price);
    LinearProgramSolution found = solve_linear_program(features_, losses_, prices, options_, run_);
    result_.program.iterations += found.iterations;
    result_.program.rounds += found.rounds;
    return found;
  }

  // Where its line is at νtW; 0 where it has none.
  double try_price(double price) {
    LinearProgramSolution found = at_price(price);
    last_objective_ = found.objective;
    double size = 0;
    for (const double a : found.coefficients) {
      size += std::abs(a);
    }
    const MarginProof proof = proof_of(found);
    prove(proof);
    if (!(size > 0)) {
      return 0;
    }
    const double meets = (wanted_ - (found.objective - price * size)) / size;
    if (meets > best_price_) {
      best_price_ = meets;
      best_size_ = size;
      result_.program.coefficients = std::move(found.coefficients);
      result_.program.unpriced = std::move(found.unpriced);
      result_.program.offset = found.offset;
    }
    // A line whose losses alone are νtW meets it at 0, but for rounding: that is no step to take.
    return meets > least_price_share * first_ ? meets : 0.0;
  }

  MarginProof proof_of(const LinearProgramSolution& found) const {
    return {.multipliers = found.multipliers, .mass = dot(losses_.targets, found.multipliers)};
  }

  double asked(std::span<const double> theta) const {
    std::vector<double> sums(static_cast<std::size_t>(features_.columns()));
    gemv(1.0, features_, Transpose::yes, theta, 0.0, sums);
    double largest = 0;
    for (const double sum : sums) {
      largest = std::max(largest, options_.signs == CoefficientSigns::any ? std::abs(sum) : sum);
    }
    return largest;
  }

  // Multipliers of the mass that is asked for: smaller ones where there is more, a part of the widest where there is less.
  void prove(const MarginProof& proof) {
    std::vector<double> theta = proof.multipliers;
    if (proof.mass >= wanted_) {
      scale(wanted_ / proof.mass, theta);
    } else {
      const double share = std::min(1.0, (wanted_ - proof.mass) / (widest_.mass - proof.mass));
      scale(1 - share, theta);
      axpy(share, widest_.multipliers, theta);
    }
    const double price = asked(theta);
    if (price < proven_) {
      proven_ = price;
      result_.program.multipliers = std::move(theta);
    }
  }

  void finish() {
    LinearProgramSolution& program = result_.program;
    program.objective = -best_price_ / total_;
    program.gap = (proven_ - best_price_) / total_;
    program.status = is_settled() ? SolveStatus::converged : SolveStatus::stalled;
    result_.price = best_price_;
    result_.rho = 1 / best_size_;
  }

  // The multipliers prove that no price is above proven_.
  [[noreturn]] void refuse_without_margin() const {
    if (first_ > 0 && !(proven_ <= 10 * least_price_share * first_)) {
      throw NumericalError("nu = " + shortest(nu_) +
                           ": rounding hides whether there is a margin; a nu that is a little larger or smaller, or "
                           "features of one size, may tell");
    }
    throw NumericalError("nu = " + shortest(nu_) +
                         " leaves no margin: it is below the share of errors that these data force. Raise it towards " +
                         shortest(std::floor(1e3 * widest_.mass / (total_ * margin_)) / 1e3));
  }

  ConstMatrixView<double> features_;
  const CheckLosses& losses_;
  double nu_;
  const LinearProgramOptions& options_;
  const Run& run_;
  double total_ = 0;   // W
  double margin_ = 0;  // t
  double wanted_ = 0;  // νtW
  double first_ = 0;   // a price at which all coefficients may be 0
  MarginProof widest_;
  double proven_ = std::numeric_limits<double>::infinity();
  double best_price_ = 0;
  double best_size_ = 1;  // Σ|a|
  double last_objective_ = 0;
  MarginProgramSolution result_;
};

}  // namespace

MarginProgramSolution solve_margin_program(ConstMatrixView<double> features, const CheckLosses& losses, double nu,
                                           const LinearProgramOptions& options, const Run& run) {
  if (!(nu > 0 && std::isfinite(nu))) {
    reject_argument("linear program: nu", nu, "finite and positive");
  }
  return PriceSearch(features, losses, nu, options, run).solve();
}

}  // namespace mercer
