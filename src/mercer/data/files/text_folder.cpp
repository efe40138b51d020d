#include "mercer/data/files/text_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/string_rows_builder.h"
#include "mercer/data/files/tar_reader.h"

namespace mercer {

namespace {

namespace fs = std::filesystem;

// The first folder of a path, empty for a file that stands at the top.
std::string_view first_folder(std::string_view path) {
  const auto slash = path.find('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

bool is_hidden(std::string_view path) { return path.starts_with('.') || path.find("/.") != path.npos; }

// What stands directly in a folder: files by number, and what its folders hold.
struct FolderView {
  Index files = 0;
  std::map<std::string, Index, std::less<>> folders;           // paths below each
  std::map<std::string, Index, std::less<>> direct_in_folder;  // files directly in each
};

FolderView view_of(const std::vector<std::string>& paths, std::string_view prefix) {
  FolderView view;
  for (const std::string& path : paths) {
    if (!path.starts_with(prefix)) {
      continue;
    }
    const std::string_view rest = std::string_view(path).substr(prefix.size());
    const std::string_view folder = first_folder(rest);
    if (folder.empty()) {
      ++view.files;
    } else {
      ++view.folders[std::string(folder)];
      view.direct_in_folder[std::string(folder)] += first_folder(rest.substr(folder.size() + 1)).empty() ? 1 : 0;
    }
  }
  return view;
}

[[noreturn]] void refuse_folders_of_folders(const FolderView& view, const std::string& name,
                                            const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [folder, count] : view.folders) {
    names.push_back(folder);
  }
  throw DataError({name}, "its folders hold folders, not texts: " + join(names, ", ") +
                              ". Name the one whose folders are the classes: " + name + "/" + prefix + names.front());
}

// The folder whose folders are the classes: a folder that holds nothing but one folder of folders is a wrapping.
std::string find_class_root(const std::vector<std::string>& paths, const std::string& name) {
  constexpr int most_wrappings = 32;
  std::string prefix;
  for (int wrappings = 0; wrappings < most_wrappings; ++wrappings) {
    const FolderView view = view_of(paths, prefix);
    const bool holds_files = std::any_of(view.direct_in_folder.begin(), view.direct_in_folder.end(),
                                         [](const auto& folder) { return folder.second > 0; });
    if (view.files > 0 || view.folders.empty() || holds_files) {
      return prefix;
    }
    if (view.folders.size() > 1) {
      refuse_folders_of_folders(view, name, prefix);
    }
    prefix += view.folders.begin()->first + "/";
  }
  throw DataError({name}, "folders stand within folders more than 32 deep; name the one whose folders are the classes");
}

struct ChosenText {
  std::size_t number;
  std::string label;
};

// Which texts are samples, in their order.
std::vector<ChosenText> choose_texts(const std::vector<std::string>& paths, const std::string& name, const Run& run) {
  const std::string root = find_class_root(paths, name);
  std::vector<ChosenText> chosen;
  Index loose = 0;
  const bool has_classes = !view_of(paths, root).folders.empty();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string_view label =
        paths[i].starts_with(root) ? first_folder(std::string_view(paths[i]).substr(root.size())) : std::string_view();
    if (has_classes && label.empty()) {
      ++loose;
    } else {
      chosen.push_back({i, std::string(label)});
    }
  }
  std::sort(chosen.begin(), chosen.end(), [&](const ChosenText& a, const ChosenText& b) {
    return std::tie(a.label, paths[a.number], a.number) < std::tie(b.label, paths[b.number], b.number);
  });
  if (chosen.empty()) {
    throw DataError({name}, "there are no texts; expected one folder per class with a file per text");
  }
  if (loose > 0) {
    run.warn(name + ": " + std::to_string(loose) + " files beside the folders of the classes are left out");
  }
  return chosen;
}

DataFile labeled_texts(Samples texts, const std::vector<ChosenText>& chosen) {
  DataFile file;
  file.samples = std::move(texts);
  if (!chosen.front().label.empty()) {
    std::vector<std::string> labels;
    for (const ChosenText& text : chosen) {
      labels.push_back(text.label);
    }
    file.targets = Targets::classes(labels, "class");
  }
  file.schema = schema_of(file.samples);
  file.format = FileFormat::texts;
  return file;
}

// Paths of regular files relative to the folder; folders behind links are not entered, so that there is an end.
std::vector<std::string> list_files(const std::string& folder, const Run& run) {
  std::vector<std::string> paths;
  std::error_code failure;
  fs::recursive_directory_iterator entries(folder, failure);
  const auto check = [&] {
    if (failure) {
      throw IoError(folder + ": cannot be listed: " + failure.message());
    }
  };
  check();
  for (; entries != fs::recursive_directory_iterator(); entries.increment(failure), check()) {
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.')) {
      entries.disable_recursion_pending();
    } else if (entries->is_regular_file(ignored)) {
      paths.push_back(entries->path().lexically_relative(folder).generic_string());
      if (paths.size() % 1024 == 0) {
        run.check_stop();
      }
    }
  }
  return paths;
}

void append_contents(InputStream& stream, StringRowsBuilder& texts, std::vector<char>& block) {
  while (const std::size_t got = stream.read(block.data(), block.size())) {
    texts.append({block.data(), got});
  }
}

}  // namespace

