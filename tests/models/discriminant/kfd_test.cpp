#include "mercer/models/discriminant/kfd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/ridge/lssvm.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "solvers/fisher_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::measure;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

Samples dense_rows(std::vector<double> values, Index columns) {
  const auto rows = static_cast<Index>(values.size()) / columns;
  return make_dense(std::move(values), rows, columns);
}

// Clouds on a circle; the classes have 1, 2, 3, … shares.
TrainingData clouds(Index n, Index classes, double spread, std::uint64_t seed) {
  Matrix<double> x = random_matrix(n, 2, seed);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    Index c = 0;
    for (Index left = i % (classes * (classes + 1) / 2); left > c; ++c) {
      left -= c + 1;
    }
    const double angle = 2 * std::acos(-1.0) * static_cast<double>(c) / static_cast<double>(classes);
    x(i, 0) = 2 * std::cos(angle) + spread * x(i, 0);
    x(i, 1) = 2 * std::sin(angle) + spread * x(i, 1);
    labels.push_back("class" + std::to_string(c));
  }
  return {make_dense(std::move(x)), Targets::classes(labels, "kind")};
}

ClassRows class_rows(const TrainingData& data) {
  return {data.targets.labels(0).codes,
          data.weights.empty() ? std::vector<double>(data.samples.size(), 1.0) : data.weights};
}

double error_rate(const KfdModel& model, const TrainingData& data) {
  const Matrix<double> predicted = model.predict(data.samples, {});
  const ClassLabels truth = data.targets.labels(0, model.classes());
  double wrong = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
  }
  return wrong / static_cast<double>(predicted.rows());
}

TrainingData five_points() {
  return {dense_rows({-2, -1, 0.5, 1, 3}, 1), Targets::classes(std::vector<std::string>{"-", "-", "+", "+", "+"})};
}

// Labels are sorted: "+" is the first class, so that the golden values turn their sign.
TEST(Kfd, GoldenValues) {
  const KfdOptions options{.lambda = 1,
                           .penalty = FisherPenalty::coefficients,
                           .threshold = KfdThreshold::midpoint,
                           .calibration = KfdCalibration::training};
  const auto linear = fit_kfd(parse_kernel("linear()"), options, five_points());
  const double values[] = {-4.0 / 3, -2.0 / 3, 1.0 / 3, 2.0 / 3, 2.0};
  const Matrix<double> decided = linear->decide(five_points().samples, {});
  EXPECT_EQ(linear->classes(), (std::vector<std::string>{"+", "-"}));
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(decided(i, 0), -values[i], 1e-10);
  }
  EXPECT_NEAR(linear->report().objective, .9034608379, 1e-10);

  const auto gaussian = fit_kfd(parse_kernel("rbf(gamma=0.5)"), options, five_points());
  const double golden[] = {-.8870434942, -.8161214694, .4330183020, .5985024992, .5507908553};
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(gaussian->parts().expansion.coefficients()(i, 0), -golden[i], 1e-10);
  }
  EXPECT_NEAR(gaussian->parts().expansion.parametric_coefficients()(0, 0), -.2443733431, 1e-10);
  EXPECT_NEAR(gaussian->report().objective, 1.1878709128, 1e-10);
}

TEST(Kfd, BothPenaltiesAreTheClosedForm) {
  TrainingData data = clouds(40, 2, 1.2, 1);
  const Kernel kernel = parse_kernel("rbf(gamma=0.4)");
  const Samples x = random_samples(15, 2, 2);
  for (const bool weighted : {false, true}) {
    data.weights = weighted ? testing::random_weights(40, 3) : std::vector<double>();
    const ClassRows rows = class_rows(data);
    const Dense k = kernel_matrix(kernel, data.samples, data.samples);
    Dense inverse_weights(40, 40);
    for (Index i = 0; i < 40; ++i) {
      inverse_weights(i, i) = 1 / rows.weight(i);
    }
    for (const FisherPenalty penalty : {FisherPenalty::norm, FisherPenalty::coefficients}) {
      const auto model = fit_kfd(kernel,
                                 {.lambda = 0.3,
                                  .penalty = penalty,
                                  .threshold = KfdThreshold::midpoint,
                                  .calibration = KfdCalibration::training},
                                 data);
      const auto direct = testing::closed_form(k, penalty == FisherPenalty::norm ? k : inverse_weights, rows, 0.3);
      const Dense values = (kernel_matrix(kernel, x, data.samples) * direct.alpha).shifted(direct.offset);
      EXPECT_LT((Dense(model->decide(x, {})) - values).max_abs(), 1e-7) << word_of(penalty) << weighted;
      EXPECT_NEAR(model->report().objective, direct.objective, 1e-7 * direct.objective);
    }
  }
}

