#include "mercer/models/density/kde.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/density/histogram.h"
#include "mercer/models/density/knn_density.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/expect_error.h"
#include "support/largest_difference.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::random_matrix;
using testing::random_samples;
using testing::random_sparse;
using testing::same_bits;

TrainingData without_targets(Samples samples, std::vector<double> weights = {}) {
  return {std::move(samples), {}, std::move(weights)};
}

// Rows 0, 1, 1, 2, 2, 2, 3, 4, 4, …; weights that say the same; and a row of weight 0 that must not count.
struct Copies {
  Samples rows;
  Samples repeated;
  std::vector<double> weights;
};
Copies copies_of(Index rows, Index columns) {
  const Matrix<double> x = random_matrix(rows, columns, 3);
  Matrix<double> more(rows + 1, columns);
  std::vector<double> repeated;
  std::vector<double> weights;
  for (Index i = 0; i < rows; ++i) {
    weights.push_back(static_cast<double>(1 + i % 3));
    for (Index k = 0; k <= i % 3; ++k) {
      repeated.insert(repeated.end(), x.view().row_data(i), x.view().row_data(i) + columns);
    }
  }
  std::copy_n(x.data(), rows * columns, more.data());
  std::fill_n(more.data() + rows * columns, columns, 1e3);
  weights.push_back(0);
  const auto count = static_cast<Index>(repeated.size()) / columns;
  return {make_dense(std::move(more)), make_dense(std::move(repeated), count, columns), weights};
}

TEST(KdeTest, WeightsAreCopies) {
  const Copies copies = copies_of(40, 2);
  const Samples x = random_samples(30, 2, 5);
  for (const char* bandwidth : {"silverman", "normal", "likelihood", "0.4", "0.4,0.9"}) {
    for (const double adaptive : {0.0, 0.5}) {
      KdeOptions options;
      options.bandwidth = DensityBandwidth::parse(bandwidth);
      options.adaptive = adaptive;
      options.relative_error = 0;
      const auto a = fit_kde(options, without_targets(copies.rows, copies.weights));
      const auto b = fit_kde(options, without_targets(copies.repeated));
      EXPECT_LT(largest_difference(a->predict(x, {}), b->predict(x, {})), 1e-8) << bandwidth;
    }
  }
  const auto h = fit_histogram({}, without_targets(copies.rows, copies.weights));
  EXPECT_TRUE(same_bits(h->predict(copies.repeated, {}),
                        fit_histogram({}, without_targets(copies.repeated))->predict(copies.repeated, {})));
  KnnDensityOptions nearest;
  nearest.k = 7;
  EXPECT_LT(largest_difference(fit_knn_density(nearest, without_targets(copies.rows, copies.weights))->predict(x, {}),
                               fit_knn_density(nearest, without_targets(copies.repeated))->predict(x, {})),
            1e-12);
}

TEST(KdeTest, SparseSamplesAndTablesAreTheirNumbers) {
  const Samples sparse = random_sparse(50, 3, 0.6, 7);
  const Samples dense = to_dense<double>(sparse);
  const auto a = fit_kde({}, without_targets(sparse));
  const auto b = fit_kde({}, without_targets(dense));
  EXPECT_TRUE(same_bits(a->predict(dense, {}), b->predict(sparse, {})));
  const Samples table = make_table(Table(dense, {"a", "b", "c"}, {}));
  EXPECT_TRUE(same_bits(fit_kde({}, without_targets(table))->predict(table, {}), b->predict(dense, {})));
  const std::vector<std::string> words(50, "x");
  const Samples mixed = make_table(Table(dense, {"a", "b", "c"}, {{"word", make_strings(words)}}));
  EXPECT_ERROR(fit_kde({}, without_targets(mixed)), DataError, "kde: column 'word' is not numeric");
  EXPECT_ERROR(fit_kde({}, without_targets(make_strings(words))), DataError, "kde needs numeric columns");
}

