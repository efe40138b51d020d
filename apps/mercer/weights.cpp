#include "weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "file_roles.h"
#include "mercer/base/text.h"
#include "mercer/data/files/write_data.h"
#include "mercer/io/model_file.h"
#include "mercer/models/linear/feature_weights.h"
#include "model_input.h"
#include "profiles.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct WeightFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
  std::string output;
  std::string picture;
  std::string column;
  std::optional<Index> top;  // of the listing 20, of a table all
  Index row = 0;
};

// w·x + b of any linear model, with names for machines and features.
struct LinearReading {
  const LinearMachines* machines = nullptr;
  const ExplicitMap* map = nullptr;
  std::vector<std::string> machine_names;
  std::vector<std::string> features;  // of the first rows of the weights
  std::vector<double> factors;        // of plain columns: what each was multiplied by before the fit; empty for none
};

LinearReading read_linear(const StoredModel& stored, const std::string& path) {
  LinearReading reading;
  const auto* const weights = offered<FeatureWeights>(*stored.model);
  if (weights == nullptr) {
    throw UsageError(fmt::format("{} is a model {}: weights of single features have linearsvc and linearsvr", path,
                                 stored.model->name()));
  }
  reading.machines = &weights->machines();
  reading.machine_names = stored.model->decision_names();
  if (reading.machine_names.empty()) {
    reading.machine_names = headings(*stored.model);
  }
  reading.map = weights->input().map();
  reading.features = weights->input().names();
  if (reading.map == nullptr) {
    for (Index j = 0; j < reading.machines->weights.rows(); ++j) {
      const auto& columns = stored.preparation.schema.columns;
      reading.features.push_back(static_cast<std::size_t>(j) < columns.size() ? columns[j].name
                                                                              : "x" + std::to_string(j));
    }
    reading.factors = stored.preparation.scaling.factor;
  }
  return reading;
}

// The named features that are largest by `size`.
template <class Size>
std::vector<Index> largest_features(const LinearReading& reading, Index count, Size&& size) {
  std::vector<Index> order(reading.features.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto cut = order.begin() + std::min<Index>(count, static_cast<Index>(order.size()));
  std::partial_sort(order.begin(), cut, order.end(), [&](Index a, Index b) {
    const double left = size(a);
    const double right = size(b);
    return left != right ? left > right : a < b;
  });
  order.erase(cut, order.end());
  return order;
}

std::vector<Index> heaviest(const LinearReading& reading, Index machine, Index count) {
  const auto size = [&](Index j) { return std::abs(reading.machines->weights(j, machine)); };
  std::vector<Index> order = largest_features(reading, count, size);
  std::erase_if(order, [&](Index j) { return size(j) == 0; });
  return order;
}

// By the largest weight of any machine.
std::vector<Index> heaviest_of_all(const LinearReading& reading, Index count) {
  return largest_features(reading, count, [&](Index j) {
    double largest = 0;
    for (const double weight : reading.machines->weights.view().row(j)) {
      largest = std::max(largest, std::abs(weight));
    }
    return largest;
  });
}

// Weights of scaled columns are in units of the scaled ones, which can be compared; times the factor, in the file's own.
double weight_per_unit(const LinearReading& reading, Index feature, Index machine) {
  return reading.machines->weights(feature, machine) * reading.factors[feature];
}

bool has_scaled_columns(const StoredModel& stored) { return !stored.preparation.scaling.factor.empty(); }

std::string weight_table(const LinearReading& reading, Index machine, const std::vector<Index>& features) {
  const bool scaled = !reading.factors.empty();
  TextTable table = scaled ? TextTable({"weight", "per unit", "feature"}, {Align::right, Align::right, Align::left})
                           : TextTable({"weight", "feature"}, {Align::right, Align::left});
  for (const Index j : features) {
    std::vector<std::string> line = {readable(reading.machines->weights(j, machine))};
    if (scaled) {
      line.push_back(readable(weight_per_unit(reading, j, machine)));
    }
    line.push_back(reading.features[j]);
    table.add(std::move(line));
  }
  return table.text("  ");
}

void print_weights(const LinearReading& reading, const StoredModel& stored, const WeightFlags& flags) {
  const Matrix<double>& weights = reading.machines->weights;
  const Index top = flags.top.value_or(20);
  if (flags.run.json) {
    Json json = {{"path", flags.model},
                 {"model", stored.model->name()},
                 {"kernel", stored.model->kernel().spec()},
                 {"features", weights.rows()},
                 {"scaling", to_string(stored.preparation.scaling.rule)}};
    json["machines"] = Json::object();
    for (Index m = 0; m < weights.columns(); ++m) {
      Json list = Json::array();
      for (const Index j : heaviest(reading, m, top)) {
        list.push_back({{"feature", reading.features[j]}, {"weight", weights(j, m)}});
        if (!reading.factors.empty()) {
          list.back()["per_unit"] = weight_per_unit(reading, j, m);
        }
      }
      json["machines"][reading.machine_names[m]] = {{"intercept", reading.machines->intercepts(0, m)},
                                                    {"weights", std::move(list)}};
    }
    print_json(json);
    return;
  }
  std::string text = fmt::format("{}: {}, {}, {}\n", flags.model, stored.model->name(), stored.model->kernel().spec(),
                                 counted(weights.rows(), "feature"));
  if (has_scaled_columns(stored)) {
    text += fmt::format("numeric columns are scaled ({}), and their weights with them{}\n",
                        to_string(stored.preparation.scaling.rule),
                        reading.factors.empty() ? "" : "; per unit: of the column as it stands in the file");
  }
  for (Index m = 0; m < weights.columns(); ++m) {
    text += fmt::format("\n{}, intercept {}\n", reading.machine_names[m], readable(reading.machines->intercepts(0, m)));
    text += weight_table(reading, m, heaviest(reading, m, top));
  }
  print(text);
}

void write_weights(const LinearReading& reading, const WeightFlags& flags, Session& session) {
  const ConstMatrixView<double> all = reading.machines->weights.view();
  const auto named = static_cast<Index>(reading.features.size());
  const std::vector<Index> chosen = heaviest_of_all(reading, flags.top.value_or(named));
  std::vector<std::string> headings_of_table = {"feature"};
  headings_of_table.insert(headings_of_table.end(), reading.machine_names.begin(), reading.machine_names.end());
  std::vector<std::string> features;
  Matrix<double> weights(static_cast<Index>(chosen.size()), all.columns());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    features.push_back(reading.features[chosen[i]]);
    std::ranges::copy(all.row(chosen[i]), weights.view().row_data(static_cast<Index>(i)));
  }
  session.write(flags.output,
                [&] { write_csv(flags.output, features, weights.view(), headings_of_table, session.run()); });
  if (named < all.rows() && flags.top.value_or(all.rows()) > named) {
    session.console().note(fmt::format("{}: {} of {} features, the heaviest; a model file names no more", flags.output,
                                       named, all.rows()));
  }
}