// The least-squares cut is where ridge regression of left-out values on labels changes its sign; directions are parallel.
TEST(Kfd, DirectionIsThatOfRidgeOnLabels) {
  const TrainingData data = clouds(60, 2, 1.5, 4);
  const auto kfd = fit_kfd(parse_kernel("rbf(gamma=0.4)"), {.lambda = 0.5}, data);
  const auto ridge = fit_lssvm(parse_kernel("rbf(gamma=0.4)"), {.C = 2.0}, data);
  const Samples x = random_samples(20, 2, 5);
  const Matrix<double> a = kfd->decide(x, {});
  const Matrix<double> b = ridge->decide(x, {});
  const double slope = (a(1, 0) - a(0, 0)) / (b(1, 0) - b(0, 0));
  EXPECT_GT(slope, 1);  // ridge shrinks, the discriminant has class means 2 apart
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(a(i, 0) - a(0, 0), slope * (b(i, 0) - b(0, 0)), 1e-8);
  }
}

TEST(Kfd, TwoClassesAreTheSeveralClassesRule) {
  const TrainingData data = clouds(60, 2, 1.0, 6);
  const auto model =
      fit_kfd(parse_kernel("rbf(gamma=0.4)"), {.lambda = 0.5, .threshold = KfdThreshold::midpoint}, data);
  const Samples x = random_samples(50, 2, 7);
  const Matrix<double> values = model->decide(x, {});
  const Matrix<double> predicted = model->predict(x, {});
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(predicted(i, 0), static_cast<double>(model->parts().densities.nearest_mean(values.view().row(i))));
  }
}

TEST(Kfd, SeparatesClouds) {
  for (const Index classes : {2, 3, 5}) {
    const TrainingData train = clouds(150, classes, 0.4, 8);
    const TrainingData test = clouds(300, classes, 0.4, 9);
    for (const KfdForm form :
         {KfdForm::automatic, KfdForm::exact, KfdForm::low_rank, KfdForm::greedy, KfdForm::sparse}) {
      for (const KfdThreshold threshold :
           {KfdThreshold::automatic, KfdThreshold::svm, KfdThreshold::midpoint, KfdThreshold::bayes}) {
        if (classes > 2 && (form == KfdForm::sparse || threshold == KfdThreshold::svm)) {
          EXPECT_ERROR(fit_kfd(parse_kernel("rbf()"), {.form = form, .threshold = threshold}, train), InvalidArgument,
                       "two classes");
          continue;
        }
        if (form != KfdForm::exact && threshold != KfdThreshold::automatic) {
          continue;
        }
        const auto model = fit_kfd(parse_kernel("rbf()"), {.form = form, .size = 40, .threshold = threshold}, train);
        EXPECT_LT(error_rate(*model, test), classes == 5 ? 0.03 : 0.01)
            << classes << word_of(form) << word_of(threshold);
        EXPECT_EQ(static_cast<Index>(model->decision_names().size()), classes - 1);
        if (form != KfdForm::automatic && form != KfdForm::exact) {
          EXPECT_LE(model->parts().expansion.centers().size(), 40);
        }
      }
    }
  }
}

TEST(Kfd, FullSizeFormsAreExact) {
  const TrainingData data = clouds(50, 3, 1.0, 10);
  const Kernel kernel = parse_kernel("laplacian(gamma=0.5)");
  const Samples x = random_samples(20, 2, 11);
  const auto exact = fit_kfd(kernel, {.lambda = 0.2, .form = KfdForm::exact}, data);
  const Matrix<double> values = exact->decide(x, {});
  const Matrix<double> probabilities = exact->probabilities(x, {});
  for (const KfdForm form : {KfdForm::low_rank, KfdForm::greedy}) {
    const auto other = fit_kfd(kernel, {.lambda = 0.2, .form = form, .size = 50, .tolerance = 0}, data);
    EXPECT_LT((Dense(other->decide(x, {})) - Dense(values)).max_abs(), 1e-6) << word_of(form);
    // Left-out values agree too, or densities would not.
    EXPECT_LT((Dense(other->probabilities(x, {})) - Dense(probabilities)).max_abs(), 1e-6) << word_of(form);
  }
}