TEST(KdeTest, OptionsReachTheDensity) {
  KdeOptions options;
  options.shape = SmoothingShape::epanechnikov;
  options.bandwidth = DensityBandwidth::parse("0.5, 2");
  options.lower = ColumnNumbers({-9, ColumnNumbers::none});
  options.period = ColumnNumbers({ColumnNumbers::none, 7});
  const auto model = fit_kde(options, without_targets(random_samples(30, 2, 9)));
  const KernelDensity::Parts& parts = model->density().parts();
  EXPECT_EQ(parts.shape, SmoothingShape::epanechnikov);
  EXPECT_EQ(parts.bandwidth.width(0), 0.5);
  EXPECT_EQ(parts.bandwidth.width(1), 2);
  EXPECT_EQ(parts.bounds[0].lower, -9);
  EXPECT_TRUE(std::isnan(parts.bounds[1].lower));
  EXPECT_EQ(parts.bounds[1].period, 7);
  // Texts are kept as they were written.
  EXPECT_EQ(options.bandwidth.text(), "0.5, 2");
  EXPECT_EQ(options.lower.text(), "-9,none");
  const auto again = kde_entry().load(state_of(*model), {});
  EXPECT_TRUE(same_bits(again->predict(random_samples(20, 2, 10), {}), model->predict(random_samples(20, 2, 10), {})));
}

TEST(KdeTest, CrossValidationIsReported) {
  KdeOptions options;
  options.bandwidth = BandwidthRule::likelihood;
  const auto model = fit_kde(options, without_targets(random_samples(80, 2, 11)));
  EXPECT_EQ(model->report().objective_name, "leave-one-out log-likelihood");
  double mean = 0;
  const std::vector<double> values = model->density().log_density_without_own({});
  for (const double value : values) {
    mean += value / 80;
  }
  EXPECT_NEAR(model->report().objective, mean, 1e-6);
}

// Columns 1 and 3 hold one value each: the density is that of the others, whatever the rule.
TEST(KdeTest, ColumnsOfOneValueAreLeftOut) {
  const Matrix<double> narrow = random_matrix(50, 2, 21);
  const Matrix<double> narrow_queries = random_matrix(30, 2, 22);
  const auto widened = [](const Matrix<double>& x, double first, double second) {
    Matrix<double> wide(x.rows(), 4);
    for (Index i = 0; i < x.rows(); ++i) {
      wide(i, 0) = x(i, 0);
      wide(i, 1) = first;
      wide(i, 2) = x(i, 1);
      wide(i, 3) = second;
    }
    return make_dense(std::move(wide));
  };
  const Samples queries = widened(narrow_queries, 8, -3);  // another value says nothing either
  for (const BandwidthRule bandwidth : {BandwidthRule::silverman, BandwidthRule::scott, BandwidthRule::normal,
                                        BandwidthRule::likelihood, BandwidthRule::least_squares}) {
    for (const BandwidthForm form : {BandwidthForm::scalar, BandwidthForm::diagonal, BandwidthForm::full}) {
      KdeOptions options;
      options.bandwidth = bandwidth;
      options.form = form;
      const auto alone = fit_kde(options, without_targets(make_dense(Matrix<double>::copy_of(narrow.view()))));
      const auto model = fit_kde(options, without_targets(widened(narrow, 7, 0)));
      EXPECT_TRUE(same_bits(model->predict(queries, {}),
                            alone->predict(make_dense(Matrix<double>::copy_of(narrow_queries.view())), {})))
          << word_of(bandwidth) << word_of(form);
      ASSERT_FALSE(model->report().notes.empty());
      EXPECT_EQ(model->report().notes.front(), "columns 1, 3 (counted from 0) have one value each and are left out");
      const auto again = kde_entry().load(state_of(*model), {});
      EXPECT_TRUE(same_bits(again->predict(queries, {}), model->predict(queries, {})));
    }
  }
  // Lists have an entry for every column of the file; numbers are widths of columns that stay.
  KdeOptions ends;
  ends.lower = ColumnNumbers({-90, 0, ColumnNumbers::none, 0});
  EXPECT_EQ(fit_kde(ends, without_targets(widened(narrow, 7, 0)))->density().parts().bounds.size(), 2U);
  KdeOptions numbers;
  numbers.bandwidth = 1;
  EXPECT_EQ(fit_kde(numbers, without_targets(widened(narrow, 7, 0)))->density().dimension(), 4);
  EXPECT_ERROR(fit_kde({}, without_targets(widened(narrow, 7, 0)))
                   ->predict(make_dense(Matrix<double>::copy_of(narrow.view())), {}),
               DataError, "where the density has 4");
}

