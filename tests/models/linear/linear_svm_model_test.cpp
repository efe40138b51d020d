// linearsvc and linearsvr against plain loops, the exact kernel models, and hostile states.
#include "mercer/models/linear/linear_svm_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::random_sparse;
using testing::random_weights;
using testing::same_bits;

const Kernel& linear() {
  static const Kernel kernel = parse_kernel("linear()");
  return kernel;
}

// Classes by the largest of k random linear functions plus noise.
TrainingData class_problem(Index rows, Index columns, Index classes, std::uint64_t seed) {
  const Matrix<double> x = random_matrix(rows, columns, seed);
  const Matrix<double> w = random_matrix(columns + 1, classes, seed + 1);
  const Matrix<double> noise = random_matrix(rows, classes, seed + 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    Index best = 0;
    double largest = -1e300;
    for (Index c = 0; c < classes; ++c) {
      double f = 0.5 * w(columns, c) + 0.7 * noise(i, c);
      for (Index j = 0; j < columns; ++j) {
        f += x(i, j) * w(j, c);
      }
      best = f > largest ? c : best;
      largest = std::max(largest, f);
    }
    labels.push_back(std::string(1, static_cast<char>('a' + (i < classes ? i : best))));
  }
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels)};
}

double primal(const LinearMachines& machines, Index m, const Samples& samples, const std::vector<double>& signs,
              const std::vector<double>& bounds) {
  double value = 0;
  for (Index j = 0; j < machines.weights.rows(); ++j) {
    value += machines.weights(j, m) * machines.weights(j, m) / 2;
  }
  const auto& x = samples.as<DenseRows<double>>();
  for (Index i = 0; i < x.rows; ++i) {
    double f = machines.intercepts(0, m);
    for (Index j = 0; j < x.columns; ++j) {
      f += x(i, j) * machines.weights(j, m);
    }
    value += bounds[i] * std::max(0.0, 1 - signs[i] * f);
  }
  return value;
}

TEST(LinearSvc, ReachesTheObjectiveOfSvc) {
  const TrainingData data = class_problem(150, 5, 2, 3);
  LinearSvcOptions options;
  options.C = 2;
  options.tolerance = 1e-7;
  options.max_passes = 100000;
  const auto model = fit_linearsvc(linear(), options, data);
  SvcOptions exact;
  exact.C = 2;
  exact.tolerance = 1e-7;
  const auto kernel_model = fit_svc(linear(), exact, data);
  const double best = kernel_model->machine_facts().front().dual;
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_NEAR(model->report().objective, best, 1e-6 * best);
  std::vector<double> signs;
  for (const std::int32_t code : data.targets.labels(0).codes) {
    signs.push_back(code == 1 ? 1.0 : -1.0);
  }
  EXPECT_NEAR(primal(model->machines(), 0, data.samples, signs, std::vector<double>(150, 2.0)), best, 1e-6 * best);
  const Samples fresh = random_samples(40, 5, 8);
  const Matrix<double> ours = model->decide(fresh, {});
  const Matrix<double> theirs = kernel_model->decide(fresh, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(ours(i, 0), theirs(i, 0), 1e-2);
  }
}

TEST(LinearSvc, SeparatesSeveralClassesEitherWay) {
  const TrainingData data = class_problem(400, 6, 4, 5);
  const std::vector<std::int32_t> codes = data.targets.labels(0).codes;
  for (const Multiclass multiclass : {Multiclass::one_vs_rest, Multiclass::one_vs_one, Multiclass::crammer_singer}) {
    for (const LinearLoss loss : {LinearLoss::hinge, LinearLoss::squared_hinge}) {
      for (const LinearIntercept intercept :
           {LinearIntercept::exact, LinearIntercept::regularized, LinearIntercept::none}) {
        if (multiclass == Multiclass::crammer_singer && loss != LinearLoss::hinge) {
          continue;
        }
        LinearSvcOptions options;
        options.multiclass = multiclass;
        options.loss = loss;
        options.intercept = intercept;
        const auto model = fit_linearsvc(linear(), options, data);
        const Matrix<double> predicted = model->predict(data.samples, {});
        Index right = 0;
        for (Index i = 0; i < 400; ++i) {
          right += predicted(i, 0) == codes[i] ? 1 : 0;
        }
        EXPECT_GT(right, 280) << word_of(multiclass) << " " << word_of(loss) << " " << word_of(intercept);
        EXPECT_EQ(model->machines().count(), multiclass == Multiclass::one_vs_one ? 6 : 4);
        EXPECT_EQ(static_cast<Index>(model->decision_names().size()), model->machines().count());
      }
    }
  }
}