TEST(Kfd, WeightsAreRepetitions) {
  TrainingData data = clouds(30, 3, 1.0, 12);
  std::vector<Index> repeated;
  for (Index i = 0; i < 30; ++i) {
    data.weights.push_back(static_cast<double>(i % 3));
    for (Index t = 0; t < i % 3; ++t) {
      repeated.push_back(i);
    }
  }
  const TrainingData tall{data.samples.select(repeated), data.targets.select(repeated)};
  const Samples x = random_samples(20, 2, 13);
  for (const FisherPenalty penalty : {FisherPenalty::norm, FisherPenalty::coefficients}) {
    // Left-out values differ: one copy is left out, or the row with all its weight.
    const KfdOptions options{.lambda = 0.4, .penalty = penalty, .calibration = KfdCalibration::training};
    const auto one = fit_kfd(parse_kernel("rbf(gamma=0.5)"), options, data);
    const auto two = fit_kfd(parse_kernel("rbf(gamma=0.5)"), options, tall);
    EXPECT_LT((Dense(one->decide(x, {})) - Dense(two->decide(x, {}))).max_abs(), 1e-6) << word_of(penalty);
    EXPECT_LT((Dense(one->probabilities(x, {})) - Dense(two->probabilities(x, {}))).max_abs(), 1e-6)
        << word_of(penalty);
  }
}

TEST(Kfd, LeaveOneOutErrorIsThatOfRefits) {
  const Index n = 36;
  const TrainingData data = clouds(n, 3, 1.6, 14);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  for (const FisherPenalty penalty : {FisherPenalty::norm, FisherPenalty::coefficients}) {
    const KfdOptions options{.lambda = 0.3, .penalty = penalty};
    const auto model = fit_kfd(kernel, options, data);
    // What refits without a row say of it, in the functions of the regression; signs and scales are those of all rows.
    const ClassRows rows = class_rows(data);
    const Dense k = kernel_matrix(kernel, data.samples, data.samples);
    const Dense r = penalty == FisherPenalty::norm ? k : Dense::identity(n);
    const ClassRegression all =
        regress_on_functions(k.matrix().view(), r.matrix().view(), rows, 0.3, Leverages::skip, mercer::Run());
    const FisherDirections directions = fisher_directions(all.fitted.view(), rows, 1e-12, mercer::Run());
    double wrong = 0;
    for (Index out = 0; out < n; ++out) {
      std::vector<Index> kept;
      for (Index i = 0; i < n; ++i) {
        if (i != out) {
          kept.push_back(i);
        }
      }
      const TrainingData part{data.samples.select(kept), data.targets.select(kept)};
      const ClassRows of = class_rows(part);
      // The function of the row stays; for the norm of K it has no part in the solution.
      const Dense functions = k.picked_rows(kept);
      const ClassRegression refit =
          regress_on_functions(functions.matrix().view(), r.matrix().view(), of, 0.3, Leverages::skip, mercer::Run());
      Dense value = k.row(out) * Dense(refit.coefficients);
      const Dense means = Dense(1, n - 1, 1.0 / static_cast<double>(n - 1)) * functions * Dense(refit.coefficients);
      for (Index q = 0; q < 3; ++q) {
        value(0, q) += of.total(q) / of.total() - means(0, q) - rows.total(q) / rows.total();
      }
      const Matrix<double> turned = (value * Dense(directions.combination)).matrix();
      wrong += model->parts().densities.nearest_mean(std::as_const(turned).view().row(0)) == rows.class_of(out) ? 0 : 1;
    }
    EXPECT_NEAR(measure(*model, "leave-one-out error rate"), wrong / static_cast<double>(n), 1e-12) << word_of(penalty);
  }
}

