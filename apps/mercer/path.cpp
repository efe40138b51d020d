#include "path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "json_table.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/write_data.h"
#include "mercer/models/ridge/ridge_path.h"
#include "mercer/models/svm/svc.h"
#include "mercer/select/path/svc_model_path.h"
#include "session.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct PathFlags : TrainingFlags {
  std::string events;
  double max_c = 1e6;
};

// The table that is written, and what is said of it.
struct PathTable {
  std::vector<std::string> machines;  // a first column of names, or empty
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  Json summary;
  std::string text;
};

struct Problem : TrainingPlan {
  TrainingData data;
};

Matrix<double> as_matrix(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  Matrix<double> matrix(static_cast<Index>(rows.size()), static_cast<Index>(columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), matrix.view().row_data(static_cast<Index>(i)));
  }
  return matrix;
}

std::vector<std::string> path_headings(const PathTable& table) {
  std::vector<std::string> names = table.names;
  if (!table.machines.empty()) {
    names.insert(names.begin(), "machine");
  }
  return names;
}

// `names`: of the texts, where there are any, and of the numbers.
void write_table(const std::string& path, const std::vector<std::string>& texts, const std::vector<std::string>& names,
                 const std::vector<std::vector<double>>& rows) {
  const Matrix<double> matrix = as_matrix(rows, names.size() - (texts.empty() ? 0 : 1));
  if (texts.empty()) {
    write_csv(path, matrix.view(), names);
  } else {
    write_csv(path, texts, matrix.view(), names);
  }
}

// A path has no place for the option that it runs through, nor for how one solution of it would be found.
void require_path_options(const ModelEntry& entry, const std::vector<OptionSetting>& settings) {
  const std::vector<std::string> allowed = &entry == &svc_entry()
                                               ? std::vector<std::string>{"class_weight", "uncertain", "memory_mb"}
                                               : std::vector<std::string>{"parametric", "form", "memory_mb"};
  for (const OptionSetting& setting : settings) {
    if (std::find(allowed.begin(), allowed.end(), setting.name) == allowed.end()) {
      throw UsageError(fmt::format("--set {}: means nothing for the path of {}; these do: {}", setting.name, entry.name,
                                   join(allowed, ", ")));
    }
  }
}

Problem read_problem(const PathFlags& flags, Session& session) {
  if (flags.model != "svc" && flags.model != "ridge") {
    throw UsageError(fmt::format("{}: paths are known of svc and ridge", flags.model));
  }
  Problem problem{plan_training_at_values(flags), {}};
  const ModelEntry& entry = *problem.entry;
  require_path_options(entry, problem.settings);
  DataFile data = session.read(flags.file, flags.read_options(problem));
  require_usable(data, flags, entry);
  know_columns(problem, flags, data);
  problem.data = prepare_training(flags, problem, std::move(data), session).training;
  session.bound_memory();
  return problem;
}

PathTable svc_table(const PathFlags& flags, const Problem& problem, Session& session) {
  SvcOptions options;
  apply_settings<SvcOptions>("svc", svc_option_table(), problem.settings, options);
  const SvcModelPath paths = session.timed("path", [&] {
    return naming_file(flags.file, [&] {
      return svc_model_path(*problem.kernel, options, problem.data, {.max_C = flags.max_c}, session.run());
    });
  });
  PathTable table;
  table.names = {"C", "offset", "free", "bound", "squared_norm", "objective", "training_error"};
  table.summary["kernel"] = paths.kernel.spec();
  std::vector<std::string> event_texts;
  std::vector<std::vector<double>> event_rows;
  for (const MachinePath& machine : paths.machines) {
    const auto n = static_cast<double>(machine.rows.size());
    for (const SvcPathPoint& point : machine.path.points()) {
      if (paths.machines.size() > 1) {
        table.machines.push_back(machine.machine);
      }
      table.rows.push_back({point.C, point.offset, static_cast<double>(point.free), static_cast<double>(point.bound),
                            point.squared_norm, point.objective, static_cast<double>(point.training_errors) / n});
    }
    for (const PathEvent& event : machine.path.events()) {
      event_texts.push_back(paths.machines.size() > 1 ? fmt::format("{}: {}", machine.machine, to_string(event.kind))
                                                      : std::string(to_string(event.kind)));
      event_rows.push_back({event.C, static_cast<double>(machine.rows[event.row])});
    }
    const bool complete = std::isinf(machine.path.end());
    table.summary["machines"].push_back({{"machine", machine.machine},
                                         {"rows", machine.rows.size()},
                                         {"points", machine.path.points().size()},
                                         {"events", machine.path.events().size()},
                                         {"complete", complete}});
    table.text +=
        fmt::format("  {}: {}, {}{}\n", machine.machine, counted(static_cast<Index>(machine.rows.size()), "row"),
                    counted(static_cast<Index>(machine.path.events().size()), "event"),
                    complete ? ", nothing moves beyond the last" : "");
  }
  if (!flags.events.empty()) {
    session.write(flags.events, [&] { write_table(flags.events, event_texts, {"event", "C", "row"}, event_rows); });
  }
  return table;
}

