#include "mercer/io/model_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/io/safetensors.h"
#include "mercer/io/stored_samples.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_problem;
using testing::random_samples;
using testing::random_sparse;
using testing::same_bits;

StoredModel stored_ridge(const std::string& kernel, const TrainingData& data, const RidgeOptions& options = {}) {
  StoredModel stored;
  stored.preparation = fit_preparation(data.samples);
  TrainingData scaled = data;
  scaled.samples = stored.preparation.apply(data.samples);
  stored.model = fit_ridge(parse_kernel(kernel), options, scaled);
  return stored;
}

Matrix<double> predict(const StoredModel& stored, const Samples& samples) { return stored.predict(samples); }

Samples mixed_table(Index rows, std::uint64_t seed) {
  const Matrix<double> numbers = random_matrix(rows, 2, seed);
  std::vector<std::string> colors;
  std::vector<std::string> texts;
  for (Index i = 0; i < rows; ++i) {
    colors.push_back(i % 3 == 0   ? "red"
                     : i % 3 == 1 ? "gr\xFC"
                                    "n"
                                  : "blue");
    texts.push_back(std::string(static_cast<std::size_t>(i % 4), 'x') + std::to_string(i));
  }
  std::vector<Table::Column> others;
  others.push_back({"color", make_categories(std::span<const std::string>(colors))});
  others.push_back({"text", make_strings(texts)});
  return make_table(
      Table(make_dense(Matrix<double>::copy_of(numbers.view())), {"age", "body mass"}, std::move(others)));
}

TEST(ModelFile, LoadedModelsPredictTheSameBits) {
  const TemporaryFolder folder;
  const Samples x = random_samples(40, 4, 2);
  for (const std::string kernel :
       {"rbf(gamma=scale)", "0.5*poly(degree=2) + rbf(gamma=median)", "linear()", "negative_distance()"}) {
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
      const StoredModel stored =
          stored_ridge(kernel, random_problem(50, 4, 2, 1), {.lambda = 0.3, .loo = true, .precision = precision});
      save_model(folder.file("m.mercer"), stored);
      const StoredModel loaded = load_model(folder.file("m.mercer"));
      EXPECT_TRUE(same_bits(predict(stored, x), predict(loaded, x))) << kernel;
      EXPECT_EQ(loaded.preparation.schema, stored.preparation.schema);
      EXPECT_EQ(loaded.preparation.scaling.offset, stored.preparation.scaling.offset);
      EXPECT_EQ(loaded.preparation.scaling.factor, stored.preparation.scaling.factor);
      EXPECT_EQ(loaded.preparation.scaling.rule, stored.preparation.scaling.rule);
      const FitReport& report = loaded.model->report();
      EXPECT_EQ(report.objective, stored.model->report().objective);
      EXPECT_TRUE(report.phases.empty());  // the same fit writes the same bytes
      ASSERT_EQ(report.measures.size(), 1u);
      EXPECT_EQ(report.measures[0].value, stored.model->report().measures[0].value);
      EXPECT_EQ(loaded.model->head().requested_kernel, parse_kernel(kernel).spec());
      EXPECT_EQ(read_bytes(folder.file("m.mercer")), model_to_bytes(loaded));
    }
  }
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(ModelFile, SparseSamples) {
  TrainingData data = random_problem(60, 200, 1, 3);
  data.samples = random_sparse(60, 200, 0.1, 3);
  const Samples x = random_sparse(20, 200, 0.1, 4);
  for (const std::string kernel : {"rbf(gamma=0.1)", "linear()"}) {
    const StoredModel stored = stored_ridge(kernel, data);
    const StoredModel loaded = model_from_bytes(model_to_bytes(stored), "memory");
    EXPECT_TRUE(same_bits(predict(stored, x), predict(loaded, x))) << kernel;
  }
}

