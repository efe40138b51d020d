// The three figures of the comparison: classes in the plane, noisy sinc, two uniforms.
#pragma once

#include <string>
#include <vector>

#include "comparison.h"
#include "mercer/models/numeric_points.h"
#include "svg_plot.h"

namespace comparison {

inline constexpr const char* blue = "#2b6cb0";
inline constexpr const char* orange = "#dd6b20";
inline constexpr const char* green = "#2f855a";
inline constexpr const char* gray = "#718096";
inline constexpr const char* pale_blue = "#bee3f8";

/// The rows that a model keeps: the training rows nearest to its centres, which are copies of them.
inline std::vector<std::size_t> kept_rows(const mercer::FittedModel& model, const mercer::TrainingData& data) {
  const mercer::Matrix<double> x = mercer::numeric_points(data.samples, "comparison");
  const mercer::Matrix<double> centers = mercer::numeric_points(model.expansion_form()->centers(), "comparison");
  std::vector<std::size_t> rows;
  for (Index c = 0; c < centers.rows(); ++c) {
    std::pair<double, Index> best = {1e300, 0};
    for (Index i = 0; i < x.rows(); ++i) {
      double square = 0;
      for (Index j = 0; j < x.columns(); ++j) {
        square += std::pow(x(i, j) - centers(c, j), 2);
      }
      best = std::min(best, {square, i});
    }
    rows.push_back(static_cast<std::size_t>(best.second));
  }
  return rows;
}

inline std::string text_of(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

inline std::string kept_text(Index kept, Index rows) {
  return std::to_string(kept) + " of " + std::to_string(rows) + " rows";
}

/// Rings around the rows that a model keeps, where it leaves any out.
inline void ring_kept_rows(svg::Panel& panel, const mercer::FittedModel& model, const Problem& problem) {
  const Index rows = problem.data.samples.size();
  if (vectors(model, rows) == rows) {
    return;
  }
  std::vector<double> x;
  std::vector<double> y;
  for (const std::size_t row : kept_rows(model, problem.data)) {
    x.push_back(problem.first[row]);
    y.push_back(problem.second[row]);
  }
  panel.rings(x, y, "#111");
}

inline void add_class_points(svg::Panel& panel, const Problem& problem) {
  for (const bool lower : {true, false}) {
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < problem.labels.size(); ++i) {
      if ((problem.labels[i] == "lower") == lower) {
        x.push_back(problem.first[i]);
        y.push_back(problem.second[i]);
      }
    }
    panel.points(x, y, lower ? svg::Marker::dot : svg::Marker::cross, lower ? blue : orange);
  }
}

/// Probability of the second class over the plane, with the rows that the machine keeps.
class ClassFigure {
 public:
  explicit ClassFigure(const Problem& problem) : problem_(problem) {
    figure_.legend(svg::Swatch::dot, {blue}, "one class: two normal clouds");
    figure_.legend(svg::Swatch::cross, {orange}, "the other: two more");
    figure_.legend(svg::Swatch::line, {"#111", 2}, "probability one half");
    figure_.legend(svg::Swatch::line, {gray, 1.2, "4 3"}, "probability 10 % and 90 %");
    figure_.legend(svg::Swatch::line, {green, 2.2, "2 2"}, "the best rule there is");
    figure_.legend(svg::Swatch::ring, {"#111"}, "row that the model keeps (not drawn: all)");
  }

  void add(const Machine& machine, const mercer::FittedModel& model, double error, const mercer::Run& run) {
    const svg::Axes axes = {.x = {-1.3, 1.0}, .y = {-0.35, 1.35}, .width = 300, .height = 222};
    constexpr int columns = 52;
    constexpr int rows = 40;
    svg::Grid best{columns, rows};
    mercer::Matrix<double> points(columns * rows, 2);
    for (Index i = 0; i < points.rows(); ++i) {
      points(i, 0) = axes.x.from + (axes.x.to - axes.x.from) * static_cast<double>(i % columns) / (columns - 1);
      points(i, 1) = axes.y.from + (axes.y.to - axes.y.from) * static_cast<double>(i / columns) / (rows - 1);
      best.values.push_back(Clouds::log_odds(points(i, 0), points(i, 1)));
    }
    const mercer::Matrix<double> shares = model.probabilities(mercer::make_dense(std::move(points)), run);
    svg::Grid grid{columns, rows};
    for (Index i = 0; i < shares.rows(); ++i) {
      grid.values.push_back(shares(i, 1));
    }
    svg::Panel panel(machine.title + " (" + machine.classification + ")", axes);
    panel.note(kept_text(vectors(model, 200), 200) + ", test error " + text_of("%.1f %%", 100 * error));
    add_class_points(panel, problem_);
    ring_kept_rows(panel, model, problem_);
    panel.contour(best, 0, {green, 2.2, "2 2"});
    panel.contour(grid, 0.1, {gray, 1.2, "4 3"});
    panel.contour(grid, 0.9, {gray, 1.2, "4 3"});
    panel.contour(grid, 0.5, {"#111", 2});
    figure_.add(panel);
  }

  void write(const std::string& folder) const { figure_.write(folder + "/compare-classes.svg"); }