TEST(LinearSvc, OneVersusRestIsTheTwoClassMachines) {
  const TrainingData data = class_problem(120, 4, 3, 7);
  LinearSvcOptions options;
  options.tolerance = 1e-6;
  options.max_passes = 100000;
  const auto model = fit_linearsvc(linear(), options, data);
  const std::vector<std::int32_t> codes = data.targets.labels(0).codes;
  for (std::int32_t c = 0; c < 3; ++c) {
    std::vector<std::string> sides;
    for (const std::int32_t code : codes) {
      sides.push_back(code == c ? "own" : "a rest");  // the second level is the positive one
    }
    const auto one = fit_linearsvc(linear(), options, {data.samples, Targets::classes(sides)});
    const Matrix<double> expected = one->decide(data.samples, {});
    const Matrix<double> found = model->decide(data.samples, {});
    for (Index i = 0; i < 120; ++i) {
      EXPECT_NEAR(found(i, c), expected(i, 0), 1e-9);
    }
  }
}

// ½Σ_c‖w_c‖² (with the intercept's weight b/s where it is penalised) + C Σ_i max_r (1 − δ + f_r − f_y).
double joint_primal(const LinearMachines& machines, const TrainingData& data, double cost, double scale) {
  double value = 0;
  const Matrix<double> f = machines.values(data.samples, {});
  for (Index c = 0; c < machines.count(); ++c) {
    for (Index j = 0; j < machines.weights.rows(); ++j) {
      value += machines.weights(j, c) * machines.weights(j, c) / 2;
    }
    if (scale > 0) {
      value += machines.intercepts(0, c) * machines.intercepts(0, c) / (scale * scale) / 2;
    }
  }
  for (Index i = 0; i < f.rows(); ++i) {
    const auto own = static_cast<Index>(data.targets.labels(0).codes[i]);
    double worst = 0;
    for (Index r = 0; r < f.columns(); ++r) {
      worst = std::max(worst, (r == own ? 0.0 : 1.0) + f(i, r) - f(i, own));
    }
    value += cost * worst;
  }
  return value;
}

// The problem is convex: where no step from the solution lowers the objective, it is the minimum.
TEST(LinearSvc, CrammerSingerMinimizesItsObjective) {
  const TrainingData data = class_problem(90, 3, 3, 21);
  for (const LinearIntercept intercept :
       {LinearIntercept::regularized, LinearIntercept::none, LinearIntercept::exact}) {
    LinearSvcOptions options;
    options.multiclass = Multiclass::crammer_singer;
    options.C = 0.7;
    options.intercept = intercept;
    options.intercept_scale = 2;
    options.tolerance = 1e-7;
    options.max_passes = 100000;
    const auto model = fit_linearsvc(linear(), options, data);
    const double scale = intercept == LinearIntercept::regularized ? 2 : 0;
    const double best = joint_primal(model->machines(), data, 0.7, scale);
    EXPECT_EQ(model->report().status, SolveStatus::converged) << word_of(intercept);
    EXPECT_NEAR(model->report().objective, best, 1e-5 * best) << word_of(intercept);
    RandomStream random(4, 1);
    for (int step = 0; step < 200; ++step) {
      LinearMachines moved{Matrix<double>::copy_of(model->machines().weights.view()),
                           Matrix<double>::copy_of(model->machines().intercepts.view())};
      const double size = std::pow(10.0, -4 * random.uniform());
      for (Index c = 0; c < 3; ++c) {
        for (Index j = 0; j < 3; ++j) {
          moved.weights(j, c) += size * (random.uniform() - 0.5);
        }
        moved.intercepts(0, c) += intercept == LinearIntercept::none ? 0.0 : size * (random.uniform() - 0.5);
      }
      EXPECT_GT(joint_primal(moved, data, 0.7, scale), best - 1e-6 * best) << word_of(intercept);
    }
  }
}

