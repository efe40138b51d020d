// Kernel Fisher discriminant: functions of the kernel's space in which the classes lie far apart and close together each,
//
//   max α'Mα / α'(N + λR)α      M scatter between, N inside the classes (solvers/fisher/fisher.h); k − 1 directions for k classes
//   R = K (penalty=norm: ‖f‖²) or the identity (penalty=coefficients: ‖α‖²)
//
// Two classes: one function f, cut at 0 (unless threshold=bayes), whose class means differ by 2; with R the objective is ‖ξ‖² + λα'Rα, ξ the
// deviations from the class means. More: k − 1 functions and the nearest class mean, in units of the penalised spread.
// Gaussian densities of the values give probabilities. Values that rows have in the discriminant fitted without them
// (closed form) are what thresholds and densities are fitted to.
//
//   exact     one coefficient per row: ridge regression on the indicators of the classes, n³/3
//   low_rank  on the range of a pivoted Cholesky factor of K: n r²
//   greedy    one kernel function after the other, of random candidates the best
//   sparse    two classes, λ‖α‖₁ in place of α'Rα
//
// References: Mika, Rätsch, Weston, Schölkopf & Müller (1999), Fisher discriminant analysis with kernels; Schölkopf & Smola
// (2002), chapter 15; Baudat & Anouar (2000) for several classes; Cawley & Talbot (2003) for leave-one-out values.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/decisions.h"
#include "mercer/models/discriminant/class_priors.h"
#include "mercer/models/discriminant/kfd_densities.h"
#include "mercer/models/discriminant/kfd_threshold.h"
#include "mercer/models/model.h"
#include "mercer/solvers/fisher/fisher_greedy.h"

namespace mercer {

/// The head of this file says what they are.
enum class KfdForm { automatic, exact, low_rank, greedy, sparse };
constexpr auto words_of(KfdForm) {
  return std::array{Word{KfdForm::automatic, "automatic"}, Word{KfdForm::exact, "exact"},
                    Word{KfdForm::low_rank, "low_rank"}, Word{KfdForm::greedy, "greedy"},
                    Word{KfdForm::sparse, "sparse"}};
}

/// Of which values thresholds and densities are fitted: of every row by functions fitted without it, or with it.
enum class KfdCalibration { left_out, training };
constexpr auto words_of(KfdCalibration) {
  return std::array{Word{KfdCalibration::left_out, "left_out"}, Word{KfdCalibration::training, "training"}};
}

struct KfdOptions {
  std::optional<double> lambda = {};  ///< N + λR; chosen by leave-one-out where it is not given
  FisherPenalty penalty = FisherPenalty::norm;
  KfdForm form = KfdForm::automatic;
  Index size = 0;           ///< most kernel functions of the other forms than exact; 0: automatic
  Index candidates = 59;    ///< per step of greedy
  double tolerance = 1e-4;  ///< greedy stops where the objective falls by less, relatively
  KfdThreshold threshold = KfdThreshold::automatic;
  ClassPriors priors = {};
  KfdCalibration calibration = KfdCalibration::left_out;
  ClassWeights class_weight = {};
  Index select_rows = 1000;  ///< rows, drawn at random, that λ is chosen by; 0: all
  double memory_mb = 0;      ///< 0: the machine's memory

  /// Throws InvalidArgument for values and combinations that mean nothing.
  void validate() const;
};

std::span<const Option<KfdOptions>> kfd_option_table();

class KfdModel final : public FittedModel, public StatedPriors {
 public:
  struct Parts {
    KfdOptions options;
    Expansion expansion;  ///< two classes: f, positive for the second class; more: the directions
    ClassDensities densities;

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  KfdModel(ModelHead head, Parts parts);

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  /// The second class for two; discriminant1, discriminant2, … for more.
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return true; }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  std::vector<double> stated_priors() const override;

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the most probable class where threshold = bayes; otherwise of two classes by the sign of f, of more
  /// the nearest mean. Decisions: the values of the directions. Probabilities: by the class densities; with two classes
  /// they need not be 1/2 where f = 0 unless threshold = bayes, and even then they are 1/2 a second time where the
  /// densities differ in width.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// n²d + n³/3 operations and n² numbers where exact (three times with left-out values); n r² and n r with r functions.
/// Above 10000 rows `automatic` is low_rank, unless the kernel is linear. A weight of w is the row w times.
/// InvalidArgument for an indefinite kernel with penalty=norm and for what does not fit into memory, DataError for one
/// class only, unusable weights or targets, NumericalError where the classes have the same mean or the matrix is
/// numerically singular.
std::unique_ptr<KfdModel> fit_kfd(const Kernel& kernel, const KfdOptions& options, const TrainingData& data,
                                  const Run& run = {});

const ModelEntry& kfd_entry();

}  // namespace mercer
