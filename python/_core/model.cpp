// fit() and FittedModel. A fitted model stands with the columns and scaling of its training data, as in a model file;
// new samples pass through both before the model sees them.
#include "mercer/models/model.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annotated_model.h"
#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "label_texts.h"
#include "mercer/base/error.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/density/density_units.h"
#include "mercer/models/gp/function_covariance.h"
#include "mercer/models/gp/gpc.h"
#include "mercer/models/model_parts.h"
#include "mercer/models/prior.h"
#include "mercer/models/prototypes/neighbors.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/models/svm/svr.h"
#include "preparation.h"
#include "samples.h"
#include "stored_model.h"
#include "texts.h"

namespace mercer::python {

namespace {

using Vector = InputVector<double>;
using Values = InputMatrix<double>;
using Codes = InputVector<std::int32_t>;

// ---- What a fit takes -----------------------------------------------------------------------------------------------

Targets class_targets(const Codes& codes, std::vector<std::string> levels) {
  for (const std::int32_t code : span_of(codes)) {
    if (code < 0 || code >= static_cast<std::int32_t>(levels.size())) {
      throw InvalidArgument("class number " + std::to_string(code) + " is outside the " +
                            std::to_string(levels.size()) + " classes");
    }
  }
  TargetColumn column;
  column.labels = {vector_of(codes), std::move(levels)};
  return Targets({std::move(column)});
}

std::vector<double> optional_values(const std::optional<Vector>& array) {
  return array ? vector_of(*array) : std::vector<double>{};
}

std::vector<OptionSetting> settings_of(const nb::dict& settings) {
  std::vector<OptionSetting> options;
  for (const auto& [name, value] : settings) {
    options.push_back({nb::cast<std::string>(name), nb::cast<std::string>(value)});
  }
  return options;
}

// (value, derivatives by the kernel's scale parameters).
nb::tuple evidence_of_classes(const Kernel& kernel, const nb::dict& settings, const Samples& samples,
                              const nb::object& y, const nb::sequence& classes, int threads) {
  GpcOptions options;
  apply_settings<GpcOptions>("gpc", gpc_option_table(), settings_of(settings), options);
  const TrainingData data{
      .samples = samples, .targets = targets_of(y, classes), .weights = {}, .noise = {}, .groups = {}};
  GpcEvidence evidence =
      call({.threads = threads}, [&](const Run& run) { return gpc_evidence(kernel, options, data, run); });
  return nb::make_tuple(evidence.value, to_array(std::move(evidence.gradient)));
}

// Labels that nobody says more of are texts; models without classes have none.
std::optional<LabelKind> label_kind_of(const FittedModel& model, LabelKind given) {
  return model.classes().empty() ? std::nullopt : std::optional(given);
}

// By its bytes: what cannot be written cannot be kept within another model either.
StoredModel copy_of(const StoredModel& stored, const Run& run) {
  return model_from_bytes(model_to_bytes(stored), "the prior function", run);
}

// The model whose function the fit began with; none for others.
nb::object prior_of(const StoredModel& stored) {
  const auto* const prior = dynamic_cast<const PriorModel*>(stored.preparation.prior.get());
  if (prior == nullptr) {
    return nb::none();
  }
  return nb::cast(call({}, [&](const Run& run) { return copy_of(prior->stored(), run); }));
}

StoredModel fit(const std::string& model, const std::string& kernel, const nb::dict& settings, const Samples& samples,
                const nb::object& y, std::optional<Vector> weights, std::optional<Vector> noise,
                const std::optional<std::vector<std::int32_t>>& groups, const std::optional<nb::sequence>& classes,
                const std::string& label_kind, const nb::dict& words, const Preparation* preparation,
                const StoredModel* prior, int threads, std::uint64_t seed, const nb::object& progress,
                const nb::object& log) {
  const ModelEntry& entry = find_model(model);
  const LabelKind kind = label_kind_named(label_kind);
  const std::vector<OptionSetting> options = settings_of(settings);
  TrainingData data{.samples = samples,
                    .targets = targets_of(y, classes),
                    .weights = optional_values(weights),
                    .noise = optional_values(noise),
                    .groups = groups.value_or(std::vector<std::int32_t>())};
  const std::optional<Kernel> parsed = kernel_for(entry, kernel);
  Preparation prepared_by =
      preparation != nullptr ? *preparation : Preparation{.schema = schema_with_words(samples, words)};
  return call({threads, seed, progress, log}, [&](const Run& run) {
    if (prior != nullptr) {
      prepared_by.prior = std::make_shared<const PriorModel>(copy_of(*prior, run));
    }
    if (preparation != nullptr || prior != nullptr) {
      data.samples = prepared_by.apply(samples, run);
    }
    StoredModel stored = fit_stored_model(entry, parsed, options, data, prepared_by, run);
    stored.label_kind = label_kind_of(*stored.model, kind);
    return stored;
  });
}

// ---- What a model gives ---------------------------------------------------------------------------------------------

PredictionOf prediction_of(std::string_view of) {
  if (of != "function" && of != "observation") {
    reject_argument("of", of, "'function' or 'observation'");
  }
  return of == "function" ? PredictionOf::function : PredictionOf::observation;
}

// work(model, samples, run) on a thread of its own.
template <class Work>
auto with_samples(const StoredModel& stored, const Samples& samples, const CallOptions& options, Work work) {
  return call(options,
              [&](const Run& run) { return work(*stored.model, stored.preparation.apply(samples, run), run); });
}

template <Matrix<double> (FittedModel::*function)(const Samples&, const Run&) const>
OutputMatrix<double> evaluate(const StoredModel& stored, const Samples& samples, int threads) {
  return to_array(with_samples(
      stored, samples, {.threads = threads},
      [](const FittedModel& model, const Samples& x, const Run& run) { return (model.*function)(x, run); }));
}

OutputMatrix<double> predict(const StoredModel& stored, const Samples& samples, int threads) {
  return to_array(call({.threads = threads}, [&](const Run& run) { return stored.predict(samples, run); }));
}

nb::tuple moments(const StoredModel& stored, const Samples& samples, const std::string& of, int threads) {
  PredictiveMoments result = with_samples(stored, samples, {.threads = threads},
                                          [&](const FittedModel& model, const Samples& x, const Run& run) {
                                            return model.moments(x, prediction_of(of), run);
                                          });
  return nb::make_tuple(to_array(std::move(result.mean)), to_array(std::move(result.variance)));
}

OutputMatrix<double> quantiles(const StoredModel& stored, const Samples& samples, const std::vector<double>& levels,
                               const std::string& of, int threads) {
  return to_array(with_samples(stored, samples, {.threads = threads},
                               [&](const FittedModel& model, const Samples& x, const Run& run) {
                                 return model.quantiles(x, levels, prediction_of(of), run);
                               }));
}

OutputMatrix<double> draws(const StoredModel& stored, const Samples& samples, Index count, const std::string& of,
                           std::uint64_t seed, int threads) {
  return to_array(with_samples(stored, samples, {.threads = threads, .seed = seed},
                               [&](const FittedModel& model, const Samples& x, const Run& run) {
                                 return model.draws(x, count, prediction_of(of), run);
                               }));
}

OutputMatrix<double> log_density(const StoredModel& stored, const Samples& samples, const Values& truth, int threads) {
  return to_array(with_samples(stored, samples, {.threads = threads},
                               [&](const FittedModel& model, const Samples& x, const Run& run) {
                                 return model.log_density(x, view_of(truth), run);
                               }));
}

OutputMatrix<double> covariance(const StoredModel& stored, const Samples& samples, Index output, int threads) {
  const auto* gp = offered<JointCovariance>(*stored.model);
  if (gp == nullptr) {
    throw InvalidArgument("a model " + stored.model->name() + " has no covariance; gp has");
  }
  return to_array(with_samples(
      stored, samples, {.threads = threads},
      [&](const FittedModel&, const Samples& x, const Run& run) { return gp->covariance(x, output, run); }));
}

OutputVector<double> latent_variances(const StoredModel& stored, const Samples& samples, int threads) {
  const auto* gpc = offered<LatentVariance>(*stored.model);
  if (gpc == nullptr) {
    throw InvalidArgument("a model " + stored.model->name() + " has no latent variances; gpc has");
  }
  return to_array(with_samples(
      stored, samples, {.threads = threads},
      [&](const FittedModel&, const Samples& x, const Run& run) { return gpc->latent_variances(x, run); }));
}

// Half the width of the tube: n × outputs.
auto tube_widths(const StoredModel& stored, const Samples& samples, int threads) {
  const auto* tube = offered<Tube>(*stored.model);
  if (tube == nullptr) {
    throw InvalidArgument("a model " + stored.model->name() + " has no tube; svr and nusvr have");
  }
  return to_array(with_samples(stored, samples, {.threads = threads},
                               [&](const FittedModel&, const Samples& x, const Run&) { return tube->widths_at(x); }));
}

// (squared distances, rows), n × most neighbors of any sample; fewer end in infinity and -1.
nb::tuple neighbors(const StoredModel& stored, const Samples& samples, int threads) {
  const auto* knn = offered<Neighbors>(*stored.model);
  if (knn == nullptr) {
    throw InvalidArgument("a model " + stored.model->name() + " has no neighbors; knnc and knnr have");
  }
  const auto found =
      with_samples(stored, samples, {.threads = threads},
                   [&](const FittedModel&, const Samples& x, const Run& run) { return knn->neighbors(x, run); });
  std::size_t most = 0;
  for (const std::vector<NearRow>& row : found) {
    most = std::max(most, row.size());
  }
  const auto count = static_cast<Index>(found.size());
  const auto columns = static_cast<Index>(most);
  auto distances = Matrix<double>::filled(count, columns, std::numeric_limits<double>::infinity());
  auto rows = Matrix<std::int64_t>::filled(count, columns, -1);
  for (Index i = 0; i < count; ++i) {
    const std::vector<NearRow>& near = found[i];
    for (std::size_t j = 0; j < near.size(); ++j) {
      distances(i, static_cast<Index>(j)) = near[j].squared_distance;
      rows(i, static_cast<Index>(j)) = near[j].row;
    }
  }
  return nb::make_tuple(to_array(std::move(distances)), to_array(std::move(rows)));
}

// ---- What is known of a model ---------------------------------------------------------------------------------------

nb::dict report(const StoredModel& stored) {
  const FitReport& report = stored.model->report();
  nb::dict phases;
  for (const FitReport::Phase& phase : report.phases) {
    phases[phase.name.c_str()] = phase.seconds;
  }
  nb::dict measures;
  for (const FitReport::Measure& measure : report.measures) {
    measures[text_of(measure.name)] = measure.value;  // labels of classes stand in names
  }
  nb::dict result;
  result["status"] = std::string(to_string(report.status));
  result["iterations"] = report.iterations;
  result["objective_name"] = report.objective_name;
  result["objective"] = report.objective;
  result["phases"] = phases;
  result["measures"] = measures;
  result["notes"] = texts_of(report.note_texts());
  if (const Preparation& preparation = stored.preparation; preparation.coding.is_fitted) {
    result["columns"] = text_of(describe(preparation.schema, preparation.coding), OddBytes::readable);
  }
  return result;
}

template <HasWords Enum>
Enum word_from(const std::string& word, const char* what) {
  if (const auto found = find_word<Enum>(word)) {
    return *found;
  }
  throw InvalidArgument("there is no " + std::string(what) + " '" + word + "'");
}

// What a fact is about, and its value: {"": 0.3} where there is one.
nb::dict facts(const StoredModel& stored, const std::string& word) {
  const Fact fact = word_from<Fact>(word, "fact");
  nb::dict result;
  for (const FitReport::Measure& measure : stored.model->report().measures) {
    if (measure.fact == fact) {
      result[text_of(measure.about)] = measure.value;
    }
  }
  return result;
}

nb::dict settings_dict(const std::vector<OptionSetting>& settings) {
  nb::dict result;
  for (const OptionSetting& setting : settings) {
    result[setting.name.c_str()] = text_of(setting.value);
  }
  return result;
}

nb::dict arrays(const StoredModel& stored) {
  ModelParts parts = parts_of(*stored.model);
  nb::dict result;
  for (auto& [name, matrix] : parts.numbers) {
    result[name.c_str()] = to_array(std::move(matrix));
  }
  for (auto& [name, matrix] : parts.integers) {
    result[name.c_str()] = to_array(std::move(matrix));
  }
  return result;
}

// Of the functions beside the kernel, one per row of "parametric".
std::vector<std::string> function_names(const StoredModel& stored) {
  const Expansion* const expansion = stored.model->expansion_form();
  return expansion == nullptr ? std::vector<std::string>()
                              : ParametricFunctions(expansion->parametric_part(), expansion->centers()).names();
}

// The functions of the width of a tube: one, "1", where it is the same everywhere.
std::vector<std::string> tube_names(const StoredModel& stored) {
  const auto* const model = dynamic_cast<const SvrModel*>(stored.model.get());
  const auto* const options = model == nullptr ? nullptr : std::get_if<NuSvrOptions>(&model->parts().options);
  return options == nullptr ? std::vector<std::string>{"1"} : options->tube.names(model->expansion().centers());
}

bool has_array(const StoredModel& stored, const std::string& name) {
  const ModelParts part = part_of(*stored.model, name);
  return !part.numbers.empty() || !part.integers.empty();
}

nb::object array(const StoredModel& stored, const std::string& name) {
  ModelParts part = part_of(*stored.model, name);
  if (!part.numbers.empty()) {
    return nb::cast(to_array(std::move(part.numbers.begin()->second)));
  }
  if (!part.integers.empty()) {
    return nb::cast(to_array(std::move(part.integers.begin()->second)));
  }
  throw InvalidArgument("a model " + stored.model->name() + " has no array '" + name + "'");
}

nb::dict words(const StoredModel& stored) {
  nb::dict result;
  for (const auto& [name, word] : parts_of(*stored.model).words) {
    result[name.c_str()] = text_of(word);
  }
  return result;
}

nb::dict settings(const StoredModel& stored) { return settings_dict(stored.model->head().settings); }

std::vector<std::string> sample_set_names(const StoredModel& stored) {
  std::vector<std::string> names;
  for (const auto& [name, samples] : parts_of(*stored.model).samples) {
    names.push_back(name);
  }
  return names;
}

nb::object sample_set(const StoredModel& stored, const std::string& name) {
  const ModelParts part = part_of(*stored.model, name);
  if (part.samples.empty()) {
    throw InvalidArgument("a model " + stored.model->name() + " has no samples '" + name + "'");
  }
  return to_python(part.samples.begin()->second);
}

nb::list feature_names(const StoredModel& stored) {
  nb::list names;
  for (const SchemaColumn& column : stored.preparation.schema.columns) {
    names.append(text_of(column.name));
  }
  return names;
}

nb::object label_kind(const StoredModel& stored) {
  return stored.label_kind ? nb::object(text_of(to_string(*stored.label_kind))) : nb::none();
}

nb::dict annotations(const StoredModel& stored) {
  nb::dict result;
  for (const auto& [front, text] : stored.annotations) {
    result[text_of(front)] = text_of(text);
  }
  return result;
}

nb::bytes to_bytes(const StoredModel& stored, const std::map<std::string, std::string>& more) {
  const AnnotatedModel annotated(stored, more);
  const std::string bytes = call({}, [&](const Run&) { return model_to_bytes(annotated.get()); });
  return nb::bytes(bytes.data(), bytes.size());
}

void save(const StoredModel& stored, const std::string& path, const std::map<std::string, std::string>& more) {
  const AnnotatedModel annotated(stored, more);
  run_call({}, [&](const Run&) { save_model(path, annotated.get()); });
}

StoredModel from_bytes(const nb::bytes& bytes, int threads) {
  return call({.threads = threads}, [&](const Run& run) {
    return model_from_bytes({bytes.c_str(), bytes.size()}, "the model's bytes", run);
  });
}

void bind_predictions(nb::class_<StoredModel>& model) {
  model.def("predict", &predict, nb::arg("x"), nb::arg("threads") = 0)
      .def("decide", &evaluate<&FittedModel::decide>, nb::arg("x"), nb::arg("threads") = 0)
      .def("probabilities", &evaluate<&FittedModel::probabilities>, nb::arg("x"), nb::arg("threads") = 0)
      .def("reconstruct", &evaluate<&FittedModel::reconstruct>, nb::arg("x"), nb::arg("threads") = 0)
      .def("moments", &moments, nb::arg("x"), nb::arg("of") = "function", nb::arg("threads") = 0)
      .def("quantiles", &quantiles, nb::arg("x"), nb::arg("levels"), nb::arg("of") = "observation",
           nb::arg("threads") = 0)
      .def("draws", &draws, nb::arg("x"), nb::arg("count"), nb::arg("of") = "function", nb::arg("seed") = 0,
           nb::arg("threads") = 0)
      .def("log_density", &log_density, nb::arg("x"), nb::arg("truth"), nb::arg("threads") = 0)
      .def("covariance", &covariance, nb::arg("x"), nb::arg("output") = 0, nb::arg("threads") = 0)
      .def("neighbors", &neighbors, nb::arg("x"), nb::arg("threads") = 0)
      .def("tube_widths", &tube_widths, nb::arg("x"), nb::arg("threads") = 0)
      .def("latent_variances", &latent_variances, nb::arg("x"), nb::arg("threads") = 0);
}

void bind_facts(nb::class_<StoredModel>& model) {
  model.def_prop_ro("name", [](const StoredModel& stored) { return stored.model->name(); })
      .def_prop_ro("task", [](const StoredModel& stored) { return std::string(to_string(stored.model->task())); })
      .def_prop_ro("kernel",
                   [](const StoredModel& stored) {
                     return stored.model->has_kernel() ? stored.model->kernel().spec() : std::string();
                   })
      .def_prop_ro("requested_kernel", [](const StoredModel& stored) { return stored.model->head().requested_kernel; })
      .def_prop_ro("report", &report)
      .def_prop_ro("classes", [](const StoredModel& stored) { return texts_of(stored.model->classes()); })
      .def_prop_ro("label_kind", &label_kind)
      .def_prop_ro("annotations", &annotations)
      .def_prop_ro("output_names", [](const StoredModel& stored) { return texts_of(stored.model->output_names()); })
      .def_prop_ro("decision_names", [](const StoredModel& stored) { return texts_of(stored.model->decision_names()); })
      .def_prop_ro("has_probabilities", [](const StoredModel& stored) { return stored.model->has_probabilities(); })
      .def_prop_ro("has_reconstruction", [](const StoredModel& stored) { return stored.model->has_reconstruction(); })
      .def_prop_ro("has_distribution", [](const StoredModel& stored) { return stored.model->has_distribution(); })
      .def(
          "has_distribution_of",
          [](const StoredModel& stored, const std::string& of) {
            return stored.model->has_distribution_of(prediction_of(of));
          },
          nb::arg("of"))
      .def_prop_ro("columns", [](const StoredModel& stored) { return stored.preparation.schema.numeric_columns; })
      .def_prop_ro("feature_names", &feature_names)
      .def_prop_ro("schema", [](const StoredModel& stored) { return columns_of(stored.preparation.schema); })
      .def_prop_ro("prior", &prior_of)
      .def_prop_ro("preparation", [](const StoredModel& stored) { return stored.preparation; })
      .def("facts", &facts, nb::arg("name"))
      .def(
          "fact",
          [](const StoredModel& stored, const std::string& name) {
            return stored.model->report().measured(word_from<Fact>(name, "fact"));
          },
          nb::arg("name"))
      .def(
          "notes",
          [](const StoredModel& stored, const std::string& kind) {
            return texts_of(stored.model->report().note_texts(word_from<NoteKind>(kind, "kind of note")));
          },
          nb::arg("kind"))
      .def_prop_ro("origin",
                   [](const StoredModel& stored) { return settings_dict(stored.model->head().origin.settings); })
      .def("arrays", &arrays)
      .def("array", &array, nb::arg("name"))
      .def("has_array", &has_array, nb::arg("name"))
      .def("function_names", &function_names)
      .def("tube_names", &tube_names)
      .def("words", &words)
      .def("settings", &settings)
      .def_prop_ro("sample_set_names", &sample_set_names)
      .def("sample_set", &sample_set, nb::arg("name"));
}

void bind_files(nb::class_<StoredModel>& model) {
  const std::map<std::string, std::string> none;
  model.def("to_bytes", &to_bytes, nb::arg("annotations") = none)
      .def_static("from_bytes", &from_bytes, nb::arg("data"), nb::arg("threads") = 0)
      .def("save", &save, nb::arg("path"), nb::arg("annotations") = none)
      .def_static(
          "load",
          [](const std::string& path, int threads) {
            return call({.threads = threads}, [&](const Run& run) { return load_model(path, run); });
          },
          nb::arg("path"), nb::arg("threads") = 0)
      .def("__getstate__", [](const StoredModel& stored) { return to_bytes(stored, {}); })
      .def("__setstate__",
           [](StoredModel& self, const nb::bytes& bytes) { new (&self) StoredModel(from_bytes(bytes, 0)); });
}

}  // namespace

Targets targets_of(const nb::object& y, const std::optional<nb::sequence>& classes) {
  if (y.is_none()) {
    return {};
  }
  if (Codes codes; classes && nb::try_cast(y, codes)) {
    return class_targets(codes, bytes_of(*classes));
  }
  if (Vector values; nb::try_cast(y, values)) {
    return Targets::numeric(vector_of(values));
  }
  if (Values values; nb::try_cast(y, values)) {
    return Targets::numeric(view_of(values));
  }
  if (std::vector<std::string> labels; nb::try_cast(y, labels)) {
    return Targets::classes(labels);
  }
  throw nb::type_error("y must be an array of numbers (n or n x outputs) or a list of labels");
}

void bind_model(nb::module_& module) {
  nb::class_<StoredModel> model(module, "FittedModel", "A model that was fitted; only fit() and files make one.");
  bind_predictions(model);
  bind_facts(model);
  bind_files(model);
  module.def("gpc_evidence", &evidence_of_classes, nb::arg("kernel"), nb::arg("settings"), nb::arg("x"), nb::arg("y"),
             nb::arg("classes"), nb::arg("threads") = 0);
  module.def("fit", &fit, nb::arg("model"), nb::arg("kernel"), nb::arg("settings"), nb::arg("x"),
             nb::arg("y").none() = nb::none(), nb::arg("sample_weight").none() = nb::none(),
             nb::arg("noise").none() = nb::none(), nb::arg("groups").none() = nb::none(),
             nb::arg("classes").none() = nb::none(), nb::arg("label_kind") = "text", nb::arg("words") = nb::dict(),
             nb::arg("preparation").none() = nb::none(), nb::arg("prior").none() = nb::none(), nb::arg("threads") = 0,
             nb::arg("seed") = 0, nb::arg("progress").none() = nb::none(), nb::arg("log").none() = nb::none());
}

}  // namespace mercer::python
