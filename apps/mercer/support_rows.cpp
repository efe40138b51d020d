#include "support_rows.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/io/model_file.h"
#include "mercer/models/svm/support_machine.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Rows are known by their numbers, which rows that are dropped in one reading and not in the other would shift.
void require_classes_of(const FittedModel& model, const DataFile& data, const std::string& path,
                        const std::string& file) {
  const auto* const machines = offered<ClassMachines>(model);
  const auto* const support = offered<SupportRows>(model);
  if (machines == nullptr || support == nullptr || !data.targets || data.targets->outputs() != 1) {
    return;
  }
  const ClassLabels labels = data.targets->labels(0);
  for (std::size_t s = 0; s < support->support_rows().size(); ++s) {
    const Index row = support->support_rows()[s];
    const std::int32_t code = labels.codes[row];
    const std::string& expected = model.classes()[machines->support_classes()[s]];
    if (code < 0 || labels.levels[code] != expected) {
      throw DataError({file}, fmt::format("row {} is not of class '{}', as that support vector of {} is: give the file "
                                          "that this model was fitted to, read with the same flags",
                                          row + 1, expected, path));
    }
  }
}

}  // namespace

void keep_support_rows(DataFile& data, const std::string& path, const std::string& file, Session& session) {
  const StoredModel stored = session.timed("load", [&] { return load_model(path, session.run()); });
  const std::vector<Index> rows = reading("--rows-of " + path, [&] { return support_rows_of(*stored.model); });
  const Index all = data.samples.size();
  if (!rows.empty() && rows.back() >= all) {
    throw DataError({file}, fmt::format("it has {}, and the last support vector of {} is row {} of its training rows: "
                                        "give the file that this model was fitted to",
                                        counted(all, "row"), path, rows.back() + 1));
  }
  require_classes_of(*stored.model, data, path, file);
  keep_rows(data, rows);
  session.console().note(fmt::format("{} of {} are support vectors of {}: the fit is to these",
                                     static_cast<Index>(rows.size()), counted(all, "row"), path));
}

namespace {

Json as_json(const Overlap& overlap) {
  return {{"own", overlap.own}, {"other", overlap.other}, {"both", overlap.both}, {"share", overlap.share()}};
}

Json by_name(const std::vector<Overlap>& list) {
  Json json = Json::object();
  for (const Overlap& overlap : list) {
    json[overlap.name] = as_json(overlap);
  }
  return json;
}

}  // namespace

Json as_json(const SupportOverlap& overlap) {
  Json json = {{"all", as_json(overlap.all)}};
  if (!overlap.machines.empty()) {
    json["machines"] = by_name(overlap.machines);
  }
  if (!overlap.classes.empty()) {
    json["classes"] = by_name(overlap.classes);
  }
  return json;
}

std::string as_text(const SupportOverlap& overlap, const std::string& path, const std::string& other) {
  TextTable table({"support vectors", "own", "other's", "both", "of the other's"},
                  {Align::left, Align::right, Align::right, Align::right, Align::right});
  const auto add = [&](const Overlap& line) {
    table.add({line.name, std::to_string(line.own), std::to_string(line.other), std::to_string(line.both),
               readable(100 * line.share(), 4) + " %"});
  };
  add(overlap.all);
  for (const std::vector<Overlap>* list : {&overlap.machines, &overlap.classes}) {
    for (const Overlap& line : *list) {
      add(line);
    }
  }
  return fmt::format("\n{} beside {}, by the numbers of their training rows\n", path, other) + table.text("  ");
}

}  // namespace mercer::program