TEST(LinearSvc, CrammerSingerOfTwoClassesIsOneMachineAtTwiceTheCost) {
  const TrainingData data = class_problem(80, 4, 2, 22);
  LinearSvcOptions options;
  options.C = 0.5;
  options.multiclass = Multiclass::crammer_singer;
  const auto joint = fit_linearsvc(linear(), options, data);
  options.C = 1;
  options.multiclass = Multiclass::one_vs_rest;
  EXPECT_TRUE(
      same_bits(joint->decide(data.samples, {}), fit_linearsvc(linear(), options, data)->decide(data.samples, {})));
  options.multiclass = Multiclass::crammer_singer;
  options.loss = LinearLoss::squared_hinge;
  EXPECT_ERROR(fit_linearsvc(linear(), options, data), InvalidArgument,
               "linearsvc: multiclass = cs with loss = squared_hinge and penalty = l2");
}

TEST(LinearSvc, SparseRowsAreTheSameAsDenseOnes) {
  const Samples sparse = random_sparse(200, 12, 0.3, 4);
  const Samples dense = to_dense<double>(sparse);
  TrainingData data = class_problem(200, 12, 3, 2);
  LinearSvcOptions options;
  options.tolerance = 1e-6;
  options.max_passes = 100000;
  const auto from_sparse = fit_linearsvc(linear(), options, {sparse, data.targets});
  const auto from_dense = fit_linearsvc(linear(), options, {dense, data.targets});
  EXPECT_NEAR(from_sparse->report().objective, from_dense->report().objective, 1e-5 * from_dense->report().objective);
  const Matrix<double> a = from_sparse->decide(sparse, {});
  const Matrix<double> b = from_sparse->decide(dense, {});
  for (Index i = 0; i < 200; ++i) {
    for (Index m = 0; m < 3; ++m) {
      EXPECT_NEAR(a(i, m), b(i, m), 1e-12 * (1 + std::abs(b(i, m))));
    }
  }
}

TEST(LinearSvc, WeightsAreRepetitions) {
  TrainingData data = class_problem(60, 3, 3, 6);
  std::vector<Index> repeated;
  for (Index i = 0; i < 60; ++i) {
    const Index times = i % 5 == 4 ? 0 : 1 + i % 3;
    data.weights.push_back(static_cast<double>(times));
    repeated.insert(repeated.end(), static_cast<std::size_t>(times), i);
  }
  LinearSvcOptions options;
  options.tolerance = 1e-8;
  options.max_passes = 1000000;
  options.loss = LinearLoss::squared_hinge;
  const auto weighted = fit_linearsvc(linear(), options, data);
  const auto plain = fit_linearsvc(linear(), options, {data.samples.select(repeated), data.targets.select(repeated)});
  EXPECT_NEAR(weighted->report().objective, plain->report().objective, 1e-6 * plain->report().objective);
}

TEST(LinearSvc, ClassWeightsMultiplyTheCost) {
  const TrainingData data = class_problem(100, 3, 2, 9);
  LinearSvcOptions heavy;
  heavy.class_weight = {{"b", 50}};
  LinearSvcOptions light;
  light.class_weight = {{"a", 50}};
  const auto count = [&](const LinearSvcOptions& options) {
    const Matrix<double> predicted = fit_linearsvc(linear(), options, data)->predict(data.samples, {});
    double sum = 0;
    for (Index i = 0; i < 100; ++i) {
      sum += predicted(i, 0);
    }
    return sum;
  };
  EXPECT_GT(count(heavy), count(light));
  heavy.class_weight = {{"nobody", 2}};
  EXPECT_ERROR(fit_linearsvc(linear(), heavy, data), InvalidArgument, "class_weight: there is no class 'nobody'");
}

TEST(LinearSvc, AnAbsolutePenaltyDropsColumns) {
  const TrainingData data = class_problem(200, 3, 2, 4);
  const Matrix<double> noise = random_matrix(200, 10, 99);
  Matrix<double> wide(200, 13);
  const auto& x = data.samples.as<DenseRows<double>>();
  for (Index i = 0; i < 200; ++i) {
    for (Index j = 0; j < 13; ++j) {
      wide(i, j) = j < 3 ? x(i, j) : noise(i, j - 3);
    }
  }
  LinearSvcOptions options;
  options.penalty = LinearPenalty::l1;
  options.loss = LinearLoss::squared_hinge;
  options.C = 0.05;
  const auto model = fit_linearsvc(linear(), options, {make_dense(std::move(wide)), data.targets});
  Index zeros = 0;
  for (Index j = 0; j < 13; ++j) {
    zeros += model->machines().weights(j, 0) == 0 ? 1 : 0;
  }
  EXPECT_GE(zeros, 5);
  options.loss = LinearLoss::hinge;
  EXPECT_ERROR(options.validate(), InvalidArgument, "loss = hinge");
}

