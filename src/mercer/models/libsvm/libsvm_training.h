// Training as svm-train does it: the parameters of its flags, the model that its file holds, and the numbers that it
// prints. apps/mercer/svm_train.cpp is the only caller that prints.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/models/libsvm/libsvm_model.h"

namespace mercer {

/// The flags of svm-train with their defaults.
struct LibsvmParameters {
  LibsvmType type = LibsvmType::c_svc;      ///< -s
  LibsvmKernel kernel = LibsvmKernel::rbf;  ///< -t
  int degree = 3;                           ///< -d
  double gamma = 0;                         ///< -g; as it will be used: the caller puts 1/(largest index) for 0
  double coef0 = 0;                         ///< -r
  double cost = 1;                          ///< -c, the bound of every coefficient (C-SVC, ε-SVR, ν-SVR)
  double nu = 0.5;                          ///< -n (ν-SVC, one-class, ν-SVR)
  double epsilon = 0.1;                     ///< -p, the insensitive zone of ε-SVR
  double memory_mb = 100;                   ///< -m, for kernel values
  double tolerance = 0.001;                 ///< -e, on the violation of optimality
  bool shrinking = true;                    ///< -h
  bool probabilities = false;               ///< -b
  struct ClassWeight {
    int label = 0;
    double weight = 1;
  };
  std::vector<ClassWeight> class_weights;  ///< -wi, in order; later ones for the same label multiply too
};

/// Why the parameters cannot be used with these labels, in svm-train's words ("nu <= 0 or nu > 1"), or empty. Labels
/// matter for ν-SVC alone, whose ν must be feasible for every pair of classes.
std::string libsvm_parameter_error(const LibsvmParameters& parameters, std::span<const double> labels);

/// One solved problem, as the lines of svm-train tell it.
struct LibsvmSolve {
  Index iterations = 0;
  /// C-SVC and ε-SVR: ν that would give the same solution; ν-SVC: C that would; ν-SVR: ε; one-class: not printed.
  double equivalent = 0;
  double objective = 0;
  double rho = 0;
  Index support_count = 0;
  Index bound_count = 0;  ///< support vectors whose coefficient is at its bound
  SolveStatus status = SolveStatus::converged;
};

/// Solves that belong together: the pairs of classes of one model, in their order. Printed as their lines and, for
/// classification, "Total nSV".
struct LibsvmSolveGroup {
  std::vector<LibsvmSolve> solves;
  Index support_count = 0;  ///< different support vectors of all solves
};

struct LibsvmTraining {
  LibsvmModel model;
  /// What was solved, in the order in which svm-train would print it: folds for probabilities, then the model itself.
  std::vector<LibsvmSolveGroup> groups;
  std::vector<std::string> warnings;  ///< for standard error, without "WARNING: "
};

/// Predictions of cross-validation, one per sample, and what was solved for them.
struct LibsvmValidation {
  std::vector<double> predictions;
  std::vector<LibsvmSolveGroup> groups;
  std::vector<std::string> warnings;
};

/// Trains on sparse samples whose columns are the indices of the file. With a precomputed kernel column 0 holds the
/// serial number of the sample and column j its kernel value with sample j. The order of classes, of machines and of
/// support vectors is LIBSVM's. Any number of threads gives the same bits. InvalidArgument with the text of
/// libsvm_parameter_error; Stopped.
LibsvmTraining train_libsvm(const LibsvmParameters& parameters, const Samples& samples, std::span<const double> labels,
                            const Run& run);

/// Folds are stratified for classification and drawn with the run's seed; with probabilities the predictions of
/// classification are the most probable labels. `folds` is 2 or more and at most the number of samples.
LibsvmValidation cross_validate_libsvm(const LibsvmParameters& parameters, const Samples& samples,
                                       std::span<const double> labels, Index folds, const Run& run);

}  // namespace mercer
