// From the decision values of a classifier's machines, or probabilities, to classes; −1 where the options decline to answer.
#pragma once

#include "mercer/linalg/matrix.h"
#include "mercer/models/svm/svc.h"

namespace mercer {

/// The number of the class per row of values, which has one per machine; n × 1.
Matrix<double> classes_of_machines(const ClassCode& code, const ClassifierOptions& options,
                                   ConstMatrixView<double> values);

/// The same by probabilities of the classes.
Matrix<double> most_probable_classes(const ClassifierOptions& options, ConstMatrixView<double> probabilities);

}  // namespace mercer
