// What svm-predict computes: the decision values of all pairs of classes, labels by votes, probabilities.
//
// Decision values of a batch are one fused pass over the kernel values k(x, x_s) (expansion/expansion.h); linear
// machines are evaluated through w. Values are computed in double where the batch is small and always for regression
// and one-class; large classification batches are computed in single precision, and the rows in which a value is so
// near to 0 that rounding could turn a vote are computed again in double: labels are those of double arithmetic, while
// the values themselves have errors of about 1e-7 Σ |c_s k(x, x_s)|.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/models/libsvm/libsvm_model.h"

namespace mercer {

/// How decision values are computed; `automatic` as said above.
enum class LibsvmPrecision { automatic, double_only };

/// n × machines. Samples are numeric with columns numbered as in the model (columns that the model does not know
/// count for rbf kernels as LIBSVM counts them); for precomputed kernels column j holds k(x, x_j) and column 0 is not
/// read. One pass over n × support vectors × features; memory beyond the result is bounded. DataError for values that
/// are not finite and for precomputed rows that end before the last support vector.
Matrix<double> libsvm_decision_values(const LibsvmModel& model, const Samples& samples, const Run& run,
                                      LibsvmPrecision precision = LibsvmPrecision::automatic);

/// Labels (classification: the class with most votes, the first of several), ±1 (one-class) or values (regression).
std::vector<double> libsvm_predictions(const LibsvmModel& model, ConstMatrixView<double> decisions);

/// n × classes: class probabilities by Platt's sigmoids and pairwise coupling, in the order of the model's labels;
/// one-class: normal, outlier. InvalidArgument where the model has none.
Matrix<double> libsvm_probabilities(const LibsvmModel& model, ConstMatrixView<double> decisions, const Run& run);

/// The label with the largest probability, the first of several.
std::vector<double> most_probable_labels(const LibsvmModel& model, ConstMatrixView<double> probabilities);

}  // namespace mercer