TEST(ModelFile, TablesWithCategoriesAndTexts) {
  const Samples table = mixed_table(30, 5);
  const TrainingData data = {table, Targets::numeric(random_matrix(30, 1, 6).view())};
  const StoredModel stored = stored_ridge("rbf(gamma=0.5)[age] + hamming()[color]", data);
  const StoredModel loaded = model_from_bytes(model_to_bytes(stored), "memory");
  EXPECT_EQ(loaded.preparation.schema, stored.preparation.schema);
  const Samples x = mixed_table(12, 7);
  EXPECT_TRUE(same_bits(predict(stored, x), predict(loaded, x)));
}

// Stores samples and reads them back through the bytes of a container.
Samples round_trip(const Samples& samples) {
  TensorFile file;
  file.metadata["description"] = store_samples(samples, "s", file).dump();
  std::string bytes;
  write_safetensors(file, [&](std::string_view piece) { bytes += piece; });
  auto buffer = std::make_shared<Buffer<char>>(static_cast<Index>(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), buffer->data());
  const TensorFile again = parse_safetensors(std::move(buffer));
  return restore_samples(nlohmann::json::parse(again.metadata.at("description")), "s", again);
}

TEST(StoredSamples, EveryKind) {
  const Matrix<double> numbers = random_matrix(6, 3, 8);
  const Samples dense = round_trip(make_dense(Matrix<double>::copy_of(numbers.view())));
  const Samples columns = round_trip(Samples(DenseRows<double>{numbers.data(), 3, 6, 1, 3}));
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(dense.as<DenseRows<double>>()(i, j), numbers(i, j));
      EXPECT_EQ(columns.as<DenseRows<double>>()(j, i), numbers(i, j));
    }
  }
  EXPECT_EQ(round_trip(make_dense(std::vector<float>{1, 2}, 1, 2)).as<DenseRows<float>>()(0, 1), 2.F);

  // Slices do not start at offset 0.
  const std::vector<std::string> texts = {"", "abc", std::string("\0\xFF", 2), "z"};
  const Samples strings = round_trip(make_strings(texts).slice({1, 4}));
  ASSERT_EQ(strings.size(), 3);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(strings.as<StringRows>()[i], texts[i + 1]);
  }

  const std::vector<std::vector<std::int32_t>> members = {{5, 1}, {}, {7}};
  const Samples sets = round_trip(make_sets(members).slice({1, 3}));
  EXPECT_TRUE(sets.as<SetRows>()[0].empty());
  EXPECT_EQ(sets.as<SetRows>()[1][0], 7);

  const std::vector<std::vector<std::vector<double>>> vectors = {{{1, 2}}, {{3, 4}, {5, 6}}};
  const Samples bags = round_trip(make_bags(vectors).slice({1, 2}));
  EXPECT_EQ(bags.as<BagRows>().rows, 1);
  EXPECT_EQ(bags.as<BagRows>().points(1, 0), 5);

  const std::vector<std::string> words = {"b", "a", "b"};
  const Samples categories = round_trip(make_categories(std::span<const std::string>(words)));
  EXPECT_EQ(categories.as<CategoryRows>().codes[2], 0);
  EXPECT_EQ(categories.as<CategoryRows>().levels[1], "a");

  const std::vector<Graph> graphs = {{3, {{0, 1}, {1, 2}}, {1, 2, 3}, {4, 5}}, {2, {{0, 1}}, {6, 7}, {8}}};
  const Samples stored = round_trip(make_graphs(graphs).slice({1, 2}));
  const GraphRows& rows = stored.as<GraphRows>();
  EXPECT_EQ(rows.rows, 1);
  EXPECT_EQ(rows.vertex_offsets[1], 2);
  EXPECT_EQ(rows.neighbors[0], 1);
  EXPECT_EQ(rows.neighbors[1], 0);
  EXPECT_EQ(rows.vertex_labels[1], 7);
  EXPECT_EQ(rows.edge_labels[0], 8);
  const std::vector<Graph> plain = {{2, {{0, 1}}, {}, {}}};
  EXPECT_EQ(round_trip(make_graphs(plain)).as<GraphRows>().vertex_labels, nullptr);

  const Samples table = round_trip(mixed_table(7, 9));
  EXPECT_EQ(table.table().numeric_names()[1], "body mass");
  EXPECT_EQ(table.table().others()[0].values.as<CategoryRows>().levels[1],
            "gr\xFC"
            "n");
  EXPECT_EQ(table.table().others()[1].values.as<StringRows>()[5], "x5");
  EXPECT_EQ(round_trip(make_dense(Matrix<double>(0, 4))).columns(), 4);
}