TEST(Kfd, ChosenPenaltyIsTheLeastLeaveOneOutError) {
  const TrainingData data = clouds(80, 2, 1.5, 15);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const auto ridge = fit_lssvm(kernel, {.select = PenaltyChoice::leave_one_out}, data);
  const auto model = fit_kfd(kernel, {}, data);
  EXPECT_NEAR(*model->parts().options.lambda * *ridge->parts().options.C, 1, 1e-9);
  // The other penalty, by brute force over its own path.
  const auto other = fit_kfd(kernel, {.penalty = FisherPenalty::coefficients}, data);
  const ClassRows rows = class_rows(data);
  const Matrix<double> k = kernel_matrix(kernel, data.samples, data.samples).matrix();
  const auto loss = [&](double lambda) {
    const ClassRegression fit = regress_on_functions(k.view(), {}, rows, lambda, Leverages::compute, mercer::Run());
    const Matrix<double> values = left_out_values(fit.fitted.view(), fit.leverages, rows);
    double sum = 0;
    for (Index i = 0; i < 80; ++i) {
      const double error = values(i, 1) + rows.total(1) / rows.total() - static_cast<double>(rows.class_of(i));
      sum += error * error;
    }
    return sum;
  };
  const double best = loss(*other->parts().options.lambda);
  for (double exponent = -3; exponent <= 3; exponent += 0.1) {
    // Steps of the path are fifths of a decade.
    EXPECT_LT(best, loss(std::pow(10.0, exponent)) * 1.01) << exponent;
  }
  EXPECT_NEAR(measure(*other, "path leave-one-out RMSE"), std::sqrt(best / 80), 1e-6);
  // A choice on some rows carries over by its weight.
  const TrainingData more = clouds(400, 2, 1.5, 16);
  for (const FisherPenalty penalty : {FisherPenalty::norm, FisherPenalty::coefficients}) {
    const double all = *fit_kfd(kernel, {.penalty = penalty}, more)->parts().options.lambda;
    const double some = *fit_kfd(kernel, {.penalty = penalty, .select_rows = 200}, more)->parts().options.lambda;
    EXPECT_LT(std::abs(std::log10(all / some)), 1.0) << word_of(penalty);
  }
}

TEST(Kfd, ProbabilitiesAreCalibrated) {
  // Two overlapping Gaussians, 1 : 2; the truth is known.
  const TrainingData train = clouds(900, 2, 2.0, 17);
  const TrainingData test = clouds(3000, 2, 2.0, 18);
  const auto model = fit_kfd(parse_kernel("linear()"), {}, train);
  const auto& x = test.samples.as<DenseRows<double>>();
  const Matrix<double> probabilities = model->probabilities(test.samples, {});
  double worst = 0;
  for (Index i = 0; i < 3000; ++i) {
    // N(±2 e_1, 4): log odds −x_1 + ln 2.
    const double truth = 1 / (1 + std::exp(x(i, 0) - std::log(2.0)));
    worst = std::max(worst, std::abs(probabilities(i, 1) - truth));
    EXPECT_NEAR(probabilities(i, 0) + probabilities(i, 1), 1, 1e-12);
  }
  EXPECT_LT(worst, 0.08);
}

