// LibsvmModel: what a LIBSVM model file holds, as plain data. Training returns it, io/libsvm_model_file.h reads and
// writes it, models/libsvm/libsvm_prediction.h evaluates it.
//
// With k classes there are k(k−1)/2 machines, one per pair i < j, in the order (0,1), (0,2), …, (1,2), …:
//
//   f_ij(x) = Σ_s c_s k(x_s, x) − ρ_ij
//
// over the support vectors of classes i and j, which stand grouped by class. A vector of class i has its coefficient
// for the pair with j in column j − 1 where j > i and in column j where j < i: k − 1 columns. One-class and regression
// models count as k = 2 with a single machine and a single column.
//
// Reference: C.-C. Chang and C.-J. Lin, LIBSVM: a library for support vector machines, ACM TIST 2 (2011).
#pragma once

#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class LibsvmType { c_svc, nu_svc, one_class, epsilon_svr, nu_svr };    ///< numbered as the flag -s
enum class LibsvmKernel { linear, polynomial, rbf, sigmoid, precomputed };  ///< numbered as the flag -t

/// The names of model files: "c_svc", "precomputed".
std::string_view to_string(LibsvmType type);
std::string_view to_string(LibsvmKernel kernel);

constexpr bool is_classification(LibsvmType type) { return type == LibsvmType::c_svc || type == LibsvmType::nu_svc; }
constexpr bool is_regression(LibsvmType type) { return type == LibsvmType::epsilon_svr || type == LibsvmType::nu_svr; }

struct LibsvmModel {
  LibsvmType type = LibsvmType::c_svc;
  LibsvmKernel kernel = LibsvmKernel::rbf;
  int degree = 3;
  double gamma = 0;
  double coef0 = 0;

  Index classes = 2;        ///< k; 2 for one-class and regression; 1 where all training labels were equal
  std::vector<int> labels;  ///< classification: one per class
  std::vector<double> rho;  ///< one per machine

  bool has_probabilities = false;     ///< trained with -b 1; without it the next three are empty
  std::vector<double> probability_a;  ///< classification: Platt's A per machine; regression: Laplace's scale
  std::vector<double> probability_b;  ///< classification: Platt's B per machine
  std::vector<double> density_marks;  ///< one-class: ten decision values, ascending

  std::vector<Index> class_sizes;  ///< classification: support vectors of each class
  Matrix<double> coefficients;     ///< support vectors × (classes − 1)
  /// Sparse rows whose column is the feature's index as written in files (column 0 is unused where indices count from
  /// 1); not used by precomputed kernels.
  Samples support_vectors;
  std::vector<Index> serial_numbers;  ///< precomputed kernels only: which training sample, from 1

  Index support_count() const { return coefficients.rows(); }
  Index machines() const { return classes * (classes - 1) / 2; }
};

/// InvalidArgument where the lengths of the parts do not fit each other.
void require_consistent(const LibsvmModel& model);

/// The position of the pair i < j among the machines of k classes.
constexpr Index pair_position(Index i, Index j, Index classes) { return i * classes - i * (i + 1) / 2 + (j - i - 1); }

/// The model's kernel in the kernel language. Degenerate ones (gamma = 0, degree = 0) are a number times the constant
/// kernel. InvalidArgument for precomputed kernels: they have no formula.
Kernel libsvm_kernel(LibsvmKernel kernel, int degree, double gamma, double coef0);
inline Kernel libsvm_kernel(const LibsvmModel& model) {
  return libsvm_kernel(model.kernel, model.degree, model.gamma, model.coef0);
}

}  // namespace mercer