// A valid container whose samples are damaged by `damage`.
template <class Damage>
std::string complaint_of_samples(const Samples& samples, Damage damage) {
  TensorFile file;
  nlohmann::json description = store_samples(samples, "s", file);
  damage(file, description);
  try {
    restore_samples(description, "s", file);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
void replace(TensorFile& file, const std::string& name, std::vector<T> values) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  file.tensors[name] = tensor_of(std::as_const(*owner).data(), {static_cast<Index>(owner->size())}, owner);
}

TEST(StoredSamples, DamagedOffsetsAndCodesAreRefused) {
  const Samples sparse = random_sparse(3, 5, 0.9, 1);
  const std::vector<std::string> words = {"ab", "c"};
  using Json = nlohmann::json;
  using Offsets = std::vector<std::int64_t>;
  EXPECT_EQ(complaint_of_samples(sparse, [](TensorFile&, Json&) {}), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile&, Json& j) { j["columns"] = 2; }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile&, Json& j) { j["columns"] = -2; }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile&, Json& j) { j["columns"] = 1LL << 40; }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile&, Json& j) { j["kind"] = "heaps"; }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile&, Json& j) { j.erase("kind"); }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile& f, Json&) { f.tensors.erase("s.values"); }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile& f, Json&) { replace(f, "s.offsets", Offsets{}); }), "");
  EXPECT_NE(complaint_of_samples(sparse, [](TensorFile& f, Json&) { replace(f, "s.offsets", Offsets{0, 100}); }), "");
  const Samples strings = make_strings(words);
  EXPECT_NE(complaint_of_samples(strings, [](TensorFile& f, Json&) { replace(f, "s.offsets", Offsets{0, 5, 3}); }), "");
  EXPECT_NE(complaint_of_samples(strings, [](TensorFile& f, Json&) { replace(f, "s.offsets", Offsets{-1, 2, 3}); }),
            "");
  EXPECT_NE(complaint_of_samples(strings, [](TensorFile& f, Json&) { replace(f, "s.offsets", Offsets{0, 2, 2}); }), "");
  const Samples sets = make_sets(std::vector<std::vector<std::int32_t>>{{1, 2}});
  EXPECT_NE(complaint_of_samples(
                sets, [](TensorFile& f, Json&) { replace(f, "s.members", std::vector<std::int32_t>{2, 2}); }),
            "");
  EXPECT_NE(complaint_of_samples(
                sets, [](TensorFile& f, Json&) { replace(f, "s.members", std::vector<std::int32_t>{-2, 2}); }),
            "");
  const Samples categories = make_categories(std::span<const std::string>(words));
  EXPECT_NE(complaint_of_samples(categories,
                                 [](TensorFile& f, Json&) { replace(f, "s.codes", std::vector<std::int32_t>{0, 2}); }),
            "");
  EXPECT_NE(complaint_of_samples(categories,
                                 [](TensorFile& f, Json&) { replace(f, "s.codes", std::vector<std::int32_t>{0, -2}); }),
            "");
  const Samples graphs = make_graphs(std::vector<Graph>{{2, {{0, 1}}, {1, 2}, {}}});
  EXPECT_NE(complaint_of_samples(
                graphs, [](TensorFile& f, Json&) { replace(f, "s.neighbours", std::vector<std::int32_t>{2, 0}); }),
            "");
  EXPECT_NE(complaint_of_samples(
                graphs, [](TensorFile& f, Json&) { replace(f, "s.vertex_labels", std::vector<std::int32_t>{2}); }),
            "");
  EXPECT_NE(complaint_of_samples(graphs, [](TensorFile& f, Json&) { replace(f, "s.vertex_offsets", Offsets{0, 3}); }),
            "");
}