// A narrow class beside a wide one: far out on the narrow one's side the wide one is the more probable again.
TEST(Kfd, BayesAnswersWithTheMostProbableClassEverywhere) {
  Matrix<double> x = random_matrix(200, 1, 55);
  std::vector<std::string> labels;
  for (Index i = 0; i < 200; ++i) {
    x(i, 0) = i % 2 == 0 ? 0.1 * x(i, 0) : 1 + x(i, 0);
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  const TrainingData data{make_dense(std::move(x)), Targets::classes(labels)};
  const auto model = fit_kfd(parse_kernel("linear"), {.lambda = 1e-3, .threshold = KfdThreshold::bayes}, data);
  std::vector<double> places;
  for (Index i = 0; i <= 160; ++i) {
    places.push_back(-8 + 0.1 * static_cast<double>(i));
  }
  const Samples line = dense_rows(places, 1);
  const Matrix<double> predicted = model->predict(line, {});
  const Matrix<double> p = model->probabilities(line, {});
  EXPECT_EQ(predicted(0, 0), 1);
  for (Index i = 0; i < line.size(); ++i) {
    EXPECT_EQ(predicted(i, 0), p(i, 1) > p(i, 0) ? 1 : 0) << places[i];
  }
}

// Values of the rows that a discriminant was fitted to lie too close to their class means.
TEST(Kfd, LeftOutValuesGiveBetterProbabilities) {
  const TrainingData train = clouds(150, 2, 1.5, 40);
  const TrainingData test = clouds(1000, 2, 1.5, 41);
  const auto log_loss = [&](KfdForm form, KfdCalibration calibration) {
    const auto model =
        fit_kfd(parse_kernel("rbf(gamma=3)"), {.lambda = 0.1, .form = form, .calibration = calibration}, train);
    const Matrix<double> p = model->probabilities(test.samples, {});
    const ClassLabels truth = test.targets.labels(0, model->classes());
    double sum = 0;
    for (Index i = 0; i < 1000; ++i) {
      sum -= std::log(p(i, truth.codes[i])) / 1000;
    }
    return sum;
  };
  const double entropy = -std::log(1.0 / 3) / 3 - std::log(2.0 / 3) * 2 / 3;
  for (const KfdForm form : {KfdForm::exact, KfdForm::low_rank, KfdForm::greedy, KfdForm::sparse}) {
    const double left_out = log_loss(form, KfdCalibration::left_out);
    EXPECT_LT(left_out, entropy) << word_of(form);
    EXPECT_LT(left_out, 0.6 * log_loss(form, KfdCalibration::training)) << word_of(form);
  }
}

TEST(Kfd, PriorsMoveProbabilitiesAndTheBayesThreshold) {
  const TrainingData data = clouds(200, 2, 1.5, 19);
  const Samples x = random_samples(40, 2, 20);
  const auto shares = fit_kfd(parse_kernel("rbf()"), {.lambda = 1, .threshold = KfdThreshold::bayes}, data);
  const auto given =
      fit_kfd(parse_kernel("rbf()"),
              {.lambda = 1, .threshold = KfdThreshold::bayes, .priors = {{"class0", 3}, {"class1", 1}}}, data);
  const auto equal = fit_kfd(parse_kernel("rbf()"), {.lambda = 1, .priors = ClassPriors::equal()}, data);
  const Matrix<double> p = shares->probabilities(x, {});
  const Matrix<double> q = given->probabilities(x, {});
  const Matrix<double> e = equal->probabilities(x, {});
  const double share = std::exp(shares->parts().densities.log_priors()[1] - shares->parts().densities.log_priors()[0]);
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(std::log(p(i, 1) / p(i, 0)) - std::log(share), std::log(e(i, 1) / e(i, 0)), 1e-6);
    EXPECT_NEAR(std::log(q(i, 1) / q(i, 0)) + std::log(3.0), std::log(e(i, 1) / e(i, 0)), 1e-6);
    // Between the class means the rule and the probabilities say the same.
    const double f = shares->decide(x, {})(i, 0);
    if (f > shares->parts().densities.means()(0, 0) && f < shares->parts().densities.means()(1, 0)) {
      EXPECT_EQ(f > 0, p(i, 1) > 0.5);
    }
  }
  EXPECT_ERROR(ClassPriors::parse("class0:-1"), InvalidArgument,
               "kfd: priors: 'class0:-1' is not label:number with a positive number");
  EXPECT_EQ(ClassPriors({{"class0", 3}, {"class1", 1}}).text(), "class0:3,class1:1");
  EXPECT_ERROR(fit_kfd(parse_kernel("rbf()"), {.priors = ClassPriors::parse("classX:1")}, data), InvalidArgument,
               "kfd: priors: there is no class 'classX'");
}

TEST(Kfd, ExpansionsCanBeReplaced) {
  const TrainingData data = clouds(60, 3, 1.0, 21);
  const auto model = fit_kfd(parse_kernel("rbf(gamma=0.5)"), {}, data);
  const Expansion* expansion = model->expansion_form();
  ASSERT_NE(expansion, nullptr);
  const Samples x = random_samples(10, 2, 22);
  const auto same = model->with_expansion(*expansion, {});
  EXPECT_TRUE(same_bits(same->decide(x, {}), model->decide(x, {})));
  EXPECT_TRUE(same_bits(same->probabilities(x, {}), model->probabilities(x, {})));
  const auto again = kfd_entry().load(state_of(*same), {});
  EXPECT_TRUE(same_bits(again->predict(x, {}), model->predict(x, {})));
  const Expansion fewer(model->kernel(), expansion->centers(),
                        Matrix<double>::filled(expansion->centers().size(), 1, 0.1), ParametricPart::constant,
                        Matrix<double>::filled(1, 1, 0.0), Precision::double_precision, {});
  EXPECT_ERROR(model->with_expansion(fewer, {}), InvalidArgument,
               "kfd: other functions must have the kernel rbf(gamma=0.5) and 2 outputs");
}

