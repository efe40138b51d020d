#include "mercer/io/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/version.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/data/segmented_array.h"
#include "mercer/io/checksum.h"
#include "mercer/io/model_header.h"
#include "mercer/io/older_reports.h"
#include "mercer/io/safetensors.h"
#include "mercer/io/stored_samples.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/decisions.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prior.h"

namespace mercer {

namespace {

using Json = nlohmann::json;

constexpr const char* metadata_key = "mercer";
constexpr int deepest_header = 16;
constexpr const char* prior_tensor = "prior.model";
// Priors of priors: each holds the bytes of all before it.
constexpr int most_priors = 16;
// Since then, integers, words, facts of reports and kinds of notes are stored as such.
constexpr Index first_typed_format = 3;

// ---- Writing ------------------------------------------------------------------------------------------------------

void store_vector(TensorFile& file, const std::string& name, const std::vector<double>& values) {
  const auto owner = std::make_shared<const std::vector<double>>(values);
  file.tensors.emplace(name, tensor_of(owner->data(), {static_cast<Index>(owner->size())}, owner));
}

// A file that would be refused when it is read is not written.
void require_readable(const std::string& model, const std::string& name, const Matrix<double>& array) {
  const double* const end = array.data() + array.rows() * array.columns();
  if (!std::all_of(array.data(), end, [](double value) { return std::isfinite(value); })) {
    throw NumericalError("the " + model + " model was not written: '" + name +
                         "' holds a number that is not finite. Take other units of the data, or a larger penalty");
  }
}

// A kernel of the caller's own code has a name in its text that the parser does not know.
void require_known_kernel(const ModelState& state) {
  if (state.kernel.empty()) {
    return;
  }
  try {
    parse_kernel(state.kernel);
  } catch (const Error& error) {
    throw InvalidArgument("the " + state.head.name + " model was not written: its kernel " + state.kernel +
                          " is made of code that no file can hold (" + error.what() +
                          "). Write a model with a kernel of the language, or one fitted to precomputed()");
  }
}

Json store_texts(const std::vector<std::string>& texts) {
  Json result = Json::array();
  for (const std::string& text : texts) {
    result.push_back(store_text(text));
  }
  return result;
}

Json store_head(const ModelState& state) {
  const ModelHead& head = state.head;
  Json header = {{"library", library_version},
                 {"model", head.name},
                 {"requested_kernel", store_text(head.requested_kernel)},
                 {"kernel", store_text(state.kernel)},
                 {"settings", store_settings(head.settings)},
                 {"report", store_report(head.report)},
                 {"outputs", store_texts(head.output_names)}};
  if (!head.classes.empty()) {
    header["classes"] = store_texts(head.classes);
  }
  if (!head.class_shares.empty()) {
    header["class_shares"] = head.class_shares;
  }
  if (head.decision.is_given()) {
    header["decision"] = store_decision(head.decision);
  }
  if (!head.origin.name.empty()) {
    header["origin"] = {{"model", head.origin.name}, {"settings", store_settings(head.origin.settings)}};
  }
  return header;
}

// The prior function is a model file within the file.
void store_prior(const StoredModel& stored, Json& header, TensorFile& file) {
  const auto* const prior = dynamic_cast<const PriorModel*>(stored.preparation.prior.get());
  if (prior == nullptr) {
    throw InvalidArgument(
        "the " + stored.model->name() +
        " model was not written: its prior function is made of code that no file can hold. Begin with "
        "a model");
  }
  const auto bytes = std::make_shared<const std::string>(model_to_bytes(prior->stored()));
  file.tensors.emplace(prior_tensor, tensor_of(bytes->data(), {static_cast<Index>(bytes->size())}, bytes));
  header["prior"] = stored.model->adds_offsets();
}

void store_surroundings(const StoredModel& stored, Json& header, TensorFile& file) {
  const bool is_coded = stored.preparation.coding.is_fitted;
  header["format"] = stored.model->head().decision.is_given() ? decision_format_version
                     : stored.preparation.prior               ? prior_format_version
                     : is_coded                               ? coded_format_version
                                                              : model_format_version;
  header["schema"] = store_schema(stored.preparation.schema);
  if (is_coded) {
    header["coding"] = store_coding(stored.preparation.coding);
  }
  if (stored.preparation.embedding) {
    header["embedding"] = store_embedding(*stored.preparation.embedding);
  }
  header["scaling"] = {{"rule", to_string(stored.preparation.scaling.rule)}, {"base", stored.preparation.scaling.base}};
  if (stored.label_kind) {
    header["label_kind"] = to_string(*stored.label_kind);
  }
  if (stored.preparation.precision != StoredPrecision::float64) {
    header["precision"] = to_string(stored.preparation.precision);
  }
  if (!stored.annotations.empty()) {
    header["annotations"] = store_annotations(stored.annotations);
  }
  if (stored.preparation.prior) {
    store_prior(stored, header, file);
  }
  store_vector(file, "scaling.offset", stored.preparation.scaling.offset);
  store_vector(file, "scaling.factor", stored.preparation.scaling.factor);
}

// Names of the arrays go into the header, the numbers, which the owner keeps alive, into tensors.
template <class T>
void store_arrays(const std::map<std::string, Matrix<T>>& arrays, const std::shared_ptr<const ModelState>& owner,
                  Json& header, TensorFile& file) {
  for (const auto& [name, array] : arrays) {
    header["arrays"].push_back(name);
    if (!file.tensors.emplace(name, tensor_of(array.data(), {array.rows(), array.columns()}, owner)).second) {
      throw InvalidArgument("a model names two of its arrays or samples '" + name + "'");
    }
  }
}

TensorFile to_tensors(const StoredModel& stored) {
  const auto state = std::make_shared<const ModelState>(state_of(*stored.model));
  require_known_kernel(*state);
  TensorFile file;
  Json header = store_head(*state);
  store_surroundings(stored, header, file);
  header["samples"] = Json::object();
  for (const auto& [name, samples] : state->parts.samples) {
    header["samples"][name] = store_samples(samples, name, file);
  }
  for (const auto& [name, array] : state->parts.numbers) {
    require_readable(state->head.name, name, array);
  }
  header["arrays"] = Json::array();
  store_arrays(state->parts.numbers, state, header, file);
  store_arrays(state->parts.integers, state, header, file);
  header["words"] = state->parts.words;
  file.metadata.emplace(metadata_key, header.dump());
  return file;
}

// ---- Reading ------------------------------------------------------------------------------------------------------

Json parse_header(const std::string& text) {
  const auto depth_limit = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_header) {
      throw DataError("the description of the model is nested too deeply");
    }
    return true;
  };
  try {
    return Json::parse(text, depth_limit);
  } catch (const Json::exception& error) {
    throw DataError("the description of the model is not JSON: " + std::string(error.what()));
  }
}

