#include "svm_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "file_roles.h"
#include "mercer/base/error.h"
#include "mercer/io/libsvm_model_file.h"
#include "mercer/models/libsvm/libsvm_training.h"
#include "output.h"

namespace mercer::program {

namespace {

// Flags that are checked only once the data are read, as LIBSVM does it, keep the number that was given.
struct TrainArguments {
  LibsvmParameters parameters;
  int type = 0;
  int kernel = 2;
  int shrinking = 1;
  int probabilities = 0;
  Index folds = 0;  // 0: train a model
  bool quiet = false;
  std::string data;
  std::string model;
};

void set_flag(TrainArguments& parsed, const std::string& flag, const std::string& value) {
  LibsvmParameters& parameters = parsed.parameters;
  switch (flag[1]) {
    case 's':
      parsed.type = integer_argument(value);
      break;
    case 't':
      parsed.kernel = integer_argument(value);
      break;
    case 'd':
      parameters.degree = integer_argument(value);
      break;
    case 'g':
      parameters.gamma = number_argument(value);
      break;
    case 'r':
      parameters.coef0 = number_argument(value);
      break;
    case 'n':
      parameters.nu = number_argument(value);
      break;
    case 'm':
      parameters.memory_mb = number_argument(value);
      break;
    case 'c':
      parameters.cost = number_argument(value);
      break;
    case 'e':
      parameters.tolerance = number_argument(value);
      break;
    case 'p':
      parameters.epsilon = number_argument(value);
      break;
    case 'h':
      parsed.shrinking = integer_argument(value);
      break;
    case 'b':
      parsed.probabilities = integer_argument(value);
      break;
    case 'v':
      parsed.folds = integer_argument(value);
      if (parsed.folds < 2) {
        throw WrongUsage("n-fold cross validation: n must >= 2");
      }
      break;
    case 'w':
      parameters.class_weights.push_back({integer_argument(flag.substr(2)), number_argument(value)});
      break;
    default:
      throw WrongUsage(fmt::format("Unknown option: -{}", flag[1]));
  }
}

TrainArguments parse(LibsvmArguments arguments) {
  TrainArguments parsed;
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i].starts_with('-') && arguments[i] != "-"; ++i) {
    const std::string& flag = arguments[i];
    // LIBSVM wants something after every flag, after -q too.
    if (i + 1 == arguments.size()) {
      throw WrongUsage();
    }
    if (flag[1] == 'q') {
      parsed.quiet = true;
    } else {
      set_flag(parsed, flag, arguments[++i]);
    }
  }
  if (i >= arguments.size()) {
    throw WrongUsage();
  }
  parsed.data = arguments[i];
  parsed.model =
      i + 1 < arguments.size() ? arguments[i + 1] : std::filesystem::path(parsed.data).filename().string() + ".model";
  return parsed;
}

// The first column of precomputed kernels: the serial number of the sample, from 1.
void check_precomputed(const SparseRows<double>& rows) {
  for (Index i = 0; i < rows.rows; ++i) {
    const std::int64_t first = rows.offsets[i];
    if (first == rows.offsets[i + 1] || rows.column_numbers[first] != 0) {
      throw CommandFailure("Wrong input format: first column must be 0:sample_serial_number");
    }
    const double serial = rows.values[first];
    if (!(serial >= 1 && serial < static_cast<double>(rows.columns))) {
      throw CommandFailure("Wrong input format: sample_serial_number out of range");
    }
  }
}

// LIBSVM's checks in LIBSVM's order.
void check_parameters(TrainArguments& flags, std::span<const double> labels) {
  const auto refuse = [](const std::string& reason) { throw CommandFailure("ERROR: " + reason); };
  if (flags.type < 0 || flags.type > 4) {
    refuse("unknown svm type");
  }
  if (flags.kernel < 0 || flags.kernel > 4) {
    refuse("unknown kernel type");
  }
  LibsvmParameters& parameters = flags.parameters;
  parameters.type = static_cast<LibsvmType>(flags.type);
  parameters.kernel = static_cast<LibsvmKernel>(flags.kernel);
  parameters.shrinking = flags.shrinking != 0;
  parameters.probabilities = flags.probabilities != 0;
  const std::string error = libsvm_parameter_error(parameters, {});
  if (!error.empty()) {
    refuse(error);
  }
  if (flags.shrinking != 0 && flags.shrinking != 1) {
    refuse("shrinking != 0 and shrinking != 1");
  }
  if (flags.probabilities != 0 && flags.probabilities != 1) {
    refuse("probability != 0 and probability != 1");
  }
  const std::string infeasible = libsvm_parameter_error(parameters, labels);
  if (!infeasible.empty()) {
    refuse(infeasible);
  }
}

void warn(const std::string& message) { print("WARNING: " + message + "\n", Destination::standard_error); }

