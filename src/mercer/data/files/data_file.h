// Reading data files: one call for every format, chosen by content and extension.
//
//   const DataFile train = read_data("train.csv.gz", {.targets = {"label"}}, run);
//
// Vectors and tables: LIBSVM/SVMlight text, CSV/TSV and blank-separated tables, NumPy .npy, idx (the format of MNIST).
// Other things: FASTA sequences, JSON lines (numbers, texts, sets, bags of vectors, graphs), graph sets in the layout of
// the TU collection, folders or tar archives of texts with one folder per class, texts one per line. Files are plain or
// compressed with gzip, bzip2 or xz; "-" is standard input. Input is not trusted: every error is a DataError with
// file, line and column, memory follows what is really there and not what a header claims.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/data/preparation.h"
#include "mercer/data/samples.h"
#include "mercer/data/targets.h"

namespace mercer {

/// `graphs`: a TU graph set; `texts`: a folder or archive of texts; `lines`: one text per line, never found by itself.
enum class FileFormat { automatic, libsvm, csv, npy, idx, fasta, json_lines, graphs, texts, lines };
std::string_view to_string(FileFormat format);

enum class Header { automatic, present, absent };
/// Of inputs. `drop` leaves out rows with a missing number, `keep` makes them NaN (missing targets are refused, see below).
enum class MissingValues { reject, drop, keep };
/// Rows without a target, where targets are required. `left_out`: these rows alone, of tables; they are counted.
enum class UnlabeledRows { reject, left_out };
/// Numeric columns of a file without names are a block of numbers, or a table with names after their places in the file:
/// "column 3".
enum class PlaceNames { none, given };
enum class RowsLeft { some, any };
/// Of delimited text. `rows`: below the first line of a file of one column an empty line is a row whose value is missing, for
/// rows that are neighbors of each other.
enum class EmptyLines { skipped, rows };
/// Dates as numbers alone, or with columns for their parts that come again (DatePart): "when_weekday" of "when".
enum class Dates { numbers, parts };
enum class NonFinite { reject, accept };
/// Of targets, weights, groups and noise. `optional`: a file without them is fine. `ignored`: so it is, and where their
/// columns stand in the file, nobody looks at what they hold, as for prediction.
enum class Presence { required, optional, ignored };
/// What may stand for a column. `names`: a name that is a number, of a model's target, is no number of a column.
enum class References { names_and_numbers, names };
/// How a LIBSVM file counts features. `detect`: from 0 if an index 0 occurs, otherwise from 1. `precomputed`: column 0
/// is the serial number of LIBSVM's precomputed kernels, columns keep the numbers of the file.
enum class LibsvmIndices { from_one, from_zero, detect, precomputed };

struct ReadOptions {
  FileFormat format = FileFormat::automatic;
  StoredPrecision precision = StoredPrecision::float64;
  NonFinite non_finite = NonFinite::reject;

  /// Columns of CSV and .npy that are not inputs, by name or number (from 0; -1 is the last); keys of JSON lines; keys
  /// of FASTA headers (`label` finds "label=1", `id` is the first word).
  std::vector<std::string> targets = {};
  /// Tables: the columns that are inputs, as everywhere by name, number from 0 (-1 is the last) or range: age:bmi is all
  /// from the one to the other, 0:3 is 0, 1, 2. Empty: all that serve no other purpose.
  std::vector<std::string> inputs = {};
  /// Tables: columns that are left out.
  std::vector<std::string> ignored = {};
  Presence targets_presence = Presence::required;
  References target_references = References::names_and_numbers;
  std::string weights = {};
  std::string groups = {};
  std::string noise = {};
  std::string_view noise_meaning = "noise";  ///< what messages call the numbers of that column
  /// How labels are read, where a model says so; otherwise their file decides.
  std::optional<LabelKind> label_kind = {};
  /// Another file (idx, .npy or a table of one column) that holds the targets.
  std::string targets_file = {};

