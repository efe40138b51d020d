// What the law of weights (weights_law_test.cpp) knows of single models: settings that make a solver exact, and what is
// exempt, with the reason.
#pragma once

#include <limits>
#include <string_view>

namespace mercer::testing::weights {

/// Two solvers that start elsewhere end as near to the optimum as they promise; with the settings below that is this.
inline constexpr double solved = 1e-5;
inline constexpr double left_out = std::numeric_limits<double>::quiet_NaN();

// Penalties that are not chosen (by leaving out, or in folds), thresholds that are not those of left-out rows, and
// tolerances far below the differences that a missing weight makes.
struct Setting {
  std::string_view model;
  std::string_view option;
  std::string_view value;
  std::string_view unless = "=none=";  // not for settings that hold this
};
inline constexpr Setting needed_settings[] = {
    {"svc", "tolerance", "1e-8"},
    {"svc", "verify", "double", "verify"},
    {"nusvc", "tolerance", "1e-8"},
    {"nusvc", "verify", "double", "verify"},
    {"svr", "tolerance", "1e-8"},
    {"svr", "verify", "double", "verify"},
    {"nusvr", "tolerance", "1e-8"},
    {"nusvr", "verify", "double", "verify"},
    {"kqr", "tolerance", "1e-8"},
    {"kqr", "verify", "double", "verify"},
    {"oneclass", "tolerance", "1e-8"},
    {"oneclass", "verify", "double", "verify"},
    {"svdd", "tolerance", "1e-8"},
    {"svdd", "verify", "double", "verify"},
    {"oneclassc", "tolerance", "1e-8"},
    {"oneclassc", "verify", "double", "verify"},
    {"mklsvc", "tolerance", "1e-8"},
    {"mklsvc", "weight_tolerance", "1e-7"},
    {"mklsvc", "verify", "double", "verify"},
    {"mklsvr", "tolerance", "1e-8"},
    {"mklsvr", "weight_tolerance", "1e-8"},
    {"mklsvr", "verify", "double", "verify"},
    {"linearsvc", "tolerance", "1e-11"},
    {"linearsvr", "tolerance", "1e-11"},
    {"mapsvc", "gap", "1e-10"},
    {"maplogit", "accuracy", "1e-14"},
    {"mapridge", "lambda", "0.5", "select"},
    {"kfd", "lambda", "0.5"},
    {"kfd", "calibration", "training", "calibration"},
    {"l1vmr", "lambda", "0.5", "select"},
    {"l1vmc", "lambda", "0.5", "select"},
    {"lapr", "lambda", "0.5"},
    {"falkonc", "tolerance", "1e-9"},
    {"lssvm", "C", "2", "select"},
    {"riskr", "tolerance", "1e-10"},
    {"riskc", "tolerance", "1e-10"},
    {"gp", "restarts", "0"},
    {"gp", "max_evaluations", "25"},
    {"pursuit", "components", "2"},
    {"pursuit", "restarts", "2"},
    {"pursuit", "max_iterations", "100"},
    {"l1vmr", "points", "12"},
    {"l1vmr", "folds", "3"},
    {"l1vmc", "points", "5"},
    {"l1vmc", "count", "8"},
    {"l1vmc", "folds", "3"},
};

struct Exempt {
  std::string_view model;
  double tolerance;
  std::string_view when;
  std::string_view reason;
};
inline constexpr std::string_view leaves_out =
    "leaving out is of rows with all of their weight, and n counts rows: copies that stay would vouch for each other";
inline constexpr std::string_view refuses = "refuses weights other than 0 and 1, and says so";
inline constexpr std::string_view whitening =
    "whitening divides by eigenvalues down to 1e-10 of the largest, which copies change in the last digits";
inline constexpr Exempt exempt[] = {
    {"ridge", left_out, "select=", leaves_out},
    {"lssvm", left_out, "select=", leaves_out},
    {"lssvm", left_out, "probability=yes", "sigmoids are fitted to leave-one-out values"},
    {"mapridge", left_out, "select=", leaves_out},
    {"svc", left_out, "probability=yes", "sigmoids are fitted in folds"},
    {"nusvc", left_out, "probability=yes", "sigmoids are fitted in folds"},
    {"mklsvc", left_out, "probability=yes", "sigmoids are fitted in folds"},
    {"l1vmr", left_out, "select=cv", "folds of rows choose the penalty"},
    {"l1vmc", left_out, "select=cv", "folds of rows choose the penalty"},
    {"l2vmr", left_out, "select=cv", "folds of rows choose the penalty"},
    {"l2vmc", left_out, "select=cv", "folds of rows choose the penalty"},
    {"lapc", left_out, "select=cv", "folds of rows choose the penalty"},
    {"lapc", left_out, "machine=loo", leaves_out},
    {"gp", left_out, "likelihood=laplacian", refuses},
    {"gp", left_out, "method=greedy", refuses},
    {"gp", left_out, "objective=loo", leaves_out},
    {"gpc", left_out, "inference=ep", refuses},
    {"gpc", left_out, "inference=variational", refuses},
    {"riskc", left_out, "loss=inverse_complementary_log_log", "not convex: copies turn the path to another minimum"},
    {"falkonc", 1e-3, "precision=float", "kernel values in single precision"},
    {"kpca", left_out, "method=hebbian", "learns from one row after the other"},
    {"kernelmap", left_out, "whiten=no", "a feature is a landmark, and a row twice is two of them"},
    {"kernelmap", 1e-3, "", whitening},
    {"nystroem", 1e-3, "", whitening},
    {"pursuit", left_out, "contrast=fisher", "two directions are as good to the last digits, and rounding takes one"},
    {"loess", left_out, "", "weights are precisions, as in R: the span counts rows, and so does the residual scale"},
    {"perceptron", left_out, "", refuses},
    {"bayespoint", left_out, "", refuses},
    {"chi2map", left_out, "", "refuses weights: its features follow from the kernel alone"},
    {"sketch", left_out, "", "refuses weights: its features follow from the kernel alone"},
};

}  // namespace mercer::testing::weights