TEST(LinearSvc, OtherKernelsAndDataAreRefused) {
  const TrainingData data = class_problem(20, 3, 2, 1);
  EXPECT_ERROR(fit_linearsvc(parse_kernel("rbf(gamma=1)"), {}, data), InvalidArgument,
               "rbf(gamma=1) has no explicit features");
  EXPECT_ERROR(fit_linearsvc(parse_kernel("2*rbf()"), {}, data), InvalidArgument, "has no explicit features");
  EXPECT_ERROR(fit_linearsvr(parse_kernel("poly(degree=2)"), {}, testing::random_problem(9, 2, 1, 1)), InvalidArgument,
               "the kernel poly(degree=2, gamma=0.5, coef0=1) has no explicit features");
  const std::vector<std::string> words = {"x", "y", "z"};
  const std::vector<std::string> labels = {"a", "b", "a"};
  EXPECT_ERROR(fit_linearsvc(linear(), {}, {make_strings(words), Targets::classes(labels)}), DataError,
               "linearsvc: linear() takes real vectors");
  const std::vector<std::string> one_class(20, "a");
  EXPECT_ERROR(fit_linearsvc(linear(), {}, {data.samples, Targets::classes(one_class)}), DataError,
               "linearsvc: all rows that count belong to one class ('a')");
  EXPECT_ERROR(fit_linearsvc(linear(), {}, {data.samples, data.targets, std::vector<double>(20, 0.0)}), DataError,
               "linearsvc: all weights are 0, no row is left to fit");
  EXPECT_ERROR(fit_linearsvc(linear(), {}, {data.samples, data.targets, std::vector<double>(3, 1.0)}), DataError,
               "20 samples with 3 weights");
  LinearSvcOptions options;
  options.C = 0;
  EXPECT_ERROR(fit_linearsvc(linear(), options, data), InvalidArgument, "linearsvc: C = 0");
  std::stop_source source;
  source.request_stop();
  EXPECT_ERROR(fit_linearsvc(linear(), {}, data, mercer::Run{{.stop = source.get_token()}}), Stopped,
               "stopped on request");
}

TEST(LinearSvc, ThreadsDoNotChangeBits) {
  const TrainingData data = class_problem(300, 5, 5, 2);
  const Matrix<double> one = fit_linearsvc(linear(), {}, data, mercer::Run{{.threads = 1}})->decide(data.samples, {});
  for (const int threads : {2, 3}) {
    const mercer::Run run{{.threads = threads}};
    EXPECT_TRUE(same_bits(one, fit_linearsvc(linear(), {}, data, run)->decide(data.samples, run)));
  }
}

TEST(LinearSvc, StatesAreChecked) {
  const TrainingData data = class_problem(60, 3, 4, 2);
  const auto model = fit_linearsvc(linear(), {}, data);
  const auto again = linearsvc_entry().load(state_of(*model), {});
  EXPECT_TRUE(same_bits(again->decide(data.samples, {}), model->decide(data.samples, {})));
  EXPECT_EQ(again->classes(), model->classes());
  EXPECT_EQ(again->decision_names(), model->decision_names());
  const auto refused = [&](auto change, const char* words) {
    ModelState state = state_of(*model);
    change(state);
    EXPECT_ERROR(linearsvc_entry().load(std::move(state), {}), DataError, words);
  };
  refused([](ModelState& state) { state.head.classes.pop_back(); },
          "'weights' is 3 by 4 where the model needs any number by 3");
  refused(
      [](ModelState& state) { state.head.classes.clear(); },
      "a stored linearsvc model with 0 classes and 1 outputs: classification has two classes at least and one output");
  refused(
      [](ModelState& state) { state.head.output_names.clear(); },
      "a stored linearsvc model with 4 classes and 0 outputs: classification has two classes at least and one output");
  refused([](ModelState& state) { state.kernel = "rbf(gamma=1)"; },
          "a stored linearsvc model without the samples 'keys'");
  refused([](ModelState& state) { state.parts.numbers.at("intercepts") = Matrix<double>::filled(1, 3, 0.0); },
          "'intercepts' is 1 by 3 where the model needs 1 by 4");
  refused([](ModelState& state) { state.parts.numbers.at("intercepts") = Matrix<double>::filled(2, 4, 0.0); },
          "'intercepts' is 2 by 4 where the model needs 1 by 4");
  refused([](ModelState& state) { state.parts.numbers.at("weights") = Matrix<double>::filled(3, 5, 0.0); },
          "'weights' is 3 by 5 where the model needs any number by 4");
  refused([](ModelState& state) { state.parts.numbers.at("weights")(0, 0) = std::nan(""); },
          "'weights' holds a number that is not finite");
  refused([](ModelState& state) { state.parts.numbers.at("intercepts")(0, 0) = INFINITY; },
          "'intercepts' holds a number that is not finite");
}

