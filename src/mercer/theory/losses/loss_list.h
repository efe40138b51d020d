// The list of losses: every front (options of models, the program's listing, the docs, the laws that tests run) reads it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/theory/losses/loss.h"

namespace mercer {

enum class LossKind {
  epsilon_insensitive,
  laplace,
  squared,
  squared_epsilon_insensitive,
  huber,
  polynomial,
  piecewise_polynomial,
  quantile,
  density,
  hinge,
  squared_hinge,
  logistic,
  exponential,
  inverse_complementary_log_log,
  zero_one
};
constexpr auto words_of(LossKind) {
  return std::array{Word{LossKind::epsilon_insensitive, "epsilon_insensitive"},
                    Word{LossKind::laplace, "laplace"},
                    Word{LossKind::squared, "squared"},
                    Word{LossKind::squared_epsilon_insensitive, "squared_epsilon_insensitive"},
                    Word{LossKind::huber, "huber"},
                    Word{LossKind::polynomial, "polynomial"},
                    Word{LossKind::piecewise_polynomial, "piecewise_polynomial"},
                    Word{LossKind::quantile, "quantile"},
                    Word{LossKind::density, "density"},
                    Word{LossKind::hinge, "hinge"},
                    Word{LossKind::squared_hinge, "squared_hinge"},
                    Word{LossKind::logistic, "logistic"},
                    Word{LossKind::exponential, "exponential"},
                    Word{LossKind::inverse_complementary_log_log, "inverse_complementary_log_log"},
                    Word{LossKind::zero_one, "zero_one"}};
}

/// What the formulas have beside their argument; a loss takes those that its entry names.
struct LossParameters {
  double epsilon = 0.1;
  double sigma = 1;
  double exponent = 3;
  double quantile = 0.5;
};

enum class LossParameter { epsilon, sigma, exponent, quantile };
constexpr auto words_of(LossParameter) {
  return std::array{Word{LossParameter::epsilon, "epsilon"}, Word{LossParameter::sigma, "sigma"},
                    Word{LossParameter::exponent, "exponent"}, Word{LossParameter::quantile, "quantile"}};
}

struct LossEntry {
  LossKind kind;
  LossArgument argument;
  std::string formula;
  std::string influence;  ///< c'
  std::string density;    ///< exp(−c)/Z with Z written out; empty: none
  std::string conjugate;  ///< c*; empty: none
  std::vector<LossParameter> parameters;
  std::string note;
};

/// In the order of the enum.
std::span<const LossEntry> loss_list();
const LossEntry& loss_entry(LossKind kind);

/// InvalidArgument for a parameter that the loss does not allow, and for `density`, which is made of a table (density_loss.h).
LossPointer make_loss(LossKind kind, const LossParameters& parameters = {});

}  // namespace mercer
