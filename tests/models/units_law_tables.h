// What the law of units (units_law_test.cpp) knows of single models: kernels in units of x, options and answers that have
// units, and which models are exempt, with the reason.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "mercer/base/text.h"

namespace mercer::testing::units {

/// Relative to the size of an answer. Powers of two are exact: logarithms and roots are what rounds.
inline constexpr double exact = 1e-9;
/// Where a search ends: the root of the precision, which is as sharp as a minimum is, with room.
inline constexpr double searched = 1e-5;
inline constexpr double left_out = std::numeric_limits<double>::quiet_NaN();

// A kernel in units of x, and the factor of its values.
struct KernelInUnits {
  std::string text;
  double factor = 1;
};
inline std::string distance_text(double unit) { return "rbf(lengthscale=" + shortest(1.5 * unit) + ")"; }
inline KernelInUnits distance_kernel(double unit) { return {distance_text(unit)}; }
inline KernelInUnits linear_kernel(double unit) { return {"linear()", unit * unit}; }
inline KernelInUnits poly_kernel(double unit) {
  return {"poly(degree=2, gamma=1, coef0=" + shortest(unit * unit) + ")", std::pow(unit, 4)};
}
inline KernelInUnits homogeneous_kernel(double unit) { return {"negative_distance()", unit}; }
// Summands are brought to size 1 one by one (normalize=trace).
inline KernelInUnits sum_kernel(double unit) { return {"linear() + " + distance_text(unit)}; }
inline KernelInUnits histogram_kernel(double unit) { return {"additive_chi2()", unit}; }

struct KernelFamily {
  std::string_view name;
  KernelInUnits (*in)(double unit);
};
inline constexpr KernelFamily general_kernels[] = {{"distance", distance_kernel},
                                                   {"linear", linear_kernel},
                                                   {"poly", poly_kernel},
                                                   {"homogeneous", homogeneous_kernel}};
inline constexpr KernelFamily sum_kernels[] = {{"sum", sum_kernel}};
inline constexpr KernelFamily histogram_kernels[] = {{"histogram", histogram_kernel}};

// An option that is a number: its value where all units are 1, and the powers of κ and s that it follows. Rows with `when`
// are for settings that hold it, and come before those without. Sizes without units keep the fits small.
struct OptionUnit {
  std::string_view model;
  std::string_view option;
  double value;
  double kernel_power;
  double target_power;
  std::string_view when = "";
};
inline constexpr OptionUnit option_units[] = {
    {"ridge", "lambda", left_out, 0, 0, "select="},
    {"ridge", "lambda", 0.5, 1, 0},
    {"lssvm", "C", left_out, 0, 0, "select="},
    {"lssvm", "C", 2, -1, 0},
    {"gp", "restarts", 0, 0, 0},
    // The search ends at a share of the log evidence, in which the unit of raw targets counts: here at the top.
    {"gp", "tolerance", 1e-12, 0, 0, "standardize=no"},
    {"gp", "max_evaluations", 25, 0, 0},
    {"svc", "C", 2, -1, 0},
    {"linearsvc", "C", 2, -0.5, 0, "penalty=l1"},  // Σ|w| beside the losses, not its square
    {"linearsvc", "C", 2, -1, 0},
    {"linearsvc", "intercept_scale", 1, 0.5, 0},
    {"falkon", "lambda", 0.5, 1, 0},
    {"falkonc", "lambda", 0.5, 1, 0},
    {"l1vmr", "points", 12, 0, 0},
    {"l1vmr", "folds", 2, 0, 0},
    {"l1vmc", "points", 5, 0, 0},
    {"l1vmc", "count", 8, 0, 0},
    {"l1vmc", "folds", 2, 0, 0},
    {"mklsvr", "epsilon", 0.2, 0, 1},
    {"mklsvr", "C", 1, 0, 1, "standardize=no"},
    {"mklsvr", "tolerance", 1e-3, 0, 1, "standardize=no"},
    {"lapc", "lambda", 1, 1, 0},
    {"maplogit", "lambda", 1, 1, 0},
    {"mapsvc", "C", 2, -1, 0},
    {"svr", "C", 2, -1, 1, "standardize=no"},
    {"svr", "tolerance", 1e-3, 0, 1, "standardize=no"},  // of function values, as LIBSVM's -e
    {"svr", "C", 2, -1, 0},
    {"svr", "epsilon", 0.2, 0, 1},
    {"nusvr", "C", 2, -1, 1, "standardize=no"},
    {"nusvr", "tolerance", 1e-3, 0, 1, "standardize=no"},
    {"nusvr", "C", 2, -1, 0},
    {"kqr", "C", 2, -1, 1, "standardize=no"},
    {"kqr", "tolerance", 1e-3, 0, 1, "standardize=no"},
    {"kqr", "C", 2, -1, 0},
    {"linearsvr", "C", 2, -0.5, 0, "penalty=l1"},
    {"linearsvr", "C", 2, -1, 1, "standardize=no"},
    {"linearsvr", "C", 2, -1, 0},
    {"linearsvr", "epsilon", 0.2, 0, 1},
    {"linearsvr", "intercept_scale", 1, 0.5, 0},
    // ||f||^2 beside a loss of degree p: C follows the target's unit by 2 - p, of logarithms and lines by 1.
    {"riskr", "C", 2, -1, 1, "standardize=no"},
    {"riskr", "sigma", 0.3, 0, 1, "standardize=no"},
    {"riskr", "C", 2, -1, 0},
    {"riskc", "C", 2, -1, 0},
    {"kpca", "components", 2, 0, 0},
    {"kernelmap", "size", 3, 0, 0},
    {"kfa", "components", 2, 0, 0},
    {"pursuit", "components", 2, 0, 0},
    {"pursuit", "restarts", 2, 0, 0},
    {"pursuit", "max_iterations", 100, 0, 0},
    {"nystroem", "size", 3, 0, 0},
    {"fourier", "size", 50, 0, 0},
    {"sinks", "size", 50, 0, 0},
    {"sketch", "size", 50, 0, 0},
    {"kmeans", "clusters", 3, 0, 0},
    {"kmedoids", "clusters", 3, 0, 0},
    {"cover", "clusters", 3, 0, 0},
    {"spectral", "clusters", 3, 0, 0},
};

// Settings beside those that the words of one option make.
struct Extra {
  std::string_view model;
  std::string_view settings;
};
inline constexpr Extra extras[] = {
    {"linearsvc", "penalty=l1 loss=squared_hinge"},
    {"linearsvr", "penalty=l1 loss=squared_epsilon_insensitive"},
    {"gp", "likelihood=student_t inference=ep optimize=no"},
    {"gp", "likelihood=laplacian inference=map optimize=no"},
    {"perceptron", "budget=10"},
    {"lapr", "likelihood=laplacian prior=concave"},
    {"lapr", "likelihood=insensitive nu=0.31"},  // 0.3 of 40 rows is a whole number: many widths cost the same
    {"kde", "bandwidth=normal"},
    {"kde", "bandwidth=likelihood"},
    {"kde", "bandwidth=least_squares"},
    {"kde", "adaptive=0.5"},
    {"kdec", "bandwidth=likelihood"},
    {"histogram", "bins=scott"},
    {"histogram", "bins=quantile"},
    {"nw", "bandwidth=normal"},
};

// How answers grow with the kernel values: predictions of features, decision values of all.
struct AnswerUnit {
  std::string_view model;
  double predict_power;
  double decide_power;
  std::string_view when = "";
};
inline constexpr AnswerUnit answer_units[] = {
    {"oneclass", 0, 1},
    {"svdd", 0, 1},
    {"classmean", 0, 1},
    {"medoidc", 0, 1},
    {"perceptron", 0, 0, "form=voted"},  // votes
    {"perceptron", 0, 1},
    {"kmeans", 0, 1},
    {"kmedoids", 0, 1},
    {"cover", 0, 1},
    {"oneclassc", 0, 0.5},
    {"bayespoint", 0, 0.5},
    {"kpca", 0, 1, "whiten=yes"},
    {"kpca", 0.5, 1},
    {"kernelmap", 1, 1, "whiten=no"},  // the kernel values themselves
    {"kernelmap", 0.5, 1},
    {"kfa", 1, 1},
    {"pursuit", 0, 1, "whiten=yes"},
    {"pursuit", 0, 1, "contrast=negentropy"},  // these whiten
    {"pursuit", 0, 1, "contrast=entropy"},
    {"pursuit", 0, 1, "contrast=fisher"},
    {"pursuit", 0.5, 1},
    {"opca", 0.5, 1},
    {"nystroem", 0.5, 1},
    {"sketch", 0.5, 1},
    {"chi2map", 0.5, 1},
};

// What has units of its own, so that no law holds, or is looked for to less than `exact`.
struct Exempt {
  std::string_view model;
  std::string_view when;
  double tolerance;  // left_out: no law
  std::string_view reason;
};
inline constexpr Exempt exempt[] = {
    {"gp", "likelihood=poisson", left_out, "counts have no unit"},
    {"l1vmr", "response=poisson", left_out, "counts have no unit"},
    {"l2vmr", "response=poisson", left_out, "counts have no unit"},
    {"rvr", "prior=gamma", left_out, "the prior of precisions has a scale"},
    {"rvr", "prior=student", left_out, "the prior of precisions has a scale"},
    {"pursuit", "contrast=logcosh", left_out, "ln cosh has a unit; whiten=yes takes it away"},
    {"mklsvc", "normalize=none", left_out, "the summands of one C have different units"},
    {"mklsvr", "normalize=none", left_out, "the summands of one C have different units"},
    {"mklridge", "normalize=none", left_out, "the summands of one lambda have different units"},
    {"gp", "", searched, "kernel parameters and noise, by their logarithms"},
    {"gpc", "", searched, "kernel parameters, by their logarithms"},
    {"nw", "", searched, "widths, by their logarithms"},
    {"nwc", "", searched, "widths, by their logarithms"},
    {"mapridge", "", searched, "lambda, by its logarithm"},
    {"bayespoint", "walk=hitandrun", left_out, "walks tell rounding apart: in other units it is another draw"},
    {"kpca", "method=leading", searched, "kernel values in float, whose squares get lost at other places"},
};

// Holds to what the solver promises: its gap is small against the unit of the problem, and never above the tolerance itself
// (solvers/svm/svm_dual.h), so that in other units it may go on further.
inline constexpr double solved = 4e-3;
struct Solved {
  std::string_view model;
  std::string_view family;
  std::string_view when;
  double tolerance = solved;
};
inline constexpr Solved solved_cases[] = {
    {"nusvc", "homogeneous", ""},
    {"nusvc", "poly", ""},
    {"svr", "linear", "standardize=no"},
    {"svr", "distance", "standardize=no"},
    {"nusvr", "linear", "standardize=no"},
    {"nusvr", "distance", "standardize=no"},
    {"kqr", "linear", "standardize=no"},
    {"kqr", "distance", "standardize=no"},
    {"mklsvr", "sum", "standardize=no"},
    {"oneclass", "homogeneous", ""},
    {"oneclass", "poly", ""},
    {"svdd", "homogeneous", ""},
    {"svdd", "poly", ""},
    // Rows on all sides of the origin cannot be separated from it: the values are 0 but for rounding.
    {"oneclass", "linear", "", left_out},
    {"oneclassc", "linear", "", left_out},
    {"oneclassc", "homogeneous", "", left_out},
    {"oneclassc", "poly", ""},
};

}  // namespace mercer::testing::units