TEST(LinearSvr, ReachesThePredictionsOfSvr) {
  const Matrix<double> x = random_matrix(120, 4, 3);
  const Matrix<double> noise = random_matrix(120, 2, 4);
  Matrix<double> y(120, 2);
  for (Index i = 0; i < 120; ++i) {
    y(i, 0) = 100 + 20 * x(i, 0) - 7 * x(i, 3) + 3 * noise(i, 0);
    y(i, 1) = x(i, 1) + 0.2 * noise(i, 1);
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
  LinearSvrOptions options;
  options.tolerance = 1e-8;
  options.max_passes = 1000000;
  const auto model = fit_linearsvr(linear(), options, data);
  SvrOptions exact;
  exact.tolerance = 1e-7;
  const auto kernel_model = fit_svr(linear(), exact, data);
  const Samples fresh = random_samples(50, 4, 9);
  const Matrix<double> ours = model->predict(fresh, {});
  const Matrix<double> theirs = kernel_model->predict(fresh, {});
  ASSERT_EQ(ours.columns(), 2);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_NEAR(ours(i, 0), theirs(i, 0), 0.02);
    EXPECT_NEAR(ours(i, 1), theirs(i, 1), 1e-3);
  }
}

TEST(LinearSvr, LossesPenaltiesAndInterceptsFit) {
  const Matrix<double> x = random_matrix(150, 3, 5);
  Matrix<double> y(150, 1);
  for (Index i = 0; i < 150; ++i) {
    y(i, 0) = 2 * x(i, 0) - x(i, 1);
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
  for (const LinearLoss loss : {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive}) {
    for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
      for (const LinearIntercept intercept :
           {LinearIntercept::exact, LinearIntercept::regularized, LinearIntercept::none}) {
        LinearSvrOptions options;
        options.loss = loss;
        options.penalty = penalty;
        options.intercept = intercept;
        options.epsilon = 0.01;
        if (penalty == LinearPenalty::l1 && loss == LinearLoss::epsilon_insensitive) {
          EXPECT_ERROR(fit_linearsvr(linear(), options, data), InvalidArgument, "loss = epsilon_insensitive");
          continue;
        }
        const Matrix<double> predicted = fit_linearsvr(linear(), options, data)->predict(data.samples, {});
        for (Index i = 0; i < 150; ++i) {
          ASSERT_NEAR(predicted(i, 0), y(i, 0), 0.2)
              << word_of(loss) << " " << word_of(penalty) << " " << word_of(intercept);
        }
      }
    }
  }
}

TEST(LinearSvr, TheUnitsOfTheTargetsDoNotMatter) {
  const TrainingData data = testing::random_problem(80, 3, 1, 12);
  Matrix<double> y = data.targets.values();
  for (Index i = 0; i < 80; ++i) {
    y(i, 0) = 1000 * y(i, 0) + 5e4;
  }
  LinearSvrOptions options;
  options.tolerance = 1e-9;
  options.max_passes = 1000000;
  options.epsilon = 0.1;
  const Matrix<double> plain = fit_linearsvr(linear(), options, data)->predict(data.samples, {});
  options.epsilon = 100;
  const Matrix<double> scaled =
      fit_linearsvr(linear(), options, {data.samples, Targets::numeric(y.view())})->predict(data.samples, {});
  for (Index i = 0; i < 80; ++i) {
    EXPECT_NEAR(scaled(i, 0), 1000 * plain(i, 0) + 5e4, 1.0);
  }
}