TEST(Kfd, AnySamplesAndKernels) {
  const std::vector<std::string> labels = {"a", "b", "a", "b", "a", "b", "a", "b"};
  const TrainingData sparse{testing::random_sparse(8, 20, 0.4, 23), Targets::classes(labels)};
  for (const KfdForm form : {KfdForm::exact, KfdForm::low_rank, KfdForm::greedy, KfdForm::sparse}) {
    const auto model = fit_kfd(parse_kernel("linear()"), {.lambda = 0.1, .form = form}, sparse);
    EXPECT_EQ(error_rate(*model, sparse), 0) << word_of(form);
  }
  // Centred kernels refer to all rows whichever functions are kept.
  const TrainingData data = clouds(50, 2, 1.0, 24);
  const Samples x = random_samples(10, 2, 25);
  const auto plain = fit_kfd(parse_kernel("rbf(gamma=0.5)"), {.lambda = 0.2}, data);
  const auto centered = fit_kfd(parse_kernel("center(rbf(gamma=0.5))"), {.lambda = 0.2}, data);
  EXPECT_LT((Dense(plain->decide(x, {})) - Dense(centered->decide(x, {}))).max_abs(), 1e-6);
  const auto few =
      fit_kfd(parse_kernel("center(rbf(gamma=0.5))"), {.lambda = 0.2, .form = KfdForm::greedy, .size = 5}, data);
  EXPECT_LT(error_rate(*few, data), 0.2);
  // Conditionally positive kernels are positive beside the offset.
  EXPECT_LT(error_rate(*fit_kfd(parse_kernel("negative_distance()"), {}, data), data), 0.2);
  EXPECT_ERROR(fit_kfd(parse_kernel("negative_distance()"), {.form = KfdForm::low_rank}, data), InvalidArgument,
               "kfd: the kernel negative_distance(beta=1) is conditionally positive definite");
  EXPECT_ERROR(fit_kfd(parse_kernel("sigmoid()"), {}, data), InvalidArgument,
               "kfd: the kernel sigmoid(gamma=0.5, coef0=0) is indefinite");
  // The coefficients have a penalty of their own, whatever the kernel.
  EXPECT_LT(error_rate(*fit_kfd(parse_kernel("sigmoid()"), {.penalty = FisherPenalty::coefficients}, data), data), 0.2);
}

