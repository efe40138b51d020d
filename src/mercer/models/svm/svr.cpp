#include "mercer/models/svm/svr.h"

#include <algorithm>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"

namespace mercer {

namespace {

template <class Options>
std::vector<Option<Options>> regression_table(std::vector<Option<Options>> own,
                                              const std::vector<Option<Options>>& functions = {}) {
  own.insert(own.end(), functions.begin(), functions.end());
  own.push_back({"standardize", &Options::standardize,
                 "bring targets to mean 0 and variance 1 before the fit; predictions are in their units"});
  const std::vector<Option<Options>> solver = SvmSolverOptions::table<Options>();
  own.insert(own.end(), solver.begin(), solver.end());
  return own;
}

}  // namespace

void SvrOptions::validate() const {
  check_options<SvrOptions>("svr", svr_option_table(), *this);
  require_consistent("svr");
  if (!has_usual_tube() && !is_usual()) {
    throw InvalidArgument("svr: parametric = " + parametric.text() + " needs errors = each and slack = linear");
  }
  if (errors == TubeErrors::overall && slack == TubeSlack::none) {
    throw InvalidArgument(
        "svr: errors = overall is about errors beyond rows of their own, and slack = none has none: "
        "set one of them");
  }
}

void NuSvrOptions::validate() const {
  check_options<NuSvrOptions>("nusvr", nusvr_option_table(), *this);
  if (loss == NuSvrLoss::huber && (!tube.is_constant() || sides != TubeSides::both || slack == TubeSlack::none)) {
    throw InvalidArgument("nusvr: loss = huber has a scale and no tube: leave out tube, sides and slack");
  }
  if (sides != TubeSides::both && !tube.is_constant()) {
    throw InvalidArgument("nusvr: sides = " + std::string(word_of(sides)) + " has no tube that could be of the shape " +
                          tube.text() + ": leave out tube");
  }
  if (!tube_nu.values.empty() && tube.is_constant()) {
    throw InvalidArgument("nusvr: tube_nu = " + tube_nu.text() +
                          " is for the functions of a tube, and tube = constant has one: set nu, or a tube");
  }
}

std::span<const Option<SvrOptions>> svr_option_table() {
  static const std::vector<Option<SvrOptions>> table = regression_table<SvrOptions>(
      {
          {"C", &SvrOptions::C, "bound of every coefficient: the price of an error beyond the tube (LIBSVM's -c)",
           Constraint::positive, SearchRange{"2^-5..2^15"}},
          {"epsilon", &SvrOptions::epsilon,
           "half the width of the tube within which errors cost nothing, in target units; a tenth of the target's "
           "deviation if it is not given (0.1 with standardize=no)",
           Constraint::nonnegative,
           SearchRange{.range = "2^-8..2^-1", .unit = RangeUnit::target_deviations, .unless_per_row = true}},
          {"errors", &SvrOptions::errors,
           "each: every row's error beyond epsilon costs C; overall: that of the mean absolute error does, C per row"},
          {"slack", &SvrOptions::slack,
           "linear: errors beyond the tube cost C times their size; none: every row is within the tube, which must be "
           "wide enough for the kernel"},
      },
      SemiparametricOptions::table<SvrOptions>());
  return table;
}

std::span<const Option<NuSvrOptions>> nusvr_option_table() {
  static const std::vector<Option<NuSvrOptions>> table = regression_table<NuSvrOptions>({
      {"C", &NuSvrOptions::C, "bound of every coefficient: the price of an error beyond the tube (LIBSVM's -c)",
       Constraint::positive, SearchRange{"2^-5..2^15"}},
      {"nu", &NuSvrOptions::nu, "at most this fraction of rows lie outside the tube; its width follows",
       Limits::above_to(0, 1)},
      {"loss", &NuSvrOptions::loss,
       "insensitive: errors within the tube cost nothing; huber: those up to a scale, which is found, cost their "
       "square, "
       "and at most the fraction nu is larger"},
      {"tube", &NuSvrOptions::tube,
       "shape of the tube: constant, or functions of columns that are not negative, each times a width that is found "
       "(linear[spread], constant + linear[spread])"},
      {"tube_nu", &NuSvrOptions::tube_nu,
       "a fraction like nu for every function of the tube, in their order (0.1,0.05); empty: nu for all"},
      {"sides", &NuSvrOptions::sides,
       "both: a tube around the function; above: the function is above all rows but a fraction nu; below: below them"},
      {"slack", &NuSvrOptions::slack,
       "linear: errors beyond the tube cost C times their size; none: every row is within, and nu C is the price of "
       "its "
       "width"},
  });
  return table;
}

Answers SvrModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.expansion.values(samples, run)};
}