void warn_of_unknown_classes(const LibsvmParameters& parameters, std::span<const double> labels) {
  if (!is_classification(parameters.type)) {
    return;
  }
  for (const auto& weight : parameters.class_weights) {
    const bool found = std::any_of(labels.begin(), labels.end(),
                                   [&](double label) { return static_cast<int>(label) == weight.label; });
    if (!found) {
      warn(fmt::format("class label {} specified in weight is not found", weight.label));
    }
  }
}

std::string solve_lines(LibsvmType type, const LibsvmSolve& solve) {
  std::string text = fmt::format("*\noptimization finished, #iter = {}\n", solve.iterations);
  switch (type) {
    case LibsvmType::c_svc:
    case LibsvmType::epsilon_svr:
      text += fmt::format("nu = {:f}\n", solve.equivalent);
      break;
    case LibsvmType::nu_svc:
      text += fmt::format("C = {:f}\n", solve.equivalent);
      break;
    case LibsvmType::nu_svr:
      text += fmt::format("epsilon = {:f}\n", solve.equivalent);
      break;
    case LibsvmType::one_class:
      break;
  }
  return text + fmt::format("obj = {:f}, rho = {:f}\nnSV = {}, nBSV = {}\n", solve.objective, solve.rho,
                            solve.support_count, solve.bound_count);
}

std::string group_lines(LibsvmType type, const LibsvmSolveGroup& group) {
  std::string text;
  if (is_classification(type) && group.solves.empty()) {
    text += "WARNING: training data in only one class. See README for details.\n";
  }
  for (const LibsvmSolve& solve : group.solves) {
    text += solve_lines(type, solve);
  }
  if (is_classification(type)) {
    text += fmt::format("Total nSV = {}\n", group.support_count);
  }
  return text;
}

void train(const TrainArguments& flags, const Samples& samples, std::span<const double> labels, const Run& run,
           Interruption& interruption) {
  const LibsvmTraining training = train_libsvm(flags.parameters, samples, labels, run);
  for (const std::string& warning : training.warnings) {
    warn(warning);
  }
  if (!flags.quiet) {
    std::string text;
    for (std::size_t g = 0; g < training.groups.size(); ++g) {
      if (g + 1 == training.groups.size() && is_regression(flags.parameters.type) && flags.parameters.probabilities) {
        text += fmt::format(
            "Prob. model for test data: target value = predicted value + z,\n"
            "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= {}\n",
            short_number(training.model.probability_a.front()));
      }
      text += group_lines(flags.parameters.type, training.groups[g]);
    }
    tell(text, Destination::standard_output);
  }
  try {
    const WriteGuard guard(interruption);
    write_libsvm_model(flags.model, training.model);
  } catch (const IoError&) {
    throw CommandFailure("can't save model to file " + flags.model);
  }
}

void cross_validate(const TrainArguments& flags, const Samples& samples, std::span<const double> labels,
                    const Run& run) {
  Index folds = flags.folds;
  if (folds > samples.size()) {
    warn("# folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)");
    folds = samples.size();
  }
  const LibsvmValidation validation = cross_validate_libsvm(flags.parameters, samples, labels, folds, run);
  for (const std::string& warning : validation.warnings) {
    warn(warning);
  }
  if (!flags.quiet) {
    for (const LibsvmSolveGroup& group : validation.groups) {
      tell(group_lines(flags.parameters.type, group), Destination::standard_output);
    }
  }
  if (is_regression(flags.parameters.type)) {
    RegressionSums sums;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      sums.add(validation.predictions[i], labels[i]);
    }
    print(
        fmt::format("Cross Validation Mean squared error = {}\nCross Validation Squared correlation coefficient = {}\n",
                    short_number(sums.mean_squared_error()), short_number(sums.squared_correlation())));
    return;
  }
  Index correct = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    correct += validation.predictions[i] == labels[i] ? 1 : 0;
  }
  print(fmt::format("Cross Validation Accuracy = {}%\n",
                    short_number(100.0 * static_cast<double>(correct) / static_cast<double>(labels.size()))));
}

}  // namespace

void svm_train(LibsvmArguments arguments, Interruption& interruption) {
  TrainArguments flags = parse(arguments);
  FileRoles files;
  files.reads("the data", flags.data);
  files.writes("the model", "", flags.folds > 0 ? "" : flags.model, OutputContent::other);
  if (flags.folds > 0) {
    files.prints("the accuracy");
  }
  files.check_identity();
  const LibsvmRun run(interruption);
  const DataFile data = read_libsvm_data(flags.data, "input file", 0, run);
  const std::vector<double>& labels = data.targets->columns().front().values;
  const Index largest_index = data.samples.columns() - 1;
  if (flags.parameters.gamma == 0 && largest_index > 0) {
    flags.parameters.gamma = 1.0 / static_cast<double>(largest_index);
  }
  if (flags.kernel == 4) {
    check_precomputed(data.samples.as<SparseRows<double>>());
  }
  check_parameters(flags, labels);
  warn_of_unknown_classes(flags.parameters, labels);
  if (flags.folds > 0) {
    cross_validate(flags, data.samples, labels, run);
  } else {
    train(flags, data.samples, labels, run, interruption);
  }
}

}  // namespace mercer::program
