// LIBSVM model files: text of named lines, then one line per support vector.
//
//   svm_type c_svc            c_svc | nu_svc | one_class | epsilon_svr | nu_svr
//   kernel_type rbf           linear | polynomial | rbf | sigmoid | precomputed
//   degree, gamma, coef0      where the kernel has them
//   nr_class 2                2 for one-class and regression
//   total_sv 132
//   rho …                     one number per pair of classes
//   label …                   classification
//   probA …, probB …          trained with -b 1; regression has probA alone
//   prob_density_marks …      one-class with -b 1 (from LIBSVM 3.30)
//   nr_sv …                   classification: support vectors of each class
//   SV
//   c … index:value …         nr_class − 1 coefficients, then the features; precomputed kernels: 0:serial number
//
// Written files hold every number in the shortest form that reads back as itself, so that nothing is lost (LIBSVM cuts
// feature values to 8 digits); LIBSVM reads them. A file from outside is not trusted: every count is checked against
// what is there before memory is made for it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "mercer/base/run.h"
#include "mercer/models/libsvm/libsvm_model.h"

namespace mercer {

/// Reads a model ("-": standard input; compressed files are unpacked). The lines of support vectors are parsed in
/// parallel. DataError with file and line for anything that is not a model; IoError where it cannot be read.
LibsvmModel read_libsvm_model(const std::string& path, const Run& run = {});

/// The same from memory; `name` stands for the file in messages.
LibsvmModel parse_libsvm_model(std::string_view text, const std::string& name, const Run& run = {});

/// Writes the model; the file appears complete or not at all ("-": standard output). InvalidArgument for a model whose
/// parts do not fit or are not finite, IoError where writing fails.
void write_libsvm_model(const std::string& path, const LibsvmModel& model);

/// Hands the text to `sink`, piece after piece.
void write_libsvm_model(const LibsvmModel& model, const std::function<void(std::string_view)>& sink);

}  // namespace mercer
