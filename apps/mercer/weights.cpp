#include "weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/text.h"
#include "mercer/data/write_data.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/string/string_samples.h"
#include "mercer/models/linear_svm_model.h"
#include "profile_picture.h"
#include "session.h"
#include "stored_samples.h"
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
  Index top = 20;
  Index row = 0;
};

// w·x + b of any linear model, with names for machines and features.
struct LinearReading {
  const LinearMachines* machines = nullptr;
  const ExplicitMap* map = nullptr;
  std::vector<std::string> machine_names;
  std::vector<std::string> features;  // of the first rows of the weights
};

LinearReading read_linear(const StoredModel& stored, const std::string& path) {
  LinearReading reading;
  const ExplicitInput* input = nullptr;
  if (const auto* svc = dynamic_cast<const LinearSvcModel*>(stored.model.get())) {
    reading.machines = &svc->machines();
    reading.machine_names = svc->decision_names();
    input = &svc->input();
  } else if (const auto* svr = dynamic_cast<const LinearSvrModel*>(stored.model.get())) {
    reading.machines = &svr->machines();
    reading.machine_names = headings(*svr);
    input = &svr->input();
  } else {
    throw UsageError(fmt::format("{} is a model {}: weights of single features have linearsvc and linearsvr", path,
                                 stored.model->name()));
  }
  reading.map = input->map();
  reading.features = input->names();
  if (reading.map == nullptr) {
    for (Index j = 0; j < reading.machines->weights.rows(); ++j) {
      const auto& columns = stored.schema.columns;
      reading.features.push_back(static_cast<std::size_t>(j) < columns.size()
                                     ? columns[static_cast<std::size_t>(j)].name
                                     : "x" + std::to_string(j));
    }
  }
  return reading;
}