TEST(Kfd, DegenerateInputs) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const auto classes = [](std::vector<std::string> labels) { return Targets::classes(std::move(labels)); };
  EXPECT_ERROR(fit_kfd(kernel, {}, {dense_rows({}, 2), classes({})}), DataError, "kfd: there are no rows to fit");
  EXPECT_ERROR(fit_kfd(kernel, {}, {dense_rows({1, 2}, 1), classes({"a", "a"})}), DataError,
               "kfd: all rows that count belong to one class ('a')");
  // One row per class: variances are not known, all is finite still.
  const auto two = fit_kfd(kernel, {}, {dense_rows({0, 1}, 1), classes({"a", "b"})});
  const Samples x = dense_rows({-1, 0, 0.4, 0.6, 1, 100}, 1);
  for (const double value : two->probabilities(x, {}).view().row(0)) {
    EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_EQ(two->predict(x, {})(1, 0), 0);
  EXPECT_EQ(two->predict(x, {})(4, 0), 1);
  // Classes that cannot be told apart.
  const Samples same = dense_rows({1, 1, 1, 1}, 1);
  for (const KfdForm form : {KfdForm::exact, KfdForm::low_rank, KfdForm::greedy, KfdForm::sparse}) {
    EXPECT_ERROR(fit_kfd(kernel, {.lambda = 1, .form = form}, {same, classes({"a", "b", "a", "b"})}), NumericalError,
                 "the classes have the same mean in the space of the kernel")
        << word_of(form);
  }
  // Repeated rows are no trouble.
  TrainingData data = clouds(40, 2, 1.0, 26);
  std::vector<Index> twice;
  for (Index i = 0; i < 80; ++i) {
    twice.push_back(i / 2);
  }
  const TrainingData repeated{data.samples.select(twice), data.targets.select(twice)};
  for (const KfdForm form : {KfdForm::exact, KfdForm::low_rank, KfdForm::greedy, KfdForm::sparse}) {
    EXPECT_LT(error_rate(*fit_kfd(kernel, {.form = form}, repeated), repeated), 0.2) << word_of(form);
  }
  // Random labels: left-out values say nothing. The report says so, or has an error near a coin's.
  const Matrix<double> noise = random_matrix(60, 1, 27);
  std::vector<std::string> labels;
  for (Index i = 0; i < 60; ++i) {
    labels.push_back(noise(i, 0) > 0 ? "a" : "b");
  }
  const auto coin = fit_kfd(kernel, {}, {random_samples(60, 3, 28), classes(labels)});
  const bool hopeless = std::ranges::any_of(coin->report().notes, [](const std::string& note) {
    return note.find("do not tell the classes apart") != std::string::npos;
  });
  EXPECT_TRUE(hopeless || measure(*coin, "leave-one-out error rate") > 0.25);
  Matrix<double> broken = random_matrix(10, 2, 29);
  broken(3, 1) = std::nan("");
  labels.resize(10);
  EXPECT_ERROR(fit_kfd(kernel, {}, {make_dense(std::move(broken)), classes(labels)}), DataError,
               "row 3, column 1 is NaN");
}

TEST(Kfd, OptionsAreChecked) {
  const TrainingData data = clouds(20, 2, 1.0, 30);
  const Kernel kernel = parse_kernel("rbf()");
  EXPECT_ERROR(fit_kfd(kernel, {.lambda = 0.0}, data), InvalidArgument, "kfd: lambda = 0");
  EXPECT_ERROR(fit_kfd(kernel, {.size = -1}, data), InvalidArgument, "kfd: size = -1");
  EXPECT_ERROR(fit_kfd(kernel, {.candidates = 0}, data), InvalidArgument, "kfd: candidates = 0");
  EXPECT_ERROR(fit_kfd(kernel, {.tolerance = -1}, data), InvalidArgument, "kfd: tolerance = -1");
  KfdOptions options;
  EXPECT_ERROR(apply_settings<KfdOptions>("kfd", kfd_option_table(),
                                          std::vector<OptionSetting>{{"threshold", "middle"}}, options),
               InvalidArgument, "kfd: threshold = middle: must be one of automatic, least_squares");
  EXPECT_ERROR(fit_kfd(kernel, {.penalty = FisherPenalty::coefficients, .form = KfdForm::low_rank}, data),
               InvalidArgument, "kfd: form = low_rank has no coefficients of its own to penalise");
  EXPECT_ERROR(fit_kfd(kernel, {.memory_mb = 1e-3}, data), InvalidArgument,
               "kfd: the eigendecomposition of the kernel matrix of 20 rows needs");
  std::stop_source source;
  source.request_stop();
  for (const KfdForm form : {KfdForm::exact, KfdForm::low_rank, KfdForm::greedy, KfdForm::sparse}) {
    EXPECT_ERROR(fit_kfd(kernel, {.lambda = 1, .form = form}, data, mercer::Run{{.stop = source.get_token()}}), Stopped,
                 "stopped on request")
        << word_of(form);
  }
}

TEST(Kfd, ThreadsGiveTheSameBits) {
  const TrainingData data = clouds(500, 3, 1.0, 31);
  const Samples x = random_samples(100, 2, 32);
  for (const KfdForm form : {KfdForm::exact, KfdForm::low_rank, KfdForm::greedy}) {
    const auto decided = [&](int threads) {
      const mercer::Run run{{.threads = threads, .seed = 3}};
      return fit_kfd(parse_kernel("rbf()"), {.lambda = 0.3, .form = form, .size = 30}, data, run)->decide(x, run);
    };
    const Matrix<double> one = decided(1);
    EXPECT_TRUE(same_bits(one, decided(2))) << word_of(form);
    EXPECT_TRUE(same_bits(one, decided(3))) << word_of(form);
  }
}

}  // namespace
}  // namespace mercer
