#include "libsvm_command.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <new>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/file_descriptor.h"
#include "output.h"
#include "svm_predict.h"
#include "svm_scale.h"
#include "svm_train.h"

namespace mercer::program {

std::span<const LibsvmCommand> libsvm_commands() {
  static constexpr std::array table = {
      LibsvmCommand{"svm-train", svm_train, svm_train_usage},
      LibsvmCommand{"svm-predict", svm_predict, svm_predict_usage},
      LibsvmCommand{"svm-scale", svm_scale, svm_scale_usage},
  };
  return table;
}

namespace {

const LibsvmCommand* find_command(const std::string& name) {
  for (const LibsvmCommand& command : libsvm_commands()) {
    if (name == command.name) {
      return &command;
    }
  }
  return nullptr;
}

int complain(const std::string& message) {
  if (!message.empty()) {
    tell(message + "\n");
  }
  return 1;
}

int end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

int run_guarded(const LibsvmCommand& command, LibsvmArguments arguments) {
  Interruption interruption;
  try {
    command.execute(arguments, interruption);
    return 0;
  } catch (const CommandFailure& failure) {
    return complain(failure.message());
  } catch (const WrongUsage& wrong) {
    complain(wrong.message());
    tell(command.usage, Destination::standard_output);
    return 1;
  } catch (const OutputClosed&) {
    return end_by_closed_pipe();
  } catch (const Stopped&) {
    complain(std::string(command.name) + ": interrupted");
    return interruption.exit_code() != 0 ? interruption.exit_code() : 130;
  } catch (const std::bad_alloc&) {
    return complain(std::string(command.name) + ": not enough memory");
  } catch (const WriteError& error) {
    return output_is_closed() ? end_by_closed_pipe() : complain(std::string(command.name) + ": " + error.what());
  } catch (const std::exception& error) {
    return complain(std::string(command.name) + ": " + error.what());
  }
}

}  // namespace

std::optional<int> run_libsvm_command(int count, char** arguments) {
  if (count < 1) {
    return std::nullopt;
  }
  int first = 1;
  const LibsvmCommand* command = find_command(std::filesystem::path(arguments[0]).filename().string());
  if (command == nullptr && count > 1) {
    command = find_command(arguments[1]);
    first = 2;
  }
  if (command == nullptr) {
    return std::nullopt;
  }
  const std::vector<std::string> rest(arguments + first, arguments + count);
  if (rest.size() == 1 && rest.front() == "--help") {
    print(command->usage);
    return 0;
  }
  return run_guarded(*command, rest);
}

LibsvmRun::LibsvmRun(Interruption& interruption)
    : console_(Verbosity::normal),
      run_(RunOptions{.progress = [this](const ProgressEvent& event) { console_.progress(event); },
                      .stop = interruption.token()}) {}

int integer_argument(const std::string& text) {
  const auto value = parse_integer(text.starts_with('+') ? text.substr(1) : text);
  if (!value || *value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max()) {
    throw WrongUsage();
  }
  return static_cast<int>(*value);
}

double number_argument(const std::string& text) {
  const auto value = parse_double(text);
  if (!value) {
    throw WrongUsage();
  }
  return *value;
}

namespace {

void append_general(std::string& text, double value, int digits) {
  char buffer[64];
  // Labels are integers: their shortest form is the one asked for.
  if (std::abs(value) < 1e5 && value == std::trunc(value) && !(value == 0 && std::signbit(value))) {
    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<int>(value)).ptr);
    return;
  }
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr);
}

}  // namespace

void append_exact(std::string& text, double value) { append_general(text, value, 17); }
void append_short(std::string& text, double value) { append_general(text, value, 6); }

std::string short_number(double value) {
  std::string text;
  append_short(text, value);
  return text;
}

DataFile read_libsvm_data(const std::string& path, const char* what, Index columns, const Run& run) {
  ReadOptions options;
  options.format = FileFormat::libsvm;
  options.indices = LibsvmIndices::precomputed;  // columns keep the numbers of the file
  options.columns = columns;
  try {
    return read_data(path, options, run);
  } catch (const IoError&) {
    throw CommandFailure(fmt::format("can't open {} {}", what, path));
  } catch (const DataError& error) {
    if (error.place().line == 0) {
      throw CommandFailure(error.what());
    }
    throw CommandFailure(fmt::format("Wrong input format at line {}\n{}", error.place().line, error.what()));
  }
}

void RegressionSums::add(double prediction, double target) {
  ++count_;
  error_ += (prediction - target) * (prediction - target);
  p_ += prediction;
  t_ += target;
  pp_ += prediction * prediction;
  tt_ += target * target;
  pt_ += prediction * target;
}

double RegressionSums::mean_squared_error() const { return error_ / count_; }

double RegressionSums::squared_correlation() const {
  const double covariance = count_ * pt_ - p_ * t_;
  return covariance * covariance / ((count_ * pp_ - p_ * p_) * (count_ * tt_ - t_ * t_));
}

}  // namespace mercer::program
