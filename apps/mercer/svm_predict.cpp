#include "svm_predict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "file_roles.h"
#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/io/libsvm_model_file.h"
#include "mercer/models/libsvm/libsvm_prediction.h"
#include "output.h"

namespace mercer::program {

namespace {

struct PredictArguments {
  bool probabilities = false;
  bool quiet = false;
  std::string data;
  std::string model;
  std::string output;
};

PredictArguments parse(LibsvmArguments arguments) {
  PredictArguments parsed;
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i].starts_with('-') && arguments[i] != "-"; ++i) {
    switch (arguments[i][1]) {
      case 'b':
        if (++i == arguments.size()) {
          throw WrongUsage();
        }
        parsed.probabilities = integer_argument(arguments[i]) != 0;
        break;
      case 'q':
        parsed.quiet = true;
        break;
      default:
        throw WrongUsage(fmt::format("Unknown option: -{}", arguments[i][1]));
    }
  }
  if (arguments.size() - i < 3) {
    throw WrongUsage();
  }
  parsed.data = arguments[i];
  parsed.model = arguments[i + 1];
  parsed.output = arguments[i + 2];
  return parsed;
}

AtomicFile open_output(const std::string& path) {
  try {
    return AtomicFile(path, Compression::none);
  } catch (const IoError&) {
    throw CommandFailure("can't open output file " + path);
  }
}

LibsvmModel read_model(const std::string& path, const Run& run) {
  try {
    return read_libsvm_model(path, run);
  } catch (const IoError&) {
    throw CommandFailure("can't open model file " + path);
  } catch (const DataError& error) {
    throw CommandFailure(fmt::format("{}\ncan't open model file {}", error.what(), path));
  }
}

/// Lines of the output file: what `append` makes of every row, in parallel pieces that are written in order.
template <class Append>
void write_rows(AtomicFile& file, Index rows, const Run& run, const Append& append) {
  constexpr Index rows_per_piece = 4096;
  std::vector<std::string> pieces(block_count(rows, rows_per_piece));
  parallel_for(run, static_cast<Index>(pieces.size()), [&](Index piece) {
    const IndexRange range = block_range(rows, rows_per_piece, piece);
    std::string& text = pieces[piece];
    for (Index i = range.begin; i < range.end; ++i) {
      append(text, i);
      text += '\n';
    }
  });
  for (const std::string& piece : pieces) {
    file.write(piece);
  }
}

std::vector<double> write_probabilities(AtomicFile& file, const LibsvmModel& model, ConstMatrixView<double> decisions,
                                        const Run& run) {
  const Matrix<double> probabilities = libsvm_probabilities(model, decisions, run);
  std::string heading = model.type == LibsvmType::one_class ? "label normal outlier" : "labels";
  for (const int label : model.labels) {
    heading += " " + std::to_string(label);
  }
  file.write(heading + "\n");
  std::vector<double> predictions = model.type == LibsvmType::one_class
                                        ? libsvm_predictions(model, decisions)
                                        : most_probable_labels(model, probabilities.view());
  write_rows(file, decisions.rows(), run, [&](std::string& text, Index i) {
    append_short(text, predictions[i]);
    for (const double probability : probabilities.view().row(i)) {
      text += ' ';
      append_short(text, probability);
    }
  });
  return predictions;
}

std::string result_lines(const LibsvmModel& model, std::span<const double> predictions,
                         std::span<const double> targets) {
  if (is_regression(model.type)) {
    RegressionSums sums;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      sums.add(predictions[i], targets[i]);
    }
    return fmt::format("Mean squared error = {} (regression)\nSquared correlation coefficient = {} (regression)\n",
                       short_number(sums.mean_squared_error()), short_number(sums.squared_correlation()));
  }
  Index correct = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    correct += predictions[i] == targets[i] ? 1 : 0;
  }
  const double percent = static_cast<double>(correct) / static_cast<double>(predictions.size()) * 100;
  return fmt::format("Accuracy = {}% ({}/{}) (classification)\n", short_number(percent), correct, predictions.size());
}

std::string probability_lines(const LibsvmModel& model, bool wanted) {
  if (!wanted) {
    return model.has_probabilities ? "Model supports probability estimates, but disabled in prediction.\n" : "";
  }
  if (!model.has_probabilities) {
    throw CommandFailure("Model does not support probabiliy estimates");  // spelt so by LIBSVM
  }
  if (!is_regression(model.type)) {
    return {};
  }
  return fmt::format(
      "Prob. model for test data: target value = predicted value + z,\n"
      "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={}\n",
      short_number(model.probability_a.front()));
}

}  // namespace

void svm_predict(LibsvmArguments arguments, Interruption& interruption) {
  const PredictArguments flags = parse(arguments);
  const LibsvmRun run(interruption);
  FileRoles files;
  files.reads("the data", flags.data);
  files.reads("the model", flags.model);
  files.writes("the output file", "", flags.output, OutputContent::other);
  files.prints("the accuracy");
  files.check_identity();
  // In the order in which LIBSVM opens them, so that its messages are met.
  if (flags.data != "-" && access(flags.data.c_str(), R_OK) != 0) {
    throw CommandFailure("can't open input file " + flags.data);
  }
  AtomicFile output = open_output(flags.output);
  const LibsvmModel model = read_model(flags.model, run);
  const std::string estimates = probability_lines(model, flags.probabilities);
  if (!flags.quiet) {
    tell(estimates, Destination::standard_output);
  }
  const DataFile data = read_libsvm_data(flags.data, "input file", model.support_vectors.columns(), run);
  // Probabilities are printed with six digits, labels depend on signs alone.
  const Matrix<double> decisions = libsvm_decision_values(
      model, data.samples, run, flags.probabilities ? LibsvmPrecision::double_only : LibsvmPrecision::automatic);

  std::vector<double> predictions;
  if (flags.probabilities && !is_regression(model.type)) {
    predictions = write_probabilities(output, model, decisions.view(), run);
  } else {
    predictions = libsvm_predictions(model, decisions.view());
    write_rows(output, decisions.rows(), run, [&](std::string& text, Index i) { append_exact(text, predictions[i]); });
  }
  {
    const WriteGuard guard(interruption);
    output.commit();
  }
  // Nowhere else than here: where it is lost, the command has failed, though its file is written.
  if (!flags.quiet) {
    print(result_lines(model, predictions, data.targets->columns().front().values));
  }
}

}  // namespace mercer::program