std::string small_file() { return model_to_bytes(stored_ridge("rbf(gamma=scale)", random_problem(3, 2, 1, 11))); }

TEST(ModelFile, EveryTruncationIsRefused) {
  const std::string whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_ERROR(model_from_bytes(std::string_view(whole).substr(0, size), "cut.mercer"), DataError, "cut.mercer: ")
        << size;
  }
  EXPECT_ERROR(model_from_bytes(whole + "x", "long.mercer"), DataError, "the tensors end at byte 112 of the data");
}

TEST(ModelFile, FlippedBitsNeverCrash) {
  const std::string whole = small_file();
  RandomStream random(13);
  const Samples x = random_samples(3, 2, 12);
  for (int trial = 0; trial < 4000; ++trial) {
    std::string bytes = whole;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
    }
    try {
      const StoredModel loaded = model_from_bytes(bytes, "flipped.mercer");
      loaded.model->predict(x, {});
    } catch (const Error&) {
    }
  }
}

TEST(ModelFile, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("broken.mercer", "this is no model at all");
  EXPECT_NE(message_of<DataError>([&] { load_model(path); }).find("broken.mercer"), std::string::npos);
  EXPECT_ERROR(load_model(folder.file("absent.mercer")), IoError, "cannot be opened: No such file or directory");
  EXPECT_ERROR(load_model(folder.write("empty.mercer", "")), DataError, "too short to be a model file");
  // Another program's safetensors file.
  TensorFile foreign;
  const std::string foreign_path = folder.file("foreign.safetensors");
  std::string bytes;
  write_safetensors(foreign, [&](std::string_view piece) { bytes += piece; });
  folder.write("foreign.safetensors", bytes);
  EXPECT_NE(message_of<DataError>([&] { load_model(foreign_path); }).find("metadata"), std::string::npos);
}

TEST(ModelFile, NewerFormatsAreRefusedBySayingSo) {
  std::string bytes = small_file();
  const std::string version = "\\\"format\\\":" + std::to_string(model_format_version);
  const std::size_t at = bytes.find(version);
  ASSERT_NE(at, std::string::npos);
  bytes[at + version.size() - 1] = '9';
  EXPECT_NE(message_of<DataError>([&] { model_from_bytes(bytes, "m"); }).find("format 9"), std::string::npos);
}

TEST(ModelFile, AFailedSaveLeavesTheOldFile) {
  const TemporaryFolder folder;
  EXPECT_ERROR(save_model(folder.file("no/such/folder.mercer"), stored_ridge("linear()", random_problem(5, 2, 1, 1))),
               IoError, "cannot be written: No such file or directory");
  EXPECT_EQ(folder.entries(), 0u);
}

// A model fitted by its registry entry, without scaling.
StoredModel stored_fit(const std::string& model, const std::vector<OptionSetting>& settings, const TrainingData& data) {
  StoredModel stored;
  stored.model = find_model(model).fit(parse_kernel("rbf(gamma=scale)"), settings, data, {});
  stored.preparation.schema.kind = SampleKind::dense;
  stored.preparation.schema.numeric_columns = data.samples.columns();
  return stored;
}

TrainingData three_classes() {
  const TrainingData data = random_problem(30, 3, 1, 31);
  std::vector<std::string> labels;
  for (Index i = 0; i < 30; ++i) {
    labels.push_back(i % 3 == 0 ? "low" : i % 3 == 1 ? "middle" : "high, or so");
  }
  return {data.samples, Targets::classes(labels, "level")};
}

