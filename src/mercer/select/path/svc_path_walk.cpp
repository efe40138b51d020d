// How the regularisation path of a C-SVC is walked (what comes of it: svc_path.cpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/select/path/svc_path.h"
#include "mercer/select/path/svc_path_state.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

namespace {

// A row whose margin changes at less than this rate (relative to λ) stays where it is: it is dependent on those on the
// margin, or would break its condition by no more than this over the whole path.
constexpr double parallel = 1e-9;
// Steps shorter than this, relative to λ, are no progress.
constexpr double no_progress = 1e-13;
// An event at a λ so much smaller than the last is rounding: the solution does not change any more.
constexpr double beyond_all = 1e-10;
constexpr Index events_between_refreshes = 25;

struct NextEvent {
  double step = std::numeric_limits<double>::infinity();
  Index row = -1;
  std::size_t position = 0;        // in the margin, of rows that leave it
  RowKind kind = RowKind::margin;  // what the row becomes
};

class Walk {
 public:
  Walk(Matrix<double> kernel, std::span<const double> signs, std::span<const double> weights,
       const SvcPathOptions& options, const Run& run)
      : gram_(std::move(kernel)),
        state_(gram_.view(), signs, weights),
        lambda_end_(1 / options.max_C),
        run_(run),
        max_events_(options.max_events > 0 ? options.max_events : 100 * gram_.size() + 1000) {
    parts_.signs.assign(signs.begin(), signs.end());
    parts_.weights.assign(weights.begin(), weights.end());
  }

  SvcPath go() {
    if (start()) {
      follow();
    }
    return SvcPath(std::move(parts_));
  }

 private:
  bool start();
  bool start_without_margin(double difference);
  void follow();
  NextEvent next_event(const SvcPathState::Direction& direction) const;
  void apply(const NextEvent& event);
  void add_segment(const SvcPathState::Direction& direction);
  void add_point();
  void log(Index row, PathEventKind kind) { parts_.events.push_back({1 / state_.lambda(), row, kind}); }
  void log_change(Index row);

  DenseGram<double> gram_;
  SvcPathState state_;
  double lambda_end_;  // 0: none
  const Run& run_;
  Index max_events_;
  SvcPath::Parts parts_;
  Index stuck_ = 0;  // events since λ last fell
};

// As C goes to 0 the smaller class is at its bound, and the coefficients of the larger one minimise ‖w‖.
std::vector<double> first_coefficients(const Gram<double>& gram, std::span<const double> signs,
                                       std::span<const double> weights, double difference, double total,
                                       const Run& run) {
  std::vector<double> alpha(weights.begin(), weights.end());
  if (difference == 0) {
    return alpha;
  }
  const double majority = difference > 0 ? 1.0 : -1.0;
  const double share = (total - std::abs(difference)) / (total + std::abs(difference));
  const std::size_t n = signs.size();
  BoxQp qp{.linear = std::vector<double>(n, 0.0),
           .lower = std::vector<double>(n),
           .upper = std::vector<double>(n),
           .start = std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const double least = signs[i] == majority ? 0.0 : weights[i];
    qp.start[i] = signs[i] * (signs[i] == majority ? share : 1.0) * weights[i];
    qp.lower[i] = std::min(signs[i] * least, signs[i] * weights[i]);
    qp.upper[i] = std::max(signs[i] * least, signs[i] * weights[i]);
  }
  std::vector<double> diagonal(n);
  gram.diagonal(diagonal);
  const double scale = *std::max_element(diagonal.begin(), diagonal.end()) * total;
  const BoxQpResult result = solve_box_qp(gram, qp, {.tolerance = std::max(1e-12 * scale, 1e-300)}, run);
  for (std::size_t i = 0; i < n; ++i) {
    alpha[i] = std::clamp(signs[i] * result.coefficients[i], 0.0, weights[i]);
  }
  return alpha;
}

// Sets the state at, or just before, the first event. False where there is none.
bool Walk::start() {
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < state_.size(); ++i) {
    difference += state_.sign(i) * state_.weight(i);
    total += state_.weight(i);
  }
  difference = std::abs(difference) <= 1e-12 * total ? 0.0 : difference;
  const double majority = difference > 0 ? 1.0 : -1.0;
  state_.place(first_coefficients(gram_, parts_.signs, parts_.weights, difference, total, run_), 1e-9);
  parts_.start = state_.alpha();
  if (state_.margin_rows().empty()) {
    return start_without_margin(difference);
  }
  // On the margin a_0 = yλ − g; a row of the other class arrives there at λ = y(g_margin − g)/2.
  const double level = state_.value(state_.margin_rows().front());
  double first = 0;
  for (Index i = 0; i < state_.size(); ++i) {
    if (state_.sign(i) != majority) {
      first = std::max(first, majority * (level - state_.value(i)) / 2);
    }
  }
  if (!(first > 1e-12 * std::abs(level))) {
    state_.set_lambda(lambda_end_ > 0 ? lambda_end_ : 1.0);
    state_.refresh();
    add_segment(state_.direction());
    add_point();
    return false;
  }
  state_.set_lambda(2 * std::max(first, lambda_end_));
  state_.refresh();
  return true;
}