PathTable ridge_table(const PathFlags& flags, const Problem& problem, Session& session) {
  if (!flags.events.empty()) {
    throw UsageError("--events: the path of ridge is smooth, it has no events");
  }
  RidgeOptions options;
  apply_settings<RidgeOptions>("ridge", ridge_option_table(), problem.settings, options);
  const RidgePath path = session.timed("path", [&] {
    return naming_file(flags.file, [&] { return ridge_path(*problem.kernel, options, problem.data, session.run()); });
  });
  PathTable table;
  table.names = {"lambda", "degrees_of_freedom", "loo_rmse", "gcv", "residual_squares", "squared_norm", "curvature"};
  for (const RidgePathPoint& point : path.points) {
    table.rows.push_back({point.lambda, point.degrees_of_freedom, point.loo_rmse, point.gcv, point.residual_squares,
                          point.squared_norm, point.curvature});
  }
  const RidgePathPoint& loo = path.points[path.best_loo];
  const RidgePathPoint& gcv = path.points[path.best_gcv];
  table.summary["best_loo"] = {{"lambda", loo.lambda}, {"loo_rmse", loo.loo_rmse}};
  table.summary["best_gcv"] = {{"lambda", gcv.lambda}, {"gcv", gcv.gcv}};
  table.text = fmt::format("  least leave-one-out RMSE {} at lambda = {}, least GCV {} at lambda = {}\n",
                           readable(loo.loo_rmse), readable(loo.lambda), readable(gcv.gcv), readable(gcv.lambda));
  table.summary["corner"] = nullptr;
  if (path.corner) {
    table.summary["corner"] = {{"lambda", path.corner->lambda},
                               {"residual_squares", path.corner->residual_squares},
                               {"squared_norm", path.corner->squared_norm}};
    table.text += fmt::format("  corner of the L-curve at lambda = {}\n", readable(path.corner->lambda));
  }
  return table;
}

void path(const PathFlags& flags, Interruption& interruption) {
  if (!(flags.max_c > 0)) {
    throw UsageError(fmt::format("--max-c {}: must be positive", flags.max_c));
  }
  FileRoles files = training_files(flags);
  files.writes("the table", "-o", flags.output, OutputContent::table);
  files.writes("the list of events", "--events", flags.events, OutputContent::table);
  if (flags.run.json) {
    files.prints("the summary");
  }
  files.check();
  Session session(flags.run, interruption);
  const Problem problem = read_problem(flags, session);
  const PathTable table =
      flags.model == "svc" ? svc_table(flags, problem, session) : ridge_table(flags, problem, session);
  session.console().clear();
  Json json = {{"model", flags.model}, {"points", table.rows.size()}};
  json.update(table.summary);
  if (flags.run.json && flags.output == "-") {
    json["columns"] = path_headings(table);
    json["seconds"] = session.phases_as_json();
    print_json_table(json, table.machines, as_matrix(table.rows, table.names.size()).view());
    return;
  }
  session.write(flags.output, [&] { write_table(flags.output, table.machines, path_headings(table), table.rows); });
  const bool to_output = flags.output == "-" || flags.events == "-";
  const Destination destination = to_output ? Destination::standard_error : Destination::standard_output;
  if (flags.run.json) {
    json["path"] = flags.output;
    json["seconds"] = session.phases_as_json();
    print_json(json, destination);
  } else if (!flags.run.quiet) {
    tell(fmt::format("path of {}: {}\n{}", flags.model, counted(static_cast<Index>(table.rows.size()), "point"),
                     table.text),
         destination);
  }
}

}  // namespace

Action add_path(CLI::App& command) {
  const auto flags = std::make_shared<PathFlags>();
  flags->output = "-";
  command.add_option("MODEL", flags->model, "svc (all C) or ridge (a range of lambda)")->required();
  command.add_option("DATA", flags->file, "training data; - is standard input")->required();
  command.add_option("-k,--kernel", flags->kernel, "the kernel (default: the model's)")->type_name("SPEC");
  command.add_option("-s,--set", flags->settings, "an option of the model, such as class_weight")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--scale", flags->scale, "as for 'mercer fit'")->type_name("RULE");
  command.add_option("--weights", flags->weights, "column of weights of the rows")->type_name("COL");
  command.add_option("--max-c", flags->max_c, "svc: where to end (default 1e6)")->type_name("NUMBER");
  command.add_option("--events", flags->events, "svc: which row did what at which C, as CSV")->type_name("FILE");
  command.add_option("-o,--output", flags->output, "the table as CSV (default: standard output)")->type_name("FILE");
  add_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer path svc train.csv --target label --kernel \"rbf(gamma=0.1)\" -o path.csv",
                         "mercer path svc train.csv -t label --max-c 100 --events events.csv -o path.csv",
                         "mercer path ridge train.csv -t price -o path.csv"});
  return [flags](Interruption& interruption) { path(*flags, interruption); };
}

}  // namespace mercer::program
