// All of Mercer that a program needs: reads data, builds kernels, fits, chooses, stores and loads models.
//
//   const mercer::Run run;
//   const auto file = mercer::read_data("train.csv", {.targets = {"y"}}, run);
//   const auto kernel = mercer::parse_kernel("rbf(gamma=scale)");
//   const auto model = mercer::fit_ridge(kernel, {.lambda = 1.0}, {file.samples, *file.targets}, run);
//   const mercer::Matrix<double> values = model->predict(file.samples, run);
//
// A program that minds its compile time includes what it uses: these headers (cmake/MercerPublicHeaders.cmake) are public,
// others are not installed. docs/cpp.md says what is where.
#pragma once

// What every call takes and throws.
#include "mercer/base/error.h"
#include "mercer/base/index.h"
#include "mercer/base/run.h"
#include "mercer/base/version.h"

// Matrices and views.
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/view.h"

// Samples, targets, data files.
#include "mercer/data/columns.h"
#include "mercer/data/embedding.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/files/write_data.h"
#include "mercer/data/preparation.h"
#include "mercer/data/samples.h"
#include "mercer/data/scaling.h"
#include "mercer/data/schema.h"
#include "mercer/data/split.h"
#include "mercer/data/targets.h"

// Kernels: the language, the registry, bases for kernels of your own.
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/algebra/custom.h"
#include "mercer/kernels/coordinate/pairwise_node.h"
#include "mercer/kernels/definiteness.h"
#include "mercer/kernels/dot/dot_node.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/parameter.h"
#include "mercer/kernels/radial/radial_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/widths.h"

// Kernel matrices.
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/definiteness_check.h"
#include "mercer/gram/gram.h"
#include "mercer/gram/kernel_gram.h"

// What fits end in.
#include "mercer/expansion/expansion.h"

// Models: any of the registry, the main ones by name, what they offer beside predictions.
#include "mercer/models/capability.h"
#include "mercer/models/closed_form_leave_one_out.h"
#include "mercer/models/features/kpca.h"
#include "mercer/models/fit_report.h"
#include "mercer/models/gp/gp.h"
#include "mercer/models/model.h"
#include "mercer/models/model_head.h"
#include "mercer/models/option_table.h"
#include "mercer/models/predictive_distribution.h"
#include "mercer/models/prototypes/kmeans.h"
#include "mercer/models/ridge/ridge.h"
#include "mercer/models/series_forecast.h"
#include "mercer/models/setting.h"
#include "mercer/models/stored_model.h"
#include "mercer/models/support_rows.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/models/svm/support_overlap.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"

// Choosing among them.
#include "mercer/select/estimates/geometric_margins.h"
#include "mercer/select/folds/fold_evaluator.h"
#include "mercer/select/folds/fold_metric.h"
#include "mercer/select/folds/fold_plan.h"
#include "mercer/select/metrics.h"
#include "mercer/select/search/tune.h"

// Model files.
#include "mercer/io/model_file.h"