TEST(KdeTest, DegenerateSamplesGiveAnswersOrClearErrors) {
  const Samples one = random_samples(1, 2, 13);
  const Samples same = make_dense(Matrix<double>::filled(20, 2, 4.0));
  KdeOptions given;
  given.bandwidth = 0.5;
  for (const Samples& samples : {one, same}) {
    EXPECT_ERROR(fit_kde({}, without_targets(samples)), DataError, "be learnt from");
    const auto model = fit_kde(given, without_targets(samples));
    EXPECT_NEAR(model->predict(samples, {})(0, 0), -std::log(2 * 3.14159265358979323846 * 0.25), 1e-12);
  }
  EXPECT_ERROR(fit_kde({}, without_targets(random_samples(0, 2, 1))), DataError, "kde: there are no rows to fit");
  EXPECT_ERROR(fit_kde({}, without_targets(random_samples(3, 2, 1), {0, 0, 0})), DataError,
               "kde: all weights are 0, no row is left to fit");
  EXPECT_ERROR(fit_kde({}, without_targets(random_samples(3, 2, 1), {1, -1, 0})), DataError,
               "the weight of row 1 (counted from 0) is -1");
  Matrix<double> outlier = random_matrix(50, 1, 15);
  outlier(3, 0) = 1e9;
  const auto far = fit_kde(given, without_targets(make_dense(std::move(outlier))));
  Matrix<double> at(1, 1);
  at(0, 0) = 1e9;
  EXPECT_NEAR(far->predict(make_dense(std::move(at)), {})(0, 0), std::log(0.3989422804014327 / 0.5 / 50), 1e-9);
}

TEST(KdeTest, UnusableOptionsAreRefused) {
  const auto refused = [](auto change, const char* words) {
    KdeOptions options;
    change(options);
    EXPECT_ERROR(fit_kde(options, without_targets(random_samples(10, 2, 1))), InvalidArgument, words);
  };
  const auto refused_text = [](const char* option, const char* text, const char* words) {
    KdeOptions options;
    EXPECT_ERROR(
        apply_settings<KdeOptions>("kde", kde_option_table(), std::vector<OptionSetting>{{option, text}}, options),
        InvalidArgument, words);
  };
  refused_text("shape", "gausian", "kde: shape = gausian: must be one of gaussian, epanechnikov");
  refused_text("shape", "gausian", "Did you mean 'gaussian'?");
  refused_text("bandwidth", "silvermann", "there is no bandwidth rule 'silvermann'. Did you mean 'silverman'?");
  refused_text("bandwidth", "", "there is no bandwidth rule ''");
  refused_text("bandwidth", "-1", "bandwidth = -1");
  refused_text("bandwidth", "1,x", "bandwidth = 1,x");
  refused_text("lower", "a", "lower = a");
  refused_text("period", "1,inf", "period = 1,inf");
  refused_text("method", "fast", "kde: method = fast: must be one of auto, exact, tree");
  refused_text("adaptive", "1.5", "kde: adaptive = 1.5: must be a number from 0 to 1");
  EXPECT_ERROR(DensityBandwidth(-1), InvalidArgument, "bandwidth = -1");
  EXPECT_ERROR(DensityBandwidth(DensityBandwidth::Widths{}), InvalidArgument, "bandwidth = ");
  refused([](KdeOptions& o) { o.bandwidth = DensityBandwidth::Widths{1, 2, 3}; }, "bandwidth = 1,2,3");
  refused([](KdeOptions& o) { o.bandwidth = BandwidthRule::isj; }, "bandwidth = isj is a rule for one column");
  refused([](KdeOptions& o) { o.lower = ColumnNumbers({0, 1, 2}); }, "lower = 0,1,2");
  refused([](KdeOptions& o) { o.period = -1; }, "period = -1");
  refused([](KdeOptions& o) { o.adaptive = 2; }, "adaptive = 2");
  refused([](KdeOptions& o) { o.relative_error = -1; }, "relative_error = -1");
}