// Done by hand, once for every version of the format, with MERCER_WRITE_GOLDEN set. Files that are there stay.
void write_golden_files() {
  const std::string folder = std::string(MERCER_TEST_DIR) + "/io/golden/";
  const auto write = [&](const std::string& name, const StoredModel& stored, const Samples& samples) {
    if (std::filesystem::exists(folder + name + ".v1.mercer")) {
      return;
    }
    save_model(folder + name + ".v1.mercer", stored);
    const Matrix<double> values = predict(stored, samples);
    nlohmann::json expected = {{"kernel", stored.model->kernel().spec()}};
    for (Index i = 0; i < values.rows(); ++i) {
      expected["predictions"].push_back(values(i, 0));
    }
    std::ofstream(folder + name + ".v1.json") << expected.dump(1) << "\n";
  };
  const TrainingData dense = random_problem(12, 3, 1, 21);
  write("ridge_rbf", stored_ridge("rbf(gamma=scale)", dense, {.lambda = 0.1, .loo = true}), random_samples(5, 3, 22));
  write("ridge_linear", stored_ridge("linear()", dense, {.mean_lambda = 0.1}), random_samples(5, 3, 22));
  const TrainingData sparse = {random_sparse(12, 30, 0.2, 21), dense.targets};
  write("ridge_sparse", stored_ridge("0.5*rbf(gamma=0.2) + poly(degree=2)", sparse), random_sparse(5, 30, 0.2, 22));
  const TrainingData table = {mixed_table(12, 21), dense.targets};
  write("ridge_table", stored_ridge("rbf(gamma=0.5)[age] + hamming()[color]", table), mixed_table(5, 22));
  const std::vector<OptionSetting> exact = {{"tolerance", "1e-6"}};
  write("svc", stored_fit("svc", {{"tolerance", "1e-6"}, {"probability", "yes"}}, three_classes()),
        random_samples(5, 3, 22));
  write("svr", stored_fit("svr", exact, dense), random_samples(5, 3, 22));
  write("svdd", stored_fit("svdd", exact, dense), random_samples(5, 3, 22));
  write("gp", stored_fit("gp", {{"mean", "linear"}, {"loo", "yes"}}, dense), random_samples(5, 3, 22));
  write("gp_vfe", stored_fit("gp", {{"method", "vfe"}, {"inducing", "6"}}, dense), random_samples(5, 3, 22));
  write("gp_student", stored_fit("gp", {{"likelihood", "student_t"}}, dense), random_samples(5, 3, 22));
  write("gpc", stored_fit("gpc", {}, three_classes()), random_samples(5, 3, 22));
  write("lssvm", stored_fit("lssvm", {{"probability", "yes"}}, three_classes()), random_samples(5, 3, 22));
}

// Files written by version 1, with predictions written beside them: later versions must read them and agree.
TEST(ModelFile, GoldenFilesOfVersionOne) {
  if (std::getenv("MERCER_WRITE_GOLDEN") != nullptr) {
    write_golden_files();
  }
  const std::string folder = std::string(MERCER_TEST_DIR) + "/io/golden/";
  for (const std::string name : {"ridge_rbf", "ridge_linear", "ridge_sparse", "ridge_table", "svc", "svr", "svdd", "gp",
                                 "gp_vfe", "gp_student", "gpc", "lssvm"}) {
    const StoredModel stored = load_model(folder + name + ".v1.mercer");
    const auto expected = nlohmann::json::parse(read_bytes(folder + name + ".v1.json"));
    const auto rows = static_cast<Index>(expected.at("predictions").size());
    Samples samples;
    if (name == "ridge_sparse") {
      samples = random_sparse(rows, 30, 0.2, 22);
    } else if (name == "ridge_table") {
      samples = mixed_table(rows, 22);
    } else {
      samples = random_samples(rows, 3, 22);
    }
    const Matrix<double> values = predict(stored, samples);
    for (Index i = 0; i < rows; ++i) {
      const double target = expected.at("predictions")[i].get<double>();
      EXPECT_NEAR(values(i, 0), target, 1e-12 * (1 + std::abs(target))) << name;
    }
    EXPECT_EQ(stored.model->kernel().spec(), expected.at("kernel").get<std::string>());
  }
}

}  // namespace
}  // namespace mercer