// Features by the absolute weight of one machine.
std::vector<Index> heaviest(const LinearReading& reading, Index machine, Index count) {
  const Matrix<double>& weights = reading.machines->weights;
  std::vector<Index> order(reading.features.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto cut = order.begin() + std::min<Index>(count, static_cast<Index>(order.size()));
  std::partial_sort(order.begin(), cut, order.end(), [&](Index a, Index b) {
    const double left = std::abs(weights(a, machine));
    const double right = std::abs(weights(b, machine));
    return left != right ? left > right : a < b;
  });
  order.erase(cut, order.end());
  std::erase_if(order, [&](Index j) { return weights(j, machine) == 0; });
  return order;
}

void print_weights(const LinearReading& reading, const StoredModel& stored, const WeightFlags& flags) {
  const Matrix<double>& weights = reading.machines->weights;
  if (flags.run.json) {
    Json json = {{"path", flags.model},
                 {"model", stored.model->name()},
                 {"kernel", stored.model->kernel().spec()},
                 {"features", weights.rows()}};
    json["machines"] = Json::object();
    for (Index m = 0; m < weights.columns(); ++m) {
      Json list = Json::array();
      for (const Index j : heaviest(reading, m, flags.top)) {
        list.push_back({{"feature", reading.features[static_cast<std::size_t>(j)]}, {"weight", weights(j, m)}});
      }
      json["machines"][reading.machine_names[static_cast<std::size_t>(m)]] = {
          {"intercept", reading.machines->intercepts(0, m)}, {"weights", std::move(list)}};
    }
    print_json(json);
    return;
  }
  std::string text = fmt::format("{}: {}, {}, {}\n", flags.model, stored.model->name(), stored.model->kernel().spec(),
                                 counted(weights.rows(), "feature"));
  for (Index m = 0; m < weights.columns(); ++m) {
    text += fmt::format("\n{}, intercept {}\n", reading.machine_names[static_cast<std::size_t>(m)],
                        readable(reading.machines->intercepts(0, m)));
    TextTable table({"weight", "feature"}, {Align::right, Align::left});
    for (const Index j : heaviest(reading, m, flags.top)) {
      table.add({readable(weights(j, m)), reading.features[static_cast<std::size_t>(j)]});
    }
    text += table.text("  ");
  }
  print(text);
}

void write_weights(const LinearReading& reading, const WeightFlags& flags, Session& session) {
  const auto named = static_cast<Index>(reading.features.size());
  std::vector<std::string> names = {"feature"};
  names.insert(names.end(), reading.machine_names.begin(), reading.machine_names.end());
  const ConstMatrixView<double> all = reading.machines->weights.view();
  const ConstMatrixView<double> first(all.data(), named, all.columns(), all.stride());
  session.write(flags.output, [&] { write_csv(flags.output, reading.features, first, names); });
}

const SequenceProfile& chosen_profile(const std::vector<SequenceProfile>& profiles, const std::string& column) {
  std::vector<std::string> names;
  for (const SequenceProfile& profile : profiles) {
    if (profile.column == column || (column.empty() && profiles.size() == 1)) {
      return profile;
    }
    names.push_back(profile.column);
  }
  throw UsageError(fmt::format("name one of the sequence columns with --column: {}", join(names, ", ")));
}

// Row after row, place after place: the row's number, the place, what it adds to every machine.
struct ProfileRows {
  std::vector<std::string> symbols;
  std::vector<double> numbers;
};

void add_profile(const SequenceProfile& profile, const Samples& samples, Index row, ProfileRows& rows) {
  const ColumnSelection selection{{ColumnName{profile.column}}};
  const Samples texts = default_columns(profile.column.empty() ? samples : select_columns(samples, selection));
  const std::string_view text = string_at(texts, row);
  for (Index at = 0; at < profile.values.rows(); ++at) {
    rows.symbols.emplace_back(1, text[static_cast<std::size_t>(at)]);
    rows.numbers.push_back(static_cast<double>(row));
    rows.numbers.push_back(static_cast<double>(at));
    for (const double value : profile.values.view().row(at)) {
      rows.numbers.push_back(value);
    }
  }
}

void write_profiles(const LinearReading& reading, const StoredModel& stored, const WeightFlags& flags,
                    Session& session) {
  if (reading.map == nullptr) {
    throw UsageError("profiles along sequences need a kernel on sequences, such as spectrum or weighted_degree");
  }
  const NewData data = read_for_model(flags.file, flags.data, stored, Presence::optional, session);
  if (!flags.picture.empty() && (flags.row < 0 || flags.row >= data.samples.size())) {
    throw UsageError(
        fmt::format("--row {}: there are {}, counted from 0", flags.row, counted(data.samples.size(), "row")));
  }
  session.bound_memory();
  ProfileRows rows;
  for (Index i = 0; i < data.samples.size(); ++i) {
    session.run().check_stop();
    const std::vector<SequenceProfile> profiles =
        reading.map->profile(data.samples, i, reading.machines->weights.view());
    if (profiles.empty()) {
      continue;
    }
    const SequenceProfile& profile = chosen_profile(profiles, flags.column);
    const std::size_t first = rows.symbols.size();
    add_profile(profile, data.samples, i, rows);
    if (!flags.picture.empty() && i == flags.row) {
      std::string sequence;
      for (std::size_t s = first; s < rows.symbols.size(); ++s) {
        sequence += rows.symbols[s];
      }
      write_profile_picture(flags.picture, sequence, profile.values.view(), reading.machine_names);
    }
  }
  std::vector<std::string> names = {"symbol", "row", "position"};
  names.insert(names.end(), reading.machine_names.begin(), reading.machine_names.end());
  const auto columns = static_cast<Index>(names.size()) - 1;
  const ConstMatrixView<double> numbers(rows.numbers.data(), static_cast<Index>(rows.symbols.size()), columns);
  const std::string output = flags.output.empty() ? "-" : flags.output;
  if (!flags.output.empty() || flags.picture.empty()) {
    session.write(output, [&] { write_csv(output, rows.symbols, numbers, names); });
  }
}

void weights(const WeightFlags& flags, Interruption& interruption) {
  if (flags.top < 1) {
    throw UsageError(fmt::format("--top {}: must be 1 or more", flags.top));
  }
  if (flags.file.empty() && !flags.picture.empty()) {
    throw UsageError("--svg draws along a sequence: name a data file too");
  }
  if (!flags.output.empty()) {
    require_writable(flags.output);
  }
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  const LinearReading reading = read_linear(stored, flags.model);
  if (!flags.file.empty()) {
    write_profiles(reading, stored, flags, session);
  } else if (!flags.output.empty()) {
    write_weights(reading, flags, session);
  } else {
    print_weights(reading, stored, flags);
  }
}

}  // namespace

Action add_weights(CLI::App& command) {
  const auto flags = std::make_shared<WeightFlags>();
  command.add_option("MODEL", flags->model, "the file of a linearsvc or linearsvr; - is standard input")->required();
  command.add_option(
      "FILE", flags->file,
      "sequences or texts: for every position, what the features that cover it add to the model's value");
  command.add_option("--top", flags->top, "how many features to list (default 20)")->type_name("N");
  command.add_option("--column", flags->column, "the sequence column of FILE, where the kernel sees several")
      ->type_name("COL");
  command.add_option("--svg", flags->picture, "draw the profile of one row")->type_name("FILE");
  command.add_option("--row", flags->row, "which row to draw, from 0 (default 0)")->type_name("N");
  command.add_option("-o,--output", flags->output, "CSV file of all named features, or of the profiles")
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