std::span<const HistogramDensity::Cell> cells_of(const FittedModel& model) {
  return offered<CellDensity>(model)->density().cells();
}

TEST(HistogramModelTest, CountsAndStreams) {
  HistogramOptions options;
  options.bins = BinChoice({4, 5});
  const Samples samples = random_samples(100, 2, 21);
  const auto model = fit_histogram(options, without_targets(samples));
  EXPECT_EQ(model->density().edges()[0].size(), 5U);
  EXPECT_EQ(model->density().edges()[1].size(), 6U);
  const auto twice = model->with(samples, {});
  EXPECT_TRUE(same_bits(twice->predict(samples, {}), model->predict(samples, {})));
  EXPECT_EQ(twice->density().total_weight(), 200);
  EXPECT_TRUE(std::ranges::equal(cells_of(*histogram_entry().load(state_of(*twice), {})), cells_of(*twice)));
  for (const char* bins : {"many", "", "0", "-1", "1.5", "3,0"}) {
    EXPECT_ERROR(BinChoice::parse(bins), InvalidArgument, "bins = ") << bins;
  }
  EXPECT_ERROR(BinChoice(0), InvalidArgument, "bins = 0");
  options.bins = BinChoice({2, 3, 4});
  EXPECT_ERROR(fit_histogram(options, without_targets(samples)), InvalidArgument, "bins = 2,3,4");
}

TEST(KdeTest, BrokenStatesAreRefused) {
  Matrix<double> rows = random_matrix(20, 3, 5);
  for (Index i = 0; i < 20; ++i) {
    rows(i, 1) = 7;
  }
  const auto model = fit_kde({}, without_targets(make_dense(std::move(rows))));
  const auto refused = [&](auto damage, const char* words) {
    ModelState state = state_of(*model);
    damage(state.parts);
    EXPECT_ERROR(kde_entry().load(std::move(state), {}), Error, words);
  };
  refused([](ModelParts& parts) { parts.integers.at("left_out_columns")(0, 0) = 3; },
          "a stored kde model with a left-out column that is not there");
  refused([](ModelParts& parts) { parts.integers.at("left_out_columns")(0, 0) = -1; }, "'left_out_columns' holds");
  refused(
      [](ModelParts& parts) {
        parts.integers["left_out_columns"] = Matrix<Index>::filled(2, 1, 1);
        parts.numbers["left_out_values"] = Matrix<double>::filled(2, 1, 7);
      },
      "left-out columns that are not in ascending order");
  refused([](ModelParts& parts) { parts.numbers.erase("left_out_values"); }, "without the array 'left_out_values'");
  refused([](ModelParts& parts) { parts.numbers.at("weights")(0, 0) = 0; }, "'weights' holds 0");
  refused([](ModelParts& parts) { parts.numbers.at("scales")(0, 0) = -1; }, "'scales' holds -1");
  refused([](ModelParts& parts) { parts.numbers["bandwidth"] = Matrix<double>::filled(3, 3, 1); }, "'bandwidth' is 3");
  refused([](ModelParts& parts) { parts.numbers.at("bandwidth")(0, 0) = 0; }, "bandwidth = 0");
  refused([](ModelParts& parts) { parts.numbers["points"] = Matrix<double>(0, 2); }, "a density without points");
}