 private:
  const Problem& problem_;
  svg::Figure figure_{3};
};

/// The function, where it comes from, and how sure the machine is.
class SincFigure {
 public:
  explicit SincFigure(const Problem& problem) : problem_(problem) {
    figure_.legend(svg::Swatch::dot, {blue}, "100 rows: sin(x)/x and normal noise");
    figure_.legend(svg::Swatch::line, {green, 1.6, "5 3"}, "sin(x)/x");
    figure_.legend(svg::Swatch::line, {"#111", 2}, "the fitted function");
    figure_.legend(svg::Swatch::area, {pale_blue}, "95 % of new observations (RVM, GP)");
    figure_.legend(svg::Swatch::line, {gray, 1.2, "4 3"}, "the tube of the SVM");
    figure_.legend(svg::Swatch::ring, {"#111"}, "row that the model keeps (not drawn: all)");
  }

  void add(const Machine& machine, const mercer::FittedModel& model, const mercer::Run& run) {
    const std::vector<double> x = steps(-10, 10, 161);
    svg::Panel panel(machine.title + " (" + machine.regression + ")", {.x = {-10, 10}, .y = {-0.6, 1.3}});
    panel.note(kept_text(vectors(model, 100), 100) + ", RMSE from the truth " +
               text_of("%.3f", sinc_error(model, run)));
    const mercer::Matrix<double> predicted = model.predict(column(x), run);
    if (model.has_distribution()) {
      add_band(panel, x, model.moments(column(x), mercer::PredictionOf::observation, run));
    }
    panel.points(problem_.first, problem_.second, svg::Marker::dot, blue);
    ring_kept_rows(panel, model, problem_);
    std::vector<double> fitted;
    std::vector<double> truth;
    std::vector<double> below;
    std::vector<double> above;
    for (std::size_t i = 0; i < x.size(); ++i) {
      fitted.push_back(predicted(static_cast<Index>(i), 0));
      truth.push_back(sinc(x[i]));
      below.push_back(fitted.back() - 0.1);
      above.push_back(fitted.back() + 0.1);
    }
    if (machine.title == "SVM") {
      panel.curve(x, below, {gray, 1.2, "4 3"});
      panel.curve(x, above, {gray, 1.2, "4 3"});
    }
    panel.curve(x, fitted, {"#111", 2});
    panel.curve(x, truth, {green, 1.6, "5 3"});
    figure_.add(panel);
  }

  void write(const std::string& folder) const { figure_.write(folder + "/compare-sinc.svg"); }

 private:
  static void add_band(svg::Panel& panel, const std::vector<double>& x, const mercer::PredictiveMoments& moments) {
    std::vector<double> lower;
    std::vector<double> upper;
    for (Index i = 0; i < moments.mean.rows(); ++i) {
      const double half = 1.96 * std::sqrt(moments.variance(i, 0));
      lower.push_back(moments.mean(i, 0) - half);
      upper.push_back(moments.mean(i, 0) + half);
    }
    panel.band(x, lower, upper, pale_blue);
  }

  const Problem& problem_;
  svg::Figure figure_{3};
};

/// Log-odds, ln P(right)/P(left), against the truth: −∞, 0 and ∞.
class UniformFigure {
 public:
  explicit UniformFigure(const Problem& problem) : problem_(problem) {
    figure_.legend(svg::Swatch::line, {"#111", 2}, "log-odds of the model");
    figure_.legend(svg::Swatch::area, {"#e6f4ea"}, "both classes equally likely: the true log-odds are 0");
    figure_.legend(svg::Swatch::line, {blue, 6}, "rows of the left class, uniform on (0, 1)");
    figure_.legend(svg::Swatch::line, {orange, 6}, "rows of the right class, uniform on (0.5, 1.5)");
    figure_.legend(svg::Swatch::ring, {"#111"}, "row that the model keeps (SVM: not drawn)");
  }

  void add(const Machine& machine, const mercer::FittedModel& model, double error, double loss,
           const mercer::Run& run) {
    const std::vector<double> x = steps(-0.1, 1.6, 341);
    svg::Panel panel(machine.title + " (" + machine.classification + ")",
                     {.x = {-0.1, 1.6}, .y = {-8, 8}, .x_label = "x", .width = 420, .height = 260});
    panel.note(kept_text(vectors(model, 1000), 1000) + ", test error " + text_of("%.1f %%", 100 * error) +
               ", log-loss " + text_of("%.3f", loss));
    panel.band({0.5, 1}, {-8, -8}, {8, 8}, "#e6f4ea");
    panel.curve({-0.1, 1.6}, {0, 0}, {gray, 0.8});
    for (const bool left : {true, false}) {
      std::vector<double> side;
      for (std::size_t i = 0; i < problem_.labels.size(); ++i) {
        if ((problem_.labels[i] == "left") == left) {
          side.push_back(problem_.first[i]);
        }
      }
      panel.rug(side, left ? -7.5 : 8, left ? blue : orange);
    }
    panel.curve(x, log_odds(model, x, run), {"#111", 2});
    if (machine.title == "RVM") {
      std::vector<double> kept;
      for (const std::size_t row : kept_rows(model, problem_.data)) {
        kept.push_back(problem_.first[row]);
      }
      panel.rings(kept, log_odds(model, kept, run), "#111");
    }
    figure_.add(panel);
  }

  void write(const std::string& folder) const { figure_.write(folder + "/compare-uniforms.svg"); }

  static std::vector<double> log_odds(const mercer::FittedModel& model, const std::vector<double>& x,
                                      const mercer::Run& run) {
    const mercer::Matrix<double> shares = model.probabilities(column(x), run);
    std::vector<double> result;
    for (Index i = 0; i < shares.rows(); ++i) {
      result.push_back(std::log(shares(i, 1) / shares(i, 0)));
    }
    return result;
  }

 private:
  const Problem& problem_;
  svg::Figure figure_{2};
};

}  // namespace comparison
