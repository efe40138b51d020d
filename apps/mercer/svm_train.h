// mercer svm-train: LIBSVM's command of that name.
#pragma once

#include "libsvm_command.h"

namespace mercer::program {

void svm_train(LibsvmArguments arguments, Interruption& interruption);

inline constexpr const char* svm_train_usage =
    "Usage: svm-train [options] training_set_file [model_file]\n"
    "options:\n"
    "-s svm_type (default 0)\n"
    "\t0 -- C-SVC, classes\n"
    "\t1 -- nu-SVC, classes\n"
    "\t2 -- one-class SVM\n"
    "\t3 -- epsilon-SVR, regression\n"
    "\t4 -- nu-SVR, regression\n"
    "-t kernel_type (default 2)\n"
    "\t0 -- linear: u'*v\n"
    "\t1 -- polynomial: (gamma*u'*v + coef0)^degree\n"
    "\t2 -- radial basis function: exp(-gamma*|u-v|^2)\n"
    "\t3 -- sigmoid: tanh(gamma*u'*v + coef0)\n"
    "\t4 -- precomputed: the training file holds kernel values\n"
    "-d degree : of the polynomial kernel (default 3)\n"
    "-g gamma : of the kernel (default 1/num_features)\n"
    "-r coef0 : of the kernel (default 0)\n"
    "-c cost : C of C-SVC, epsilon-SVR and nu-SVR (default 1)\n"
    "-n nu : of nu-SVC, one-class SVM and nu-SVR (default 0.5)\n"
    "-p epsilon : the insensitive zone of epsilon-SVR (default 0.1)\n"
    "-m cachesize : megabytes for kernel values (default 100)\n"
    "-e epsilon : tolerance at which training stops (default 0.001)\n"
    "-h shrinking : 0 or 1 (default 1)\n"
    "-b probability_estimates : 1 trains a model that gives probabilities (default 0)\n"
    "-wi weight : C of class i is weight*C, for C-SVC (default 1)\n"
    "-v n : n-fold cross validation, no model is written\n"
    "-q : quiet, no progress lines\n";

}  // namespace mercer::program
