#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "file_roles.h"
#include "json_table.h"
#include "mercer/base/text.h"
#include "mercer/data/files/write_data.h"
#include "mercer/data/numbered_column.h"
#include "mercer/io/model_file.h"
#include "mercer/models/density/model_draws.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct SampleFlags {
  RunFlags run;
  std::string model;
  std::string output = "-";
  Index count = 100;
  std::vector<std::string> given;
  std::vector<std::string> columns;
};

// By name, or by number from 0.
Index column_of(const char* flag, const std::string& reference, const std::vector<std::string>& names) {
  const std::optional<long long> number = parse_integer(reference);
  // A number is first the place of a column without a name in its file.
  for (const std::string& name : {reference, number ? numbered_column_name(*number) : reference}) {
    if (const auto found = std::find(names.begin(), names.end(), name); found != names.end()) {
      return found - names.begin();
    }
  }
  if (!number || *number < 0 || *number >= static_cast<long long>(names.size())) {
    throw UsageError(fmt::format("{}: the model has no column '{}'.{} Its columns: {}.", flag, reference,
                                 did_you_mean(reference, names), join(names, ", ")));
  }
  return *number;
}

HeldColumns held_columns(const std::vector<std::string>& texts, const std::vector<std::string>& names) {
  HeldColumns held;
  for (const std::string& text : texts) {
    const std::size_t sign = text.rfind('=');  // names may hold one
    const std::optional<double> value =
        sign == std::string::npos ? std::nullopt : parse_double(std::string_view(text).substr(sign + 1));
    if (!value || !std::isfinite(*value)) {
      throw UsageError(fmt::format("--given {}: must be a column and a finite number, as in --given age=40", text));
    }
    held.columns.push_back(column_of("--given", text.substr(0, sign), names));
    held.values.push_back(*value);
  }
  return held;
}

std::vector<Index> written_columns(const std::vector<std::string>& references, const std::vector<std::string>& names) {
  std::vector<Index> columns;
  for (const std::string& reference : references) {
    const Index column = column_of("--columns", reference, names);
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      throw UsageError(fmt::format("--columns: '{}' is there twice", reference));
    }
    columns.push_back(column);
  }
  for (Index j = 0; j < static_cast<Index>(names.size()) && references.empty(); ++j) {
    columns.push_back(j);
  }
  return columns;
}

Matrix<double> columns_of(Matrix<double> rows, const std::vector<Index>& columns) {
  if (static_cast<Index>(columns.size()) == rows.columns() && std::is_sorted(columns.begin(), columns.end())) {
    return rows;
  }
  Matrix<double> result(rows.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index k = 0; k < result.columns(); ++k) {
      result(i, k) = rows(i, columns[k]);
    }
  }
  return result;
}

void sample(const SampleFlags& flags, Interruption& interruption) {
  if (flags.count < 1) {
    throw UsageError(fmt::format("-n {}: must be 1 or more", flags.count));
  }
  FileRoles files;
  files.reads("the model", flags.model);
  files.writes("the table", "-o", flags.output, OutputContent::table);
  if (flags.run.json) {
    files.prints("the summary");
  }
  files.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  if (!has_draws(*stored.model)) {
    throw UsageError(fmt::format("{} is a model {}: samples are drawn from densities, kde and histogram", flags.model,
                                 stored.model->name()));
  }
  const std::vector<std::string> names = stored.preparation.numeric_names();
  const HeldColumns held = held_columns(flags.given, names);
  const std::vector<Index> columns = written_columns(flags.columns, names);
  session.bound_memory();
  const Matrix<double> rows = session.timed("draw", [&] {
    return reading("--given",
                   [&] { return columns_of(draw_samples(stored, held, flags.count, session.run()), columns); });
  });
  std::vector<std::string> headings;
  for (const Index column : columns) {
    headings.push_back(names[column]);
  }
  Json given = Json::object();
  for (std::size_t k = 0; k < held.columns.size(); ++k) {
    given[names[held.columns[k]]] = held.values[k];
  }
  Json json = {
      {"model", flags.model}, {"n", flags.count}, {"columns", headings}, {"given", given}, {"seed", flags.run.seed}};
  if (flags.run.json && flags.output == "-") {
    json["seconds"] = session.phases_as_json();
    print_json_table(json, {}, rows.view());
    return;
  }
  session.timed("write", [&] {
    session.write(flags.output, [&] { write_csv(flags.output, rows.view(), headings, session.run()); });
  });
  if (flags.output == "-") {
    return;
  }
  if (flags.run.json) {
    json["path"] = flags.output;
    json["seconds"] = session.phases_as_json();
    print_json(json);
  } else {
    session.console().note(fmt::format("{} of {} in {}: {}", counted(flags.count, "row"),
                                       counted(rows.columns(), "column"), readable_seconds(session.total_seconds()),
                                       flags.output));
  }
}

}  // namespace

Action add_sample(CLI::App& command) {
  const auto flags = std::make_shared<SampleFlags>();
  command.add_option("MODEL", flags->model, "the file of a density, kde or histogram; - is standard input")->required();
  command.add_option("-n,--count", flags->count, "how many rows (default 100)")->type_name("N");
  command.add_option("--given", flags->given, "hold a column at a value, and draw the others as they are there")
      ->type_name("COL=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--columns", flags->columns,
                  "write these columns alone, by name or number, separated by commas: draws of their marginal density")
      ->type_name("COLS")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("-o,--output", flags->output, "CSV file of the rows (default: standard output)")
      ->type_name("FILE");
  add_run_flags(command, flags->run);
  add_examples(command,
               {"mercer sample kde.mercer -n 1000 -o new.csv", "mercer sample kde.mercer --given age=40 --seed 7",
                "mercer sample kde.mercer -n 500 --given age=40 --given bmi=25 --columns pressure", "",
                "Rows are in the units of the training data; the same seed gives the same rows."});
  return [flags](Interruption& interruption) { sample(*flags, interruption); };
}

}  // namespace mercer::program
