// What subcommands print on standard output: aligned tables, JSON, plain text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::program {

using Json = nlohmann::ordered_json;

/// Where a result is printed; messages about a model go to standard error when the model itself is on standard output.
enum class Destination { standard_output, standard_error };

/// Tells people something, at once. A message that cannot be written is lost; the work is done nevertheless.
void tell(std::string_view text, Destination destination = Destination::standard_error);

/// Prints a result at once. Throws OutputClosed where nobody reads any more (mercer kernels | head), WriteError where
/// standard output is closed or a disk is full. On standard error it is a message, whose place the data have taken.
void print(std::string_view text, Destination destination = Destination::standard_output);

/// JSON text with a line end, indented by two blanks.
void print_json(const Json& json, Destination destination = Destination::standard_output);

/// The reader of standard output has gone: nothing to say, as any tool in a pipe.
class OutputClosed {};
/// Whether standard output is a pipe without a reader.
bool output_is_closed();

enum class Align { left, right };

/// Rows of cells under headings, columns two blanks apart, no blanks at line ends.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings, std::vector<Align> alignment = {});
  void add(std::vector<std::string> cells);
  std::string text(std::string_view indent = "") const;

 private:
  std::vector<Align> alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// A number for people: up to `digits` significant digits, "-" for NaN.
std::string readable(double value, int digits = 5);
std::string readable_seconds(double seconds);
std::string readable_bytes(double bytes);
/// "1 row", "2 rows", "1,797 rows".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural = {});

/// Breaks at blanks so that lines fit `width`; lines after the first begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace mercer::program
