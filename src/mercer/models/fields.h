// Fields: the visitor to which a model describes its parts, once for saving, loading and looking at them:
//
//   void KnnModel::Parts::fields(Fields& visit) {
//     visit.options(options, knn_option_table());
//     visit.kernel(kernel);
//     visit.samples("samples", samples);
//     visit.column("weights", weights, samples.size(), Constraint::positive);
//     …
//   }
//
// Saving, the parts are copied and left as they are. Loading, they are empty at first, and each call fills its part or
// throws DataError: what is missing, of another shape, not finite or outside of its limits. Later calls may use what
// earlier ones filled. A part that is an object of its own with an invariant is described by its pieces, and made anew
// where loading().
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model_state.h"
#include "mercer/models/option_limits.h"
#include "mercer/models/option_table.h"

namespace mercer {

/// In place of a number of rows or columns that nothing else decides.
inline constexpr Index any_count = -1;

struct Shape {
  Index rows = any_count;
  Index columns = any_count;
};

/// In place of the limit of numbers of rows that nothing else bounds.
inline constexpr Index any_index = std::numeric_limits<Index>::max();

/// What the numbers of an expansion do not say.
struct ExpansionForm {
  Index outputs = 1;
  /// Nothing: a constant, or none where the matrix has no rows.
  std::optional<ParametricPart> part = ParametricPart::constant;
  /// That of kernel values where a file of format 1 or 2 does not say.
  Precision precision_before = Precision::double_precision;
};

class Fields {
 public:
  enum class Direction { saving, loading };

  /// Loading takes the parts out of the state. Saving copies them into it, or, where a name is given, the part of that
  /// name alone.
  Fields(Direction direction, ModelState& state, const Run& run, std::string_view only = {})
      : direction_(direction), state_(state), run_(run), only_(only) {}

  bool loading() const { return direction_ == Direction::loading; }
  const ModelHead& head() const { return state_.head; }
  Index outputs() const { return static_cast<Index>(head().output_names.size()); }
  Index classes() const { return static_cast<Index>(head().classes.size()); }
  const Run& run() const { return run_; }

  /// From the settings of the head, which are checked before the parts describe themselves (model_entry.h).
  template <class Options>
  void options(Options& options, std::span<const Option<Options>> table) {
    if (loading()) {
      apply_settings<Options>(head().name, table, head().settings, options);
    }
  }

  /// Finite numbers within the limits; likewise below.
  void matrix(const std::string& name, Matrix<double>& values, Shape shape, const Limits& limits = {});
  /// One column.
  void column(const std::string& name, std::vector<double>& values, Index size, const Limits& limits = {});
  void number(const std::string& name, double& value, const Limits& limits = {});
  /// Whole numbers from 0 to below `limit`, in one column. Files of formats 1 and 2 hold them as doubles.
  void indices(const std::string& name, std::vector<Index>& values, Index size, Index limit);
  void index(const std::string& name, Index& value, Index limit);
  void samples(const std::string& name, Samples& samples);
  /// The kernel of the model, with its widths resolved.
  void kernel(Kernel& kernel);
  /// `outputs` may be any_count, of features. The kernel, the samples "centres", the matrices "coefficients" and "parametric", the word "kernel_precision".
  void expansion(Expansion& expansion, const ExpansionForm& form);
  template <HasWords Enum>
  void word(const std::string& name, Enum& value) {
    if (!loading()) {
      put_word(name, word_of(value));
      return;
    }
    const std::string text = taken_word(name);
    const auto found = find_word<Enum>(text);
    require(found.has_value(), "'" + name + "' = '" + text + "', which is none of " + join(all_words<Enum>(), ", "));
    value = *found;
  }
  /// Matrices and samples whose names begin with the prefix, however many there are.
  void group(const std::string& prefix, std::map<std::string, Matrix<double>>& numbers,
             std::map<std::string, Samples>& samples);

  /// A part that is not always there: as given where saving, whether the state has it where loading.
  bool present(const std::string& name, bool is_there) const;
  /// DataError "a stored NAME model with WHAT" where loading and it does not hold.
  void require(bool holds, std::string_view what) const;

 private:
  bool is_wanted(std::string_view name) const { return only_.empty() || name == only_; }
  void put(const std::string& name, ConstMatrixView<double> values);
  void put(const std::string& name, ConstMatrixView<Index> values);
  void put_samples(const std::string& name, const Samples& samples);
  void put_word(const std::string& name, std::string_view text);
  std::string taken_word(const std::string& name);
  Precision stored_precision(Precision before);

  Direction direction_;
  ModelState& state_;
  const Run& run_;
  std::string_view only_;
};

}  // namespace mercer
