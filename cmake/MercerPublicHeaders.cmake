# What is installed of src/mercer: all headers that a program may include. A listed header includes only listed ones and
# those of the standard library; tests/install/public_headers.cmake checks that. Everything else may change at any time.

# What a program names. mercer.h includes all of them.
set(MERCER_PUBLIC_HEADERS
    mercer.h
    base/error.h base/index.h base/run.h base/version.h
    linalg/matrix.h linalg/view.h
    data/columns.h data/embedding.h data/files/data_file.h data/files/write_data.h data/preparation.h data/samples.h
    data/scaling.h
    data/schema.h
    data/split.h data/targets.h
    kernels/algebra.h kernels/algebra/custom.h kernels/coordinate/pairwise_node.h kernels/definiteness.h
    kernels/dot/dot_node.h kernels/kernel.h kernels/kernel_node.h kernels/parameter.h kernels/radial/radial_node.h
    kernels/registry.h kernels/spec.h kernels/tile.h kernels/widths.h
    gram/cross_gram.h gram/definiteness_check.h gram/gram.h gram/kernel_gram.h
    expansion/expansion.h
    models/capability.h models/closed_form_leave_one_out.h models/features/kpca.h models/fit_report.h models/gp/gp.h
    models/model.h models/model_head.h models/option_table.h models/predictive_distribution.h
    models/prototypes/kmeans.h models/ridge/ridge.h models/series_forecast.h
    models/setting.h models/stored_model.h models/support_rows.h models/svm/one_class.h models/svm/svc.h
    models/svm/support_overlap.h models/svm/svr.h
    select/estimates/geometric_margins.h
    select/folds/fold_evaluator.h select/folds/fold_metric.h select/folds/fold_plan.h select/metrics.h
    select/search/tune.h
    io/model_file.h)

# Here because a public header includes them: parts of its types, seldom named.
set(MERCER_SUPPORT_HEADERS
    base/buffer.h base/once.h base/random.h base/text.h base/words.h base/workspace.h
    linalg/scratch_matrix.h linalg/solve_status.h
    data/coding.h data/files/input_stream.h data/label_kind.h data/notation.h data/weighted_samples.h
    kernels/geometry.h kernels/prepared.h kernels/radial/profile_slopes.h kernels/spectrum.h
    expansion/parametric_part.h
    models/classes/class_code.h models/classes/class_weights.h models/classes/code_words.h
    models/classes/coded_classes.h models/classes/label_numbers.h models/classes/multiclass.h models/classes/platt.h
    models/decision_rule.h
    models/feature_space_function.h models/features/component_values.h models/features/feature_model.h
    models/gp/covariance_source.h models/gp/function_covariance.h models/gp/gp_noise.h
    models/gp/gp_options.h models/gp/inference/exact.h models/gp/inference/gp_data.h models/gp/inference/hyper_prior.h
    models/gp/inference/hyperparameters.h models/gp/inference/posterior.h models/likelihoods/likelihood.h
    models/option_limits.h models/option_value.h models/parametric_option.h models/prototypes/prototype_model.h models/ridge/penalty_choice.h
    models/ridge/ridge_solver_options.h models/svm/semiparametric_options.h models/svm/support_machine.h models/svm/svm_machine.h
    models/svm/svm_solver_options.h models/svm/tube_shape.h models/target_scaling.h
    select/sample_mean.h select/search/search_space.h select/search/search_strategy.h select/search/tune_log.h
    select/search/tune_table.h)