std::optional<ArchivePath> find_archive(const std::string& path) {
  for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
    std::error_code failure;
    const std::string front = path.substr(0, slash);
    if (fs::is_regular_file(front, failure)) {
      return ArchivePath{front, path.substr(slash + 1)};
    }
  }
  return std::nullopt;
}

DataFile read_text_folder(const std::string& path, const Run& run) {
  std::string folder = path;
  while (folder.size() > 1 && folder.ends_with('/')) {
    folder.pop_back();
  }
  const std::vector<std::string> paths = list_files(folder, run);
  const std::vector<ChosenText> chosen = choose_texts(paths, folder, run);
  StringRowsBuilder texts;
  std::vector<char> block(std::size_t{256} << 10);
  for (const ChosenText& text : chosen) {
    InputStream stream((fs::path(folder) / paths[text.number]).string());
    append_contents(stream, texts, block);
    texts.end_row();
    run.check_stop();
    run.progress("reading " + folder, static_cast<double>(texts.rows()), static_cast<double>(chosen.size()));
  }
  return labeled_texts(texts.finish(), chosen);
}

DataFile read_text_archive(InputStream& stream, const std::string& folder, const Run& run) {
  std::string prefix = folder;
  while (prefix.ends_with('/')) {
    prefix.pop_back();
  }
  prefix += prefix.empty() ? "" : "/";
  TarReader archive(stream);
  StringRowsBuilder texts;
  std::vector<std::string> paths;
  std::set<std::string> others;  // folders outside, for the message
  std::vector<char> block(std::size_t{256} << 10);
  while (archive.next()) {
    run.check_stop();
    run.progress("reading " + stream.name(), static_cast<double>(texts.rows()), 0);
    if (!archive.path().starts_with(prefix)) {
      if (others.size() < 20) {
        others.emplace(first_folder(archive.path()));
      }
      continue;
    }
    std::string path = archive.path().substr(prefix.size());
    if (path.empty() || is_hidden(path)) {
      continue;
    }
    while (const std::size_t got = archive.read(block.data(), block.size())) {
      texts.append({block.data(), got});
      run.check_stop();
    }
    texts.end_row();
    paths.push_back(std::move(path));
  }
  if (paths.empty() && !others.empty()) {
    throw DataError({stream.name()}, "there is no folder '" + folder + "' in the archive; it holds " +
                                         join(std::vector<std::string>(others.begin(), others.end()), ", "));
  }
  const std::string name = folder.empty() ? stream.name() : stream.name() + "/" + prefix.substr(0, prefix.size() - 1);
  const std::vector<ChosenText> chosen = choose_texts(paths, name, run);
  std::vector<Index> order;
  for (const ChosenText& text : chosen) {
    order.push_back(static_cast<Index>(text.number));
  }
  const Samples sorted = texts.finish().select(order);
  // Fresh samples: the order of the archive is nobody's business.
  return labeled_texts(Samples(sorted.rows(), std::make_shared<Samples>(sorted)), chosen);
}

}  // namespace mercer
