#include "file_roles.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "mercer/data/files/file_identity.h"
#include "mercer/data/files/text_folder.h"
#include "mercer/data/files/tu_graphs.h"
#include "mercer/io/model_signature.h"
#include "output_name.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Of standard output as well: a shell may append it to a file that is read.
std::optional<FileIdentity> output_identity(const std::string& path) {
  return path == "-" ? identity_of_descriptor(STDOUT_FILENO) : identity_of(path);
}

std::vector<std::string> files_of(const TuGraphFiles& set) {
  std::vector<std::string> files = {set.edges, set.indicator, set.graph_labels, set.vertex_labels, set.edge_labels};
  for (const std::string& name : set.ignored) {
    files.push_back((std::filesystem::path(set.edges).parent_path() / name).string());
  }
  std::erase(files, "");
  return files;
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk entry(folder, error); !error && entry != Walk(); entry.increment(error)) {
    files.push_back(entry->path().string());
  }
  return files;
}

// The files that reading `path` means: one, the files of a graph set, or all texts of a folder. What else stands in a
// graph set's folder is no part of it.
std::vector<std::string> files_read(const std::string& path) {
  if (const auto archive = find_archive(path)) {
    return {archive->archive};
  }
  try {
    if (const auto set = find_tu_graphs(path, MissingIndicator::is_no_set)) {
      std::vector<std::string> files = files_of(*set);
      files.push_back(path);
      return files;
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see below
    // Several sets, or a folder that cannot be listed: reading says so. No file of theirs is to be lost meanwhile.
  }
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? files_below(path) : std::vector<std::string>{path};
}

bool reads_file(const std::string& path, const FileIdentity& file) {
  if (path == "-") {
    return identity_of_descriptor(STDIN_FILENO) == file;
  }
  if (!file.name.empty()) {
    return false;  // what is not there yet is read by nobody
  }
  for (const std::string& name : files_read(path)) {
    if (identity_of(name) == file) {
      return true;
    }
  }
  return false;
}

}  // namespace

// As on the command line.
std::string FileRoles::named(const Output& output) {
  return output.flag.empty() ? output.path : output.flag + " " + output.path;
}

void FileRoles::reads(std::string name, const std::string& path) {
  if (!path.empty()) {
    inputs_.push_back({std::move(name), path});
  }
}

void FileRoles::reads_data(const std::string& path, const DataFlags& flags) {
  reads("the data", path);
  reads("the targets", flags.targets_file);
}

void FileRoles::writes(std::string name, std::string flag, const std::string& path, OutputContent content) {
  if (!path.empty()) {
    outputs_.push_back({std::move(name), std::move(flag), path, content});
  }
}

void FileRoles::writes_model(const std::string& path, Replacing replacing) {
  writes("the model", "-o", path, OutputContent::model);
  replacing_ = replacing;
}

void FileRoles::check() const {
  check_identity();
  for (const Output& output : outputs_) {
    require_fitting_name(output.flag, output.name, output.path, output.content);
  }
  for (const Output& output : outputs_) {
    require_writable(output.path);
    if (output.content == OutputContent::model && replacing_ == Replacing::models_only) {
      require_model_is_replaced(output);
    }
  }
}

void FileRoles::check_identity() const {
  require_one_user_of_streams();
  require_inputs_are_kept();
  require_different_outputs();
  require_printing_harms_nothing();
}

void FileRoles::require_one_user_of_streams() const {
  const auto require_one = [](const auto& roles, const char* message) {
    const std::string* first = nullptr;
    for (const auto& role : roles) {
      if (role.path != "-") {
        continue;
      }
      if (first != nullptr) {
        throw UsageError(fmt::format("{} and {} cannot both {}", *first, role.name, message));
      }
      first = &role.name;
    }
  };
  require_one(inputs_, "come from standard input");
  require_one(outputs_, "go to standard output");
}

void FileRoles::require_inputs_are_kept() const {
  for (const Output& output : outputs_) {
    const std::optional<FileIdentity> file = output_identity(output.path);
    for (const Input& input : inputs_) {
      if (file && reads_file(input.path, *file)) {
        throw UsageError(fmt::format("{}: {} would overwrite {}, {}; name another file for {}", named(output),
                                     output.name, input.name, input.path, output.name));
      }
    }
  }
}

void FileRoles::require_printing_harms_nothing() const {
  const std::optional<FileIdentity> printed = printed_.empty() ? std::nullopt : output_identity("-");
  if (!printed) {
    return;
  }
  for (const Input& input : inputs_) {
    if (reads_file(input.path, *printed)) {
      throw UsageError(fmt::format("standard output: {} would overwrite {}, {}; send it elsewhere", printed_,
                                   input.name, input.path));
    }
  }
  for (const Output& output : outputs_) {
    if (output.path != "-" && output_identity(output.path) == printed) {
      throw UsageError(fmt::format("{} and standard output are one file, and {} would be lost; give them two names",
                                   named(output), printed_));
    }
  }
}

void FileRoles::require_different_outputs() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Output& first = outputs_[j];
      const Output& second = outputs_[i];
      const std::optional<FileIdentity> file = output_identity(first.path);
      if (file && file == output_identity(second.path)) {
        throw UsageError(fmt::format("{} and {} are one file, and {} would overwrite {}; give them two names",
                                     named(first), named(second), second.name, first.name));
      }
    }
  }
}

void FileRoles::require_model_is_replaced(const Output& output) const {
  const std::optional<FileIdentity> file = output.path == "-" ? std::nullopt : identity_of(output.path);
  const bool exists = file && file->name.empty();
  if (exists && look_at_content(output.path) == FileContent::other) {
    throw UsageError(
        fmt::format("{}: this file is no model, and {} would overwrite it; name another file, or say --force",
                    named(output), output.name));
  }
}

void add_force_flag(CLI::App& command, Replacing& replacing) {
  command.add_flag_callback(
      "--force", [&replacing] { replacing = Replacing::anything; },
      "write the model over a file that is no model, too");
}

}  // namespace mercer::program