  Header header = Header::automatic;
  char separator = 0;  ///< 0: found among , ; tab | and blanks; ' ' stands for runs of blanks and tabs
  MissingValues missing = MissingValues::reject;
  std::vector<std::string> complete = {};     ///< columns whose values must be there also where others may be missing
  std::vector<std::string> categorical = {};  ///< columns of these kinds whatever their contents look like
  std::vector<std::string> text = {};
  /// The columns of the training samples: kinds are not guessed, and apply_schema brings them into order.
  std::optional<Schema> schema = {};

  LibsvmIndices indices = LibsvmIndices::from_one;
  Index columns = 0;                   ///< sparse samples have at least so many
  Index chunk_bytes = Index{1} << 20;  ///< LIBSVM text is parsed in parallel by pieces of this size

  /// Columns of CSV whose fields are sets like "a;b;c" or "a|b|c".
  std::vector<std::string> sets = {};
  /// Columns of CSV and keys of JSON lines that are categories wherever they are not numbers: never texts.
  std::vector<std::string> categorical_words = {};
  /// Names of the only inputs that will be looked at: others are left out, where the file has all of these and no schema
  /// says what is an input. Empty: all.
  std::vector<std::string> needed = {};
  UnlabeledRows unlabeled = UnlabeledRows::reject;
  Dates dates = Dates::numbers;
  PlaceNames place_names = PlaceNames::none;
  /// Whether DataBatches takes a file of which every row is left out.
  RowsLeft rows_left = RowsLeft::some;
  EmptyLines empty_lines = EmptyLines::skipped;
  /// Columns whose values may be missing where rows with missing values are dropped: these rows stay.
  std::vector<std::string> incomplete = {};

  /// Columns and numbers as in the training rows.
  void read_like(const Preparation& preparation);
};

struct DataFile {
  Samples samples;
  std::optional<Targets> targets = {};
  std::vector<double> weights = {};  ///< empty: none in the file
  std::vector<double> noise = {};
  ClassLabels groups = {};
  Schema schema = {};
  FileFormat format = FileFormat::automatic;
  Index dropped_rows = 0;             ///< for missing values
  Index unlabeled_rows = 0;           ///< those of them that lack nothing but their target
  std::vector<Index> kept_rows = {};  ///< where rows were dropped: the numbers of the others in the file
  /// Of a table: the names of all columns in the order of the file, inputs or not, read or not.
  std::vector<std::string> columns = {};
  /// Of tables with a schema: by column of categories, the numbers of the rows in the file that have none.
  std::map<std::string, std::vector<Index>> missing_categories = {};
  /// Inputs without a single value, which are left out where rows with missing values are: there would be no row.
  std::vector<std::string> empty_columns = {};
};

/// Reads a file ("-": standard input), the graph set or the texts of a folder, or the texts of one folder of an archive
/// ("news.tar.xz/train"). One pass over the text, two for plain LIBSVM files; see the readers for memory.
DataFile read_data(const std::string& path, const ReadOptions& options = {}, const Run& run = {});

/// The same from an open stream or from memory.
DataFile read_data(InputStream& stream, const ReadOptions& options = {}, const Run& run = {});

/// A data file as blocks of rows, for a model that was fitted before: delimited text is read as it comes, in memory that
/// does not grow with the file; what labels look like is then said by options.label_kind, or else by each block itself. What
/// can be read only as a whole is one block: other formats, and targets in a file of their own.
class DataBatches {
 public:
  /// With options.schema; blocks have at most so many rows.
  DataBatches(const std::string& path, ReadOptions options, Index rows, const Run& run);
  ~DataBatches();
  DataBatches(const DataBatches&) = delete;
  DataBatches& operator=(const DataBatches&) = delete;
  DataBatches(DataBatches&&) = delete;
  DataBatches& operator=(DataBatches&&) = delete;

  /// The next rows, kept_rows counted from the first of them; nothing at the end. Where rows with missing values are dropped, a block may be without rows. Throws
  /// as read_data().
  std::optional<DataFile> next();

 private:
  class Text;
  std::unique_ptr<Text> text_;  // null: one block
  std::optional<DataFile> whole_;
};

/// What the first bytes and the name say; never `automatic`. DataError for an empty file and for known foreign formats.
FileFormat detect_format(InputStream& stream);

}  // namespace mercer