// No row is on the margin: the offset has room, between the rows at their bound of the two classes, until the first
// of each meet there.
bool Walk::start_without_margin(double difference) {
  Index high = -1;
  Index low = -1;
  for (Index i = 0; i < state_.size(); ++i) {
    if (state_.kind(i) != RowKind::bound) {
      continue;
    }
    if (state_.sign(i) > 0 && (high < 0 || state_.value(i) > state_.value(high))) {
      high = i;
    }
    if (state_.sign(i) < 0 && (low < 0 || state_.value(i) < state_.value(low))) {
      low = i;
    }
  }
  const double lambda = (state_.value(high) - state_.value(low)) / 2;
  const bool meets = lambda > 1e-12 * (std::abs(state_.value(high)) + std::abs(state_.value(low)));
  const bool goes_on = meets && lambda > lambda_end_;
  state_.set_lambda(goes_on ? lambda : lambda_end_ > 0 ? lambda_end_ : 1.0);
  // Above the first event: the middle of the room where the classes weigh the same, otherwise that end of it which no
  // row at 0 limits.
  const double slope = difference == 0 ? 0.0 : difference > 0 ? 1.0 : -1.0;
  const double middle = -(state_.value(high) + state_.value(low)) / 2;
  state_.set_offset(difference == 0  ? middle
                    : difference > 0 ? state_.lambda() - state_.value(high)
                                     : -state_.lambda() - state_.value(low));
  SvcPathState::Direction direction = state_.direction();
  direction.offset = slope;
  add_segment(direction);
  add_point();
  if (!goes_on) {
    parts_.lambda_end = meets ? lambda_end_ : 0.0;
    return false;
  }
  for (const Index row : {high, low}) {
    for (const Index changed : state_.enter(row)) {
      log_change(changed);
    }
  }
  state_.refresh();
  return true;
}

NextEvent Walk::next_event(const SvcPathState::Direction& direction) const {
  NextEvent next;
  const auto consider = [&](double step, Index row, std::size_t position, RowKind kind) {
    if (std::max(step, 0.0) < next.step) {
      next = {std::max(step, 0.0), row, position, kind};
    }
  };
  for (std::size_t e = 0; e < state_.margin_rows().size(); ++e) {
    const Index i = state_.margin_rows()[e];
    const double rate = -state_.sign(i) * direction.beta[e];
    if (rate > 0) {
      consider((state_.weight(i) - state_.alpha(i)) / rate, i, e, RowKind::bound);
    } else if (rate < 0) {
      consider(state_.alpha(i) / -rate, i, e, RowKind::zero);
    }
  }
  for (Index i = 0; i < state_.size(); ++i) {
    const double rate = 1 - state_.sign(i) * direction.values[i];
    if (state_.kind(i) == RowKind::zero && rate < -parallel) {
      consider(state_.residual(i) / -rate, i, 0, RowKind::margin);
    } else if (state_.kind(i) == RowKind::bound && rate > parallel) {
      consider(-state_.residual(i) / rate, i, 0, RowKind::margin);
    }
  }
  return next;
}

void Walk::log_change(Index row) {
  switch (state_.kind(row)) {
    case RowKind::zero:
      log(row, PathEventKind::to_zero);
      break;
    case RowKind::margin:
      log(row, PathEventKind::to_margin);
      break;
    case RowKind::bound:
      log(row, PathEventKind::to_bound);
      break;
  }
}

void Walk::apply(const NextEvent& event) {
  if (event.kind == RowKind::margin) {
    for (const Index changed : state_.enter(event.row)) {
      log_change(changed);
    }
  } else {
    state_.leave(event.position, event.kind);
    log_change(event.row);
  }
}