template <class T>
Matrix<T> restore_array(const std::string& name, const TensorFile& file) {
  const Tensor& tensor = file.require(name, tensor_type_of<T>(), 2);
  Matrix<T> array(tensor.shape[0], tensor.shape[1]);
  std::copy_n(reinterpret_cast<const T*>(tensor.data), tensor.count(), array.data());
  return array;
}

std::vector<double> restore_vector(const std::string& name, const TensorFile& file) {
  const Tensor& tensor = file.require(name, TensorType::f64, 1);
  const auto* const values = reinterpret_cast<const double*>(tensor.data);
  std::vector<double> result(values, values + tensor.count());
  if (!std::all_of(result.begin(), result.end(), [](double value) { return std::isfinite(value); })) {
    throw DataError("the tensor '" + name + "' holds a number that is not finite");
  }
  return result;
}

Scaling restore_scaling(const Json& value, const TensorFile& file) {
  Scaling scaling{.rule = parse_scaling(json_text(value, "rule")),
                  .base = json_number(value, "base"),
                  .offset = restore_vector("scaling.offset", file),
                  .factor = restore_vector("scaling.factor", file)};
  if (scaling.offset.size() != scaling.factor.size() || !std::isfinite(scaling.base)) {
    throw DataError("the scaling has " + std::to_string(scaling.offset.size()) + " offsets and " +
                    std::to_string(scaling.factor.size()) + " factors, or no finite base");
  }
  return scaling;
}