TEST(HistogramModelTest, BrokenStatesAreRefused) {
  const auto model = fit_histogram({}, without_targets(random_samples(100, 2, 21)));
  const auto refused = [&](auto damage, const char* words) {
    ModelState state = state_of(*model);
    damage(state);
    EXPECT_ERROR(histogram_entry().load(std::move(state), {}), DataError, words);
  };
  refused([](ModelState& state) { state.parts.integers.at("cell_places")(0, 0) = -1; }, "'cell_places' holds");
  refused([](ModelState& state) { state.parts.integers.at("cell_places")(0, 0) = Index{1} << 61; },
          "the cells of a histogram must ascend, lie inside it and have positive weights");
  refused([](ModelState& state) { state.parts.numbers.at("cell_weights")(0, 0) = 0; }, "'cell_weights' holds 0");
  refused([](ModelState& state) { state.parts.integers.at("edge_counts")(0, 0) += 1; }, "fewer edges than its axes");
  refused([](ModelState& state) { state.parts.integers.at("edge_counts")(1, 0) -= 1; }, "more edges than its axes");
  refused([](ModelState& state) { state.head.output_names.clear(); }, "a stored histogram model with");
}

TEST(HistogramModelTest, StatesOfBeforeComeBackWhole) {
  const auto model = fit_histogram({}, without_targets(random_samples(100, 2, 21)));
  // Formats 1 and 2 had the halves of the place and the weight in a row.
  const auto before = [&] {
    ModelState state = state_of(*model);
    Matrix<double> cells(model->density().cells().size(), 3);
    for (Index k = 0; k < cells.rows(); ++k) {
      const HistogramDensity::Cell& cell = model->density().cells()[k];
      cells(k, 0) = static_cast<double>(cell.place >> 31);
      cells(k, 1) = static_cast<double>(cell.place & 0x7fffffff);
      cells(k, 2) = cell.weight;
    }
    state.parts.numbers.erase("cell_weights");
    state.parts.integers.erase("cell_places");
    state.parts.numbers.emplace("cells", std::move(cells));
    return state;
  };
  EXPECT_TRUE(std::ranges::equal(cells_of(*histogram_entry().load(before(), {})), cells_of(*model)));
  ModelState broken = before();
  broken.parts.numbers.at("cells")(0, 0) = 1e30;
  EXPECT_ERROR(histogram_entry().load(std::move(broken), {}), DataError,
               "a stored histogram model with a cell without a place");
}

TEST(KnnDensityTest, IsTheBallAndItsCount) {
  Matrix<double> points(4, 1);
  const double values[] = {0, 1, 3, 7};
  std::copy_n(values, 4, points.data());
  KnnDensityOptions options;
  options.k = 2;
  const auto model = fit_knn_density(options, without_targets(make_dense(std::move(points))));
  Matrix<double> at(2, 1);
  at(0, 0) = 2.5;  // 1 and 3 are nearest: radius 1.5
  at(1, 0) = 8;    // 7 and 3: radius 5
  const Matrix<double> p = model->predict(make_dense(std::move(at)), {});
  EXPECT_NEAR(p(0, 0), std::log(2 / (4 * 2 * 1.5)), 1e-14);
  EXPECT_NEAR(p(1, 0), std::log(2 / (4 * 2 * 5.0)), 1e-14);
  EXPECT_EQ(fit_knn_density({}, without_targets(random_samples(50, 3, 1)))->neighbors(), 7);
  const Samples same = make_dense(Matrix<double>::filled(9, 2, 1.0));
  EXPECT_EQ(fit_knn_density({}, without_targets(same))->predict(same, {})(0, 0),
            std::numeric_limits<double>::infinity());
  options.k = 10;
  EXPECT_ERROR(fit_knn_density(options, without_targets(same)), InvalidArgument, "k = 10");
}

}  // namespace
}  // namespace mercer
