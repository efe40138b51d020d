// Report: everything that a report page shows, as plain data. Sections that do not apply are empty. report_json.h writes
// it as the page reads it, so that the names here and there are the same; sections are computed in a file each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"
#include "mercer/select/error_reject.h"
#include "mercer/select/metrics.h"

namespace mercer {

/// How many of the points are shown, where not all of them are.
struct Thinned {
  Index shown = 0;
  Index of = 0;
};

/// A name, its value as text, and what it means in plain words.
struct ReportFact {
  std::string name;
  std::string value;
  std::string meaning;
};

struct ReportOption {
  std::string name;
  std::string value;
  std::string meaning;
  bool is_default = false;
};

/// `text` where the value is no number.
struct SolutionFact {
  std::string name;
  double value = 0;
  std::string meaning;
  std::string text = {};
};

struct ModelFacts {
  std::string name;
  Task task = Task::regression;
  std::string summary;
  std::string kernel;
  std::string requested_kernel;
  std::vector<ReportFact> kernel_facts;
  std::vector<ReportOption> options;
  std::string scaling;
  std::vector<std::string> classes;
  std::vector<std::string> outputs;
  std::vector<SolutionFact> solution;
};

enum class DataPart { test, training };

struct DataFacts {
  std::string file;
  Index rows = 0;
  Index columns = 0;
  DataPart part = DataPart::test;
  std::string hash;
  std::optional<Index> train_rows = {};
  std::vector<std::string> names = {};
};

struct ReportMetric {
  Metric metric;
  std::string meaning;
};

struct BaselineFact {
  std::string name;
  std::string metric;
  double value = 0;
  std::string meaning;
};

struct RocCurve {
  std::vector<double> false_positive_rate;
  std::vector<double> true_positive_rate;
  double area = 0;
};

struct PrecisionRecallCurve {
  std::vector<double> recall;
  std::vector<double> precision;
  double average = 0;
};

/// One class against all others.
struct ClassCurves {
  std::string name;
  RocCurve roc;
  PrecisionRecallCurve precision_recall;
};

/// Bins of the predicted probability: its mean, the observed frequency of the class, and how many rows.
struct Calibration {
  std::string name;
  std::vector<double> predicted;
  std::vector<double> observed;
  std::vector<Index> count;
};

/// counts[c][b]: rows of class c in the bin between edges[b] and edges[b + 1].
struct MarginHistogram {
  std::vector<double> edges;
  std::vector<std::vector<Index>> counts;
  std::vector<std::string> classes;
};

struct ClassificationSection {
  std::vector<std::string> classes;
  Matrix<Index> confusion;  ///< rows: true class
  std::vector<ClassCurves> curves;
  std::vector<Calibration> calibration;
  std::optional<MarginHistogram> margins;
  std::optional<ErrorRejectCurve> error_reject;  ///< thinned
};

struct OutputResiduals {
  std::string name;
  std::vector<double> truth;
  std::vector<double> predicted;
  std::vector<double> lower;  ///< of the central interval of an observation; empty: none
  std::vector<double> upper;
  double level = 0;
};

struct CoverageCurve {
  std::vector<double> nominal;
  std::vector<double> observed;
};

/// The share of targets at or below the quantile of every level that was fitted.
struct LevelShares {
  std::vector<double> levels;
  std::vector<double> observed;
};

/// The fitted function of the only input column.
struct FittedCurve {
  std::string column;
  std::vector<double> x;
  std::vector<double> mean;
  std::vector<double> lower;  ///< of observations; empty: none
  std::vector<double> upper;
  std::vector<double> mean_lower;  ///< of the function itself; empty: none
  std::vector<double> mean_upper;
  std::vector<double> levels;  ///< of fitted quantiles, ascending; empty: none. With them there are no other bands
  std::vector<std::vector<double>> quantiles;  ///< one per level
  std::vector<double> tube_lower;              ///< of the tube within which errors cost nothing; empty: none
  std::vector<double> tube_upper;
  std::vector<double> data_x;
  std::vector<double> data_y;
};

struct RegressionSection {
  std::vector<OutputResiduals> outputs;
  std::optional<CoverageCurve> coverage;
  std::optional<LevelShares> below;  ///< of models with fitted quantiles, all outputs together
  std::optional<FittedCurve> curve;
  std::optional<Thinned> thinned;
};

struct NoveltySection {
  std::vector<double> edges;
  std::vector<Index> counts;
  double threshold = 0;
  Index flagged = 0;
  Index total = 0;
  std::optional<RocCurve> roc;
};

enum class SupportState { none = 0, free = 1, bound = 2 };

struct RegionPoints {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<Index> classes;         ///< empty: none known
  std::vector<double> values;         ///< regression: the truth; novelty: what decides; density: ln p
  std::vector<double> residuals;      ///< regression: truth less prediction
  std::vector<SupportState> support;  ///< empty: the model has no support vectors
};

/// Where the density is at least `level` lies this share of the rows.
struct DensityLevel {
  double share = 0;
  double level = 0;
};

/// The model over a plane. `value` and `label` have one row per y and one column per x, or none.
struct RegionsSection {
  std::string axis_x;
  std::string axis_y;
  std::string how;
  std::vector<double> x;
  std::vector<double> y;
  Matrix<double> value;
  Matrix<Index> label;
  std::vector<std::string> classes;
  RegionPoints points;
  std::vector<DensityLevel> levels;  ///< densities: which lines to draw
  bool cells = false;                ///< values that step, between which nothing is to be drawn smooth
  std::optional<Thinned> thinned;
};

/// The density along one column (the marginal one where there are more), with the rows beside it. All in the units of
/// the file.
struct DensityCurve {
  std::string column;
  std::vector<double> x;
  std::vector<double> density;
  std::vector<double> cumulative;  ///< P(X <= x); empty: not known
  std::vector<double> edges;       ///< a histogram of the rows
  std::vector<double> heights;     ///< its densities
  std::vector<double> rug;         ///< rows themselves
};

struct DensitySection {
  std::string how;  ///< what the curves are, or why there are none
  std::vector<DensityCurve> curves;
  std::vector<double> edges;  ///< of a histogram of ln p over the rows; empty: none is finite
  std::vector<Index> counts;
  Index zero = 0;      ///< rows where the density is 0
  Index infinite = 0;  ///< rows where it is infinite
  std::optional<Thinned> thinned;
};

/// What is known of one component of features.
struct FeatureComponent {
  std::string name;
  double value = 0;  ///< variance, correlation, …; NaN: not known
  double share = 0;  ///< of the total variance; NaN: not known
};

/// One component over the plane of two input columns.
struct ComponentMap {
  std::string name;
  Matrix<double> value;
};

/// Rows in the plane of the first two components; a histogram where there is one.
struct FeaturesSection {
  std::string value_name;  ///< what component values are
  std::vector<FeatureComponent> components;
  std::string target;                ///< what the colours are; empty: no targets
  std::vector<std::string> classes;  ///< of the colours; empty: numbers or none
  RegionPoints points;
  std::optional<MarginHistogram> histogram;
  std::vector<ComponentMap> maps;
  std::string axis_x;  ///< of the maps
  std::string axis_y;
  std::vector<double> map_x;
  std::vector<double> map_y;
  RegionPoints map_points;
  std::optional<Thinned> thinned;
};

struct ClustersSection {
  std::vector<std::string> names;
  std::vector<Index> sizes;
  std::vector<double> spreads;  ///< mean squared distance to the cluster's centre; empty: not known
  std::string target;           ///< labels of the rows; empty: none, or too many
  std::vector<std::string> labels;
  Matrix<Index> by_label;                    ///< clusters × labels
  std::optional<MarginHistogram> histogram;  ///< of the only column, by cluster
  std::string column;
};

struct GramGroup {
  std::string name;
  Index begin = 0;
  Index end = 0;
};

struct GramSection {
  Matrix<double> values;
  std::string order;
  std::vector<GramGroup> groups;
  std::vector<double> spectrum;  ///< descending
  double condition = 0;          ///< NaN: singular to rounding
  double effective_rank = 0;
  double mean_off_diagonal = 0;  ///< of the normalised matrix
  std::optional<Thinned> thinned;
};

struct TuningAxis {
  std::string name;
  std::vector<double> values;
  bool logarithmic = false;
};

struct TuningPoint {
  std::vector<std::pair<std::string, std::string>> parameters;
  double mean = 0;
  double error = 0;
};

struct TuningSection {
  std::string metric;
  Better better = Better::higher;
  std::optional<TuningAxis> x;
  std::optional<TuningAxis> y;
  Matrix<double> mean;
  Matrix<double> error;
  std::vector<TuningPoint> points;
  Index best = 0;
  Index chosen = 0;
};

struct LearningSection {
  std::string metric;
  std::vector<Index> rows;
  std::vector<double> train;
  std::vector<double> validation;
  std::vector<double> validation_error;  ///< standard errors; empty: one validation set
};

struct InfluencePoint {
  Index row = 0;  ///< of the training data, from 0
  std::string label;
  std::string predicted;
  double influence = 0;
  std::string note;
};

struct InfluenceSection {
  std::string how;
  std::vector<InfluencePoint> points;
};

struct ColumnRelevance {
  std::string name;
  double relevance = 0;
  std::optional<double> lengthscale = {};
};

struct RelevanceSection {
  std::string how;
  std::vector<ColumnRelevance> columns;
};

/// The loss of the fit over residuals or margins. density: empty where the loss is none of noise.
struct LossSection {
  std::string name;
  std::string argument;  ///< "residual" or "margin"
  std::string output;
  std::string formula;
  std::string influence_formula;
  std::string density_formula;
  std::string note;
  std::vector<double> x = {};
  std::vector<double> loss = {};
  std::vector<double> influence = {};
  std::vector<double> density = {};
};

struct CostFacts {
  std::vector<FitReport::Phase> phases;
  double seconds = 0;
  std::optional<double> peak_memory_mb = {};
  std::optional<Index> model_bytes = {};
};

struct Provenance {
  std::string spec;
  std::string command = {};
  std::uint64_t seed = 0;
  std::string version;
  std::string created = {};
  std::string data_hash = {};
  std::string model_hash = {};
};

struct Report {
  std::string title;
  ModelFacts model;
  DataFacts data;
  std::vector<std::string> warnings;
  std::vector<ReportMetric> metrics;
  std::vector<BaselineFact> baselines;
  std::optional<ClassificationSection> classification;
  std::optional<RegressionSection> regression;
  std::optional<NoveltySection> novelty;
  std::optional<DensitySection> density;
  std::optional<FeaturesSection> features;
  std::optional<ClustersSection> clusters;
  std::optional<RegionsSection> regions;
  std::optional<GramSection> gram;
  std::optional<TuningSection> tuning;
  std::optional<LearningSection> learning;
  std::optional<InfluenceSection> influence;
  std::optional<RelevanceSection> relevance;
  std::optional<LossSection> loss;
  CostFacts cost;
  Provenance provenance;
};

}  // namespace mercer