std::vector<std::string> restore_texts(const Json& list) {
  std::vector<std::string> texts;
  std::ranges::transform(list, std::back_inserter(texts), restore_text);
  return texts;
}

ModelHead restore_head(const Json& header, Index version) {
  ModelHead head{.name = json_text(header, "model"),
                 .requested_kernel = json_text(header, "requested_kernel"),
                 .settings = restore_settings(json_member(header, "settings")),
                 .output_names = restore_texts(json_list(header, "outputs")),
                 .report = restore_report(json_member(header, "report"))};
  if (header.contains("classes")) {
    head.classes = restore_texts(json_list(header, "classes"));
  }
  if (header.contains("class_shares")) {
    head.class_shares = restore_class_shares(json_list(header, "class_shares"), head.classes.size());
  }
  if (header.contains("origin")) {
    const Json& origin = header["origin"];
    head.origin = {json_text(origin, "model"), restore_settings(json_member(origin, "settings"))};
  }
  if (version < first_typed_format) {
    type_older_report(head);
  }
  return head;
}

ModelParts restore_parts(const Json& header, const TensorFile& file) {
  ModelParts parts;
  for (const std::string& name : restore_texts(json_list(header, "arrays"))) {
    if (file.require(name).type == TensorType::i64) {
      parts.integers.emplace(name, restore_array<Index>(name, file));
    } else {
      parts.numbers.emplace(name, restore_array<double>(name, file));
    }
  }
  const Json& samples = json_object(header, "samples");
  for (const auto& [name, description] : samples.items()) {
    parts.samples.emplace(name, restore_samples(description, name, file));
  }
  if (header.contains("words")) {
    for (const auto& [name, word] : json_object(header, "words").items()) {
      parts.words.emplace(name, restore_text(word));
    }
  }
  return parts;
}

// A damaged version number cannot switch the check off either: files of format 1 have no such key.
void require_undamaged(Index version, const TensorFile& file, const Buffer<char>& bytes) {
  if (version != 1 || file.metadata.contains(checksum_key)) {
    require_checksum(file, {bytes.data(), static_cast<std::size_t>(bytes.size())});
  }
}

StoredModel from_tensors(const TensorFile& file, const Buffer<char>& bytes, int priors_left, const Run& run);

std::shared_ptr<const PriorModel> restore_prior(const TensorFile& file, int priors_left, const Run& run) {
  if (priors_left == 0) {
    throw DataError("a prior function begins with another one, and that with another, more than " +
                    std::to_string(most_priors) + " times");
  }
  const Tensor& tensor = file.require(prior_tensor, TensorType::u8, 1);
  const auto bytes = std::make_shared<Buffer<char>>(tensor.count());
  std::copy_n(tensor.data, tensor.count(), bytes->data());
  return std::make_shared<const PriorModel>(from_tensors(parse_safetensors(bytes), *bytes, priors_left - 1, run));
}

void require_fitting_prior(const FittedModel& model, const PriorModel& prior) {
  if (!find_model(model.name()).takes_prior ||
      model.output_names().size() != prior.stored().model->output_names().size()) {
    throw DataError("the prior function is none for this model: it has other outputs, or the model takes none");
  }
}

void restore_rule(const Json& value, FittedModel& model) {
  try {
    decide_by(model, restore_decision(value));
  } catch (const InvalidArgument& error) {
    throw DataError("the decision rule is none for this model: " + std::string(error.what()));
  }
}