std::unique_ptr<FittedModel> SvrModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  const Index count = expansion.centers().size();
  // Centres that are no rows have the mean of the rows' own widths.
  std::vector<double> given;
  if (!parts_.given.empty()) {
    given.assign(static_cast<std::size_t>(count), parts_.widths.front());
  }
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), count);
  return std::make_unique<SvrModel>(std::move(changed), Parts{.options = parts_.options,
                                                              .expansion = std::move(expansion),
                                                              .support_rows = no_training_rows(count),
                                                              .widths = parts_.widths,
                                                              .tube = parts_.tube,
                                                              .scales = parts_.scales,
                                                              .given = std::move(given)});
}

Matrix<double> SvrModel::support_widths() const {
  const Index centers = parts_.expansion.centers().size();
  if (parts_.given.empty()) {
    return widths_at(parts_.expansion.centers());
  }
  Matrix<double> widths(centers, static_cast<Index>(parts_.widths.size()));
  for (Index i = 0; i < centers; ++i) {
    for (Index o = 0; o < widths.columns(); ++o) {
      widths(i, o) = parts_.given[i];
    }
  }
  return widths;
}

Matrix<double> SvrModel::widths_at(const Samples& samples) const {
  if (!parts_.given.empty()) {
    throw InvalidArgument(name() + ": every training row had a width of its own, and new samples have none");
  }
  const auto outputs = static_cast<Index>(parts_.widths.size());
  Matrix<double> widths(samples.size(), outputs);
  if (parts_.tube.empty()) {
    for (Index i = 0; i < widths.rows(); ++i) {
      std::ranges::copy(parts_.widths, widths.view().row_data(i));
    }
    return widths;
  }
  const Matrix<double> shapes = std::get<NuSvrOptions>(parts_.options).tube.values(samples);
  for (Index i = 0; i < widths.rows(); ++i) {
    for (Index o = 0; o < outputs; ++o) {
      const std::span<const double> row = shapes.view().row(i);
      const double width = std::inner_product(row.begin(), row.end(), parts_.tube[o].begin(), 0.0);
      widths(i, o) = std::max(0.0, width);  // functions may be negative at new samples: no width there
    }
  }
  return widths;
}

void SvrModel::Parts::fields(Fields& visit) {
  if (auto* const nu = std::get_if<NuSvrOptions>(&options)) {
    visit.options(*nu, nusvr_option_table());
  } else {
    visit.options(std::get<SvrOptions>(options), svr_option_table());
  }
  visit.expansion(expansion, {.outputs = visit.outputs(),
                              .part = parametric_part(options),
                              .precision_before = shared_options(options).precision()});
  visit.indices("support_rows", support_rows, expansion.centers().size(), any_index);
  Matrix<double> row(1, static_cast<Index>(widths.size()));
  std::ranges::copy(widths, row.data());
  visit.matrix("widths", row, {1, visit.outputs()});
  if (visit.loading()) {
    widths.assign(row.data(), row.data() + row.columns());
  }
  if (const auto* const nu = std::get_if<NuSvrOptions>(&options); nu != nullptr && !nu->tube.is_constant()) {
    Matrix<double> columns(tube.empty() ? 0 : static_cast<Index>(tube.front().size()), visit.outputs());
    for (Index o = 0; o < static_cast<Index>(tube.size()); ++o) {
      for (Index q = 0; q < columns.rows(); ++q) {
        columns(q, o) = tube[o][q];
      }
    }
    visit.matrix("tube", columns, {any_count, visit.outputs()}, Constraint::nonnegative);
    visit.require(!visit.loading() || columns.rows() == static_cast<Index>(nu->tube.names(expansion.centers()).size()),
                  "widths of another number of functions than those of its tube");
    for (Index o = 0; visit.loading() && o < columns.columns(); ++o) {
      tube.emplace_back();
      for (Index q = 0; q < columns.rows(); ++q) {
        tube.back().push_back(columns(q, o));
      }
    }
  }
  if (const auto* const nu = std::get_if<NuSvrOptions>(&options); nu != nullptr && nu->loss == NuSvrLoss::huber) {
    visit.column("scales", scales, visit.outputs(), Constraint::nonnegative);
  }
  if (visit.present("given_widths", !given.empty())) {
    visit.column("given_widths", given, expansion.centers().size(), Constraint::nonnegative);
  }
}

const ModelEntry& svr_entry() {
  static const ModelEntry entry =
      make_entry<SvrModel>({.name = "svr",
                            .aliases = {},
                            .summary = "support vector regression: errors beyond epsilon cost C each",
                            .task = Task::regression,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "svc",
                            .has_offset = true,
                            .takes_prior = true,
                            .noise = NoiseMeaning::tube_width,
                            .folds_share = FoldSharing::support_vectors},
                           svr_option_table(), fit_svr);
  return entry;
}

const ModelEntry& nusvr_entry() {
  static const ModelEntry entry =
      make_entry<SvrModel>({.name = "nusvr",
                            .aliases = {},
                            .summary = "support vector regression that takes a fraction of errors, nu",
                            .task = Task::regression,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "nusvc",
                            .has_offset = true,
                            .takes_prior = true},
                           nusvr_option_table(), fit_nusvr, [] { return SvrModel::Parts{.options = NuSvrOptions()}; });
  return entry;
}

}  // namespace mercer