TEST(LinearSvr, DegenerateTargetsAndStates) {
  const Samples x = random_samples(30, 3, 1);
  const auto constant = fit_linearsvr(linear(), {}, {x, Targets::numeric(std::vector<double>(30, 7.0))});
  EXPECT_NEAR(constant->predict(x, {})(5, 0), 7.0, 0.1 + 1e-9);
  // The mean of equal numbers is that number, whatever rounding makes of their sum: nothing is left to be fitted.
  LinearSvrOptions narrow;
  narrow.epsilon = 0;
  const auto tenth = fit_linearsvr(linear(), narrow, {x, Targets::numeric(std::vector<double>(30, 0.1))});
  EXPECT_EQ(tenth->predict(x, {})(5, 0), 0.1);
  std::vector<double> broken(30, 1.0);
  broken[4] = std::nan("");
  EXPECT_ERROR(fit_linearsvr(linear(), {}, {x, Targets::numeric(broken)}), DataError,
               "the target of row 4 (counted from 0) is nan");
  EXPECT_ERROR(fit_linearsvr(linear(), {}, {x, Targets::numeric(std::vector<double>(29, 1.0))}), DataError,
               "30 samples with 29 targets");
  ModelState state = state_of(*constant);
  state.head.output_names.push_back("more");
  EXPECT_ERROR(linearsvr_entry().load(std::move(state), {}), DataError,
               "'weights' is 3 by 1 where the model needs any number by 2");
  state = state_of(*constant);
  state.head.output_names.clear();
  EXPECT_ERROR(
      linearsvr_entry().load(std::move(state), {}), DataError,
      "a stored linearsvr model with 0 classes and 0 outputs: regression has no classes and one output at least");
}

TEST(JointSvc, WestonWatkinsAndCrammerSingerAnswerForSeveralClasses) {
  const TrainingData data = class_problem(200, 2, 3, 21);
  const std::vector<std::int32_t> codes = data.targets.labels(0).codes;
  for (const Multiclass multiclass : {Multiclass::weston_watkins, Multiclass::crammer_singer}) {
    SvcOptions options;
    options.multiclass = multiclass;
    const auto model = fit_svc(parse_kernel("rbf(gamma=0.5)"), options, data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_EQ(model->code().machines(), 3);
    EXPECT_EQ(model->decision_names(), model->classes());
    const Matrix<double> values = model->decide(data.samples, {});
    const Matrix<double> predicted = model->predict(data.samples, {});
    Index right = 0;
    for (Index i = 0; i < 200; ++i) {
      EXPECT_NEAR(values(i, 0) + values(i, 1) + values(i, 2), 0, 1e-4);
      right += predicted(i, 0) == codes[i] ? 1 : 0;
    }
    EXPECT_GT(right, 150) << word_of(multiclass);
    const MachineFacts& facts = model->machine_facts().front();
    EXPECT_LE(facts.primal - facts.dual, 0.02 * facts.primal);
    EXPECT_GE(facts.primal - facts.dual, -1e-6 * facts.primal);  // weak duality
    const auto again = svc_entry().load(state_of(*model), {});
    EXPECT_TRUE(same_bits(again->predict(data.samples, {}), predicted));
    options.probability = true;
    EXPECT_ERROR(fit_svc(parse_kernel("rbf(gamma=0.5)"), options, data), InvalidArgument,
                 "svc: probability = yes needs multiclass = ovo");
    options.probability = false;
    options.slack = SvcSlack::squared;
    EXPECT_ERROR(fit_svc(parse_kernel("rbf(gamma=0.5)"), options, data), InvalidArgument, "needs slack = linear");
  }
}

TEST(JointSvc, TwoClassesAreOneMachine) {
  const TrainingData data = class_problem(80, 2, 2, 22);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  SvcOptions options;
  const Matrix<double> expected = fit_svc(kernel, options, data)->decide(data.samples, {});
  options.multiclass = Multiclass::weston_watkins;
  const auto model = fit_svc(kernel, options, data);
  EXPECT_TRUE(same_bits(model->decide(data.samples, {}), expected));
  EXPECT_TRUE(same_bits(svc_entry().load(state_of(*model), {})->decide(data.samples, {}), expected));
}

TEST(JointSvc, OffsetsLetConditionalKernelsIn) {
  const TrainingData data = class_problem(60, 2, 3, 23);
  SvcOptions options;
  options.multiclass = Multiclass::weston_watkins;
  const auto model = fit_svc(parse_kernel("negative_distance()"), options, data);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  options.multiclass = Multiclass::crammer_singer;
  EXPECT_ERROR(fit_svc(parse_kernel("negative_distance()"), options, data), InvalidArgument,
               "a joint machine without offsets needs a positive definite kernel");
}

}  // namespace
}  // namespace mercer
