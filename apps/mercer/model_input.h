// Samples for a stored model: a data file read with the schema and the scaling of the training data.
#pragma once

#include "mercer/data/files/series_rows.h"
#include "mercer/models/stored_model.h"
#include "session.h"

namespace mercer::program {

struct NewData {
  Samples samples;  ///< as the model takes them
  std::optional<Targets> targets;
  std::vector<double> weights = {};   ///< empty unless asked for
  std::vector<Index> kept_rows = {};  ///< where rows were left out: the numbers of the others among those of the file
  Index file_rows = 0;                ///< with those that were left out
};

/// Reads `path` as the model's training file was read. Targets are looked for where the flags say, otherwise where the
/// training file had them. `weights`: the column of weights, for training data.
NewData read_for_model(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                       Session& session, const std::string& weights = {});

/// The file of a series as it is, before the embedding: for models that have one.
DataFile read_series(const std::string& path, const DataFlags& flags, const StoredModel& stored, Session& session);

/// The rows of a file, a block after the other in memory that does not grow with a delimited text. `most`: rows of a
/// block. A series is one block, since its rows look back.
class NewRows {
 public:
  NewRows(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets, Index most,
          Session& session);

  /// Calls work(NewData) for every block. Data errors name the file, and where rows are counted from.
  template <class Work>
  void for_each(Work work) {
    while (const std::optional<NewData> block = next()) {
      naming_file(path_, [&] { counting_rows([&] { work(*block); }); });
      first_ += block->samples.size();
    }
    say_dropped();
  }
  /// That for_each() has given.
  Index rows() const { return first_; }

 private:
  std::optional<NewData> next();
  void say_dropped() const;
  template <class Work>
  void counting_rows(Work work) const {
    try {
      work();
    } catch (const DataError& error) {
      if (first_ == 0 || !error.place().file.empty()) {
        throw;
      }
      throw DataError("counting rows from row " + std::to_string(first_) + " as 0: " + error.what());
    }
  }

  std::string path_;
  const StoredModel& stored_;
  Session& session_;
  std::unique_ptr<DataBatches> batches_;
  Index first_ = 0;
  Index dropped_ = 0;
  Index unlabeled_ = 0;
  SeriesGaps series_gaps_;
  SeriesValue series_value_;
  CodingGaps gaps_;
};

/// Rows of a block that take about 64 MB: a multiple of the rows that are evaluated at a time.
Index rows_per_block(const StoredModel& stored);

/// UsageError where predictions cannot be right or wrong (features, clusters).
void require_scored(const FittedModel& model);

/// The targets that predictions are compared with: null where there are none and the model needs none. DataError naming
/// the flag that says where they are where some are missing.
const Targets* known_targets(const NewData& data, const FittedModel& model, const std::string& file);

/// What became of missing numbers when the model was fitted becomes of them again.
MissingRule usual_missing_rule(const StoredModel& stored);

/// What a series is predicted from: "y(t-1), y(t-2), ... y(t-12)  (--embed 12,1)", and as JSON.
std::string lag_list(const Embedding& embedding);
Json embedding_as_json(const Embedding& embedding);

/// The headings of a model's predictions: the names of its targets, "prediction" for one without a name.
std::vector<std::string> headings(const FittedModel& model);

/// The flags without those that only training data needs.
void add_new_data_flags(CLI::App& command, DataFlags& flags);

}  // namespace mercer::program