// The profiles along the rows of a data file.
void write_file_profiles(const LinearReading& reading, const StoredModel& stored, const WeightFlags& flags,
                         Session& session) {
  if (reading.map == nullptr) {
    throw UsageError("profiles along sequences need a kernel on sequences, such as spectrum or weighted_degree");
  }
  const NewData data = read_for_model(flags.file, flags.data, stored, Presence::ignored, session);
  session.bound_memory();
  const bool only_picture = flags.output.empty() && !flags.picture.empty();
  write_profiles({.map = *reading.map,
                  .weights = reading.machines->weights.view(),
                  .functions = reading.machine_names,
                  .column = flags.column,
                  .table = only_picture           ? ""
                           : flags.output.empty() ? "-"
                                                  : flags.output,
                  .picture = flags.picture,
                  .row = flags.row},
                 data.samples, session);
}

void weights(const WeightFlags& flags, Interruption& interruption) {
  if (flags.top && *flags.top < 1) {
    throw UsageError(fmt::format("--top {}: must be 1 or more", *flags.top));
  }
  if (flags.file.empty() && !flags.picture.empty()) {
    throw UsageError("--svg draws along a sequence: name a data file too");
  }
  if (flags.run.json && !flags.file.empty() && flags.output.empty() && flags.picture.empty()) {
    throw UsageError("--json: profiles are a table; name a file for it with -o");
  }
  FileRoles files;
  files.reads("the model", flags.model);
  files.reads_data(flags.file, flags.data);
  files.writes("the table", "-o", flags.output, OutputContent::table);
  files.writes("the picture", "--svg", flags.picture, OutputContent::picture);
  if (flags.run.json || flags.output.empty()) {
    files.prints("the table");
  }
  files.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  const LinearReading reading = read_linear(stored, flags.model);
  if (!flags.file.empty()) {
    write_file_profiles(reading, stored, flags, session);
  } else if (!flags.output.empty()) {
    write_weights(reading, flags, session);
  } else {
    print_weights(reading, stored, flags);
    return;
  }
  if (flags.run.json) {
    print_json({{"model", flags.model}, {"data", flags.file}, {"path", flags.output}, {"picture", flags.picture}},
               flags.output == "-" ? Destination::standard_error : Destination::standard_output);
  }
}

}  // namespace

Action add_weights(CLI::App& command) {
  const auto flags = std::make_shared<WeightFlags>();
  command.add_option("MODEL", flags->model, "the file of a linearsvc or linearsvr; - is standard input")->required();
  command.add_option(
      "FILE", flags->file,
      "sequences or texts: for every position, what the features that cover it add to the model's value");
  command
      .add_option("--top", flags->top,
                  "how many features: by default 20 of every machine in the listing, all in a table (-o)")
      ->type_name("N");
  command.add_option("--column", flags->column, "the sequence column of FILE, where the kernel sees several")
      ->type_name("COL");
  command.add_option("--svg", flags->picture, "draw the profile of one row")->type_name("FILE");
  command.add_option("--row", flags->row, "which row to draw, from 0 (default 0)")->type_name("N");
  command.add_option("-o,--output", flags->output, "CSV file of the features, heaviest first, or of the profiles")
      ->type_name("FILE");
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer weights m.mercer", "mercer weights m.mercer --top 100 -o weights.csv",
                         "mercer weights m.mercer new.fasta -o profiles.csv",
                         "mercer weights m.mercer new.fasta --svg profile.svg --row 3", "",
                         "A row of a profile sums to the model's value without its intercept."});
  return [flags](Interruption& interruption) { weights(*flags, interruption); };
}

}  // namespace mercer::program