StoredModel from_tensors(const TensorFile& file, const Buffer<char>& bytes, int priors_left, const Run& run) {
  const auto text = file.metadata.find(metadata_key);
  if (text == file.metadata.end()) {
    throw DataError("a safetensors file, but not a model of this library: it has no metadata '" +
                    std::string(metadata_key) + "'");
  }
  const Json header = parse_header(text->second);
  const Index version = json_index(header, "format");
  if (version < 1 || version > decision_format_version) {
    throw DataError("a model file of format " + std::to_string(version) + "; this version reads formats up to " +
                    std::to_string(decision_format_version) + ", a newer one is needed");
  }
  require_undamaged(version, file, bytes);
  ModelState state{.head = restore_head(header, version),
                   .kernel = json_text(header, "kernel"),
                   .parts = restore_parts(header, file)};
  StoredModel stored;
  stored.preparation.schema = restore_schema(json_member(header, "schema"));
  if (header.contains("coding")) {
    stored.preparation.coding = restore_coding(json_object(header, "coding"), stored.preparation.schema);
  }
  if (header.contains("embedding")) {
    stored.preparation.embedding = restore_embedding(json_object(header, "embedding"), stored.preparation.schema);
  }
  stored.preparation.scaling = restore_scaling(json_member(header, "scaling"), file);
  if (header.contains("label_kind")) {
    stored.label_kind = restore_label_kind(json_text(header, "label_kind"));
  }
  if (header.contains("precision")) {
    stored.preparation.precision = restore_precision(json_text(header, "precision"));
  }
  if (header.contains("annotations")) {
    stored.annotations = restore_annotations(header["annotations"]);
  }
  if (header.contains("prior")) {
    state.head.adds_offsets = json_flag(header, "prior");
    stored.preparation.prior = restore_prior(file, priors_left, run);
  }
  const ModelEntry& entry = find_model(state.head.name);
  stored.model = entry.load(std::move(state), run);
  if (header.contains("decision")) {
    restore_rule(header["decision"], *stored.model);
  }
  if (stored.preparation.prior) {
    require_fitting_prior(*stored.model, dynamic_cast<const PriorModel&>(*stored.preparation.prior));
  }
  return stored;
}

StoredModel load_bytes(const std::shared_ptr<const Buffer<char>>& bytes, const std::string& name, const Run& run) {
  try {
    if (std::string_view(bytes->data(), static_cast<std::size_t>(bytes->size())).starts_with("PK\x03\x04")) {
      throw DataError(
          "an archive that the Python package wrote, of an estimator that is more than one model; load it there");
    }
    return from_tensors(parse_safetensors(bytes), *bytes, most_priors, run);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    // Whatever the parts of a model complain of, here it is the file that is wrong.
    throw DataError(FilePlace{.file = name}, error.what());
  }
}

// Everything that the stream holds: its size is known beforehand only for plain files.
std::shared_ptr<const Buffer<char>> read_all(InputStream& stream) {
  if (stream.is_plain_file()) {
    auto bytes = std::make_shared<Buffer<char>>(stream.plain_size());
    stream.read_exactly(bytes->data(), static_cast<std::size_t>(bytes->size()), "the model");
    return bytes;
  }
  SegmentedArray<char> pieces;
  std::vector<char> piece(std::size_t{1} << 20);
  for (std::size_t count = piece.size(); count == piece.size();) {
    count = stream.read(piece.data(), piece.size());
    pieces.append(piece.data(), static_cast<Index>(count));
  }
  return std::make_shared<Buffer<char>>(pieces.joined());
}

}  // namespace

void save_model(const std::string& path, const StoredModel& stored) {
  const TensorFile tensors = to_tensors(stored);
  AtomicFile file(path);
  write_with_checksum(tensors, [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

StoredModel load_model(const std::string& path, const Run& run) {
  InputStream stream(path);
  return load_bytes(read_all(stream), stream.name(), run);
}

std::string model_to_bytes(const StoredModel& stored) {
  std::string result;
  write_with_checksum(to_tensors(stored), [&](std::string_view bytes) { result += bytes; });
  return result;
}

StoredModel model_from_bytes(std::string_view bytes, const std::string& name, const Run& run) {
  auto copy = std::make_shared<Buffer<char>>(static_cast<Index>(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), copy->data());
  return load_bytes(copy, name, run);
}

}  // namespace mercer
