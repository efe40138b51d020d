#define EIGEN_EXP_VARIANT eigen_exp_baseline
#include "eigen_exp.inc"