void Walk::add_segment(const SvcPathState::Direction& direction) {
  SvcPathSegment segment{.lambda_begin = state_.lambda(),
                         .rows = state_.margin_rows(),
                         .alpha = {},
                         .slope = {},
                         .offset = state_.offset(),
                         .offset_slope = direction.offset,
                         .events_before = parts_.events.size()};
  for (std::size_t e = 0; e < segment.rows.size(); ++e) {
    segment.alpha.push_back(state_.alpha(segment.rows[e]));
    segment.slope.push_back(state_.sign(segment.rows[e]) * direction.beta[e]);
  }
  parts_.segments.push_back(std::move(segment));
}

void Walk::add_point() {
  const double c = 1 / state_.lambda();
  SvcPathPoint point{.C = c, .offset = c * state_.offset()};
  point.free = static_cast<Index>(state_.margin_rows().size());
  double sum = 0;
  for (Index i = 0; i < state_.size(); ++i) {
    sum += c * state_.alpha(i);
    point.squared_norm += c * c * state_.sign(i) * state_.alpha(i) * state_.value(i);
    point.bound += state_.kind(i) == RowKind::bound ? 1 : 0;
    point.training_errors += state_.sign(i) * (state_.value(i) + state_.offset()) <= 0 ? 1 : 0;
  }
  point.objective = sum - point.squared_norm / 2;
  parts_.points.push_back(point);
}

void Walk::follow() {
  for (Index events = 0;; ++events) {
    run_.check_stop();
    if (events > max_events_ || stuck_ > 100 * state_.size() + 1000) {
      throw NumericalError("regularisation path: after " + std::to_string(events) +
                           " events C = " + std::to_string(1 / state_.lambda()) + " is all that was reached" +
                           (stuck_ > 0 ? ", where rows tie that cannot be told apart" : "") +
                           ". Ask for a smaller max_C, or fit the values of C that are wanted one by one");
    }
    if (events % events_between_refreshes == 0) {
      state_.refresh();
    }
    const SvcPathState::Direction direction = state_.direction();
    const NextEvent event = next_event(direction);
    // Steps without length are turns within one point of the path: the last of them says how it goes on.
    stuck_ = event.step > no_progress * state_.lambda() ? 0 : stuck_ + 1;
    if (stuck_ == 0) {
      add_segment(direction);
      add_point();
    }
    const double next = state_.lambda() - event.step;
    const bool is_last = !(next > beyond_all * state_.lambda());
    if (is_last || next <= lambda_end_) {
      parts_.lambda_end = is_last ? 0.0 : lambda_end_;
      if (lambda_end_ > 0) {
        state_.advance(state_.lambda() - lambda_end_, direction);
        add_point();
      }
      return;
    }
    state_.advance(event.step, direction);
    apply(event);
  }
}

void require_problem(const Gram<double>& gram, std::span<const double> signs, std::span<const double> weights,
                     const SvcPathOptions& options) {
  const auto n = static_cast<std::size_t>(gram.size());
  if (signs.size() != n || weights.size() != n) {
    throw InvalidArgument("regularisation path: " + std::to_string(signs.size()) + " signs and " +
                          std::to_string(weights.size()) + " weights for " + std::to_string(n) +
                          " rows: must be one for each");
  }
  if (!(options.max_C > 0)) {
    reject_argument("regularisation path: max_C", options.max_C, "positive");
  }
  bool positive = false;
  bool negative = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(signs[i]) != 1) {
      reject_argument("regularisation path: sign of row " + std::to_string(i), signs[i], "1 or -1");
    }
    if (!(weights[i] > 0) || !std::isfinite(weights[i])) {
      reject_argument("regularisation path: weight of row " + std::to_string(i), weights[i],
                      "positive and finite; leave rows out that do not count");
    }
    positive = positive || signs[i] > 0;
    negative = negative || signs[i] < 0;
  }
  if (!positive || !negative) {
    throw InvalidArgument("regularisation path: there must be rows of both classes");
  }
}

}  // namespace

SvcPath svc_path(const Gram<double>& gram, std::span<const double> signs, std::span<const double> weights,
                 const SvcPathOptions& options, const Run& run) {
  require_problem(gram, signs, weights, options);
  std::vector<Index> all(signs.size());
  std::iota(all.begin(), all.end(), Index{0});
  Matrix<double> kernel(gram.size(), gram.size());
  gram.rows(all, kernel.view(), run);
  return Walk(std::move(kernel), signs, weights, options, run).go();
}

}  // namespace mercer
