// Texts in folders: one file per sample, one folder per class, on disk or in a tar archive.
//
//   news/sport/0017.txt   news/sport/0018.txt   news/politics/0042.txt
//
// gives three texts of the classes politics and sport. A folder that holds files and no folders gives texts without
// classes. Files and folders whose name begins with a dot are passed over. Samples stand in the order of their class and
// path, by bytes. Contents are bytes: any encoding is read as it is. Memory: the texts, twice for an archive.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// DataError where there are no texts, or where a folder holds sets of classes rather than classes: then it says how to
/// name one of them. The target is named class.
DataFile read_text_folder(const std::string& path, const Run& run);

/// The same from an archive; `folder`: the folder inside it, empty for all.
DataFile read_text_archive(InputStream& stream, const std::string& folder, const Run& run);

/// Cuts "news.tar.xz/train" where its first part is a file: the file, and the folder inside it. Empty where there is no
/// such file.
struct ArchivePath {
  std::string archive;
  std::string folder;
};
std::optional<ArchivePath> find_archive(const std::string& path);

}  // namespace mercer
