// FitReport: what a fit says of itself. People read it as text; code asks by Fact, never by a name or a sentence.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/words.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// What code asks a fit for, and the name that people and model files have for it.
enum class Fact {
  support_vectors,
  support_fraction,
  rho,
  radius,
  relative_gap,
  noise_variance,
  noise_scale,
  total_variance,
  log_evidence,
  lambda,
  inertia,
  distance_sum,
  epochs,
  kernel_error,
  kernel_weight,
  weight_gap
};
constexpr auto words_of(Fact) {
  return std::array{Word{Fact::support_vectors, "support vectors"},
                    Word{Fact::support_fraction, "fraction of support vectors"},
                    Word{Fact::rho, "rho"},
                    Word{Fact::radius, "radius"},
                    Word{Fact::relative_gap, "relative gap"},
                    Word{Fact::noise_variance, "noise variance"},
                    Word{Fact::noise_scale, "noise scale"},
                    Word{Fact::total_variance, "total variance"},
                    Word{Fact::log_evidence, "log evidence"},
                    Word{Fact::lambda, "lambda"},
                    Word{Fact::inertia, "inertia"},
                    Word{Fact::distance_sum, "sum of distances"},
                    Word{Fact::epochs, "epochs"},
                    Word{Fact::kernel_error, "kernel error (rms)"},
                    Word{Fact::kernel_weight, "weight"},
                    Word{Fact::weight_gap, "duality gap of the weights"}};
}

/// What code needs to know of a note; what it says is for people.
enum class NoteKind {
  plain,
  limit_reached,  ///< a parameter at an end of its range
  jitter_added,   ///< the diagonal of a matrix was raised
  primal_form,    ///< the coefficients are those of few rows, or weights of columns, not one of every training row
  pivoted_rows    ///< the components lie in the span of pivots
};
constexpr auto words_of(NoteKind) {
  return std::array{Word{NoteKind::plain, "plain"}, Word{NoteKind::limit_reached, "limit reached"},
                    Word{NoteKind::jitter_added, "jitter added"}, Word{NoteKind::primal_form, "primal form"},
                    Word{NoteKind::pivoted_rows, "pivoted rows"}};
}

/// A plain sentence for people: jitter added, rows dropped, primal form used, …
struct Note {
  std::string text;
  NoteKind kind = NoteKind::plain;

  Note(std::string sentence, NoteKind of = NoteKind::plain)  // NOLINT(google-explicit-constructor): most are plain
      : text(std::move(sentence)), kind(of) {}
  Note(const char* sentence) : text(sentence) {}        // NOLINT(google-explicit-constructor): likewise
  operator const std::string&() const { return text; }  // NOLINT(google-explicit-constructor): where they are shown
  bool operator==(const Note&) const = default;
  bool operator==(const char* sentence) const { return text == sentence; }
};

/// `fit --json` prints it, model files keep it.
struct FitReport {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  std::string objective_name;  ///< "relative residual", "dual objective", …
  double objective = 0;
  struct Phase {
    std::string name;
    double seconds = 0;
  };
  std::vector<Phase> phases;
  struct Measure {
    std::string name;
    double value = 0;
    std::optional<Fact> fact = {};  ///< what code knows it by
    std::string about = {};         ///< of a fact that there are several of: which output, which kernel

    Measure(std::string title, double number) : name(std::move(title)), value(number) {}
    Measure(Fact of, double number, std::string what = {});
  };
  std::vector<Measure> measures;  ///< what was asked for beside: "leave-one-out RMSE", …
  std::vector<Note> notes;

  /// `about`: where there are several, what it is of.
  void measure(Fact fact, double value, std::string about = {}) {
    measures.emplace_back(fact, value, std::move(about));
  }
  /// The first where there are several; nothing where it was not measured.
  std::optional<double> measured(Fact fact) const;
  /// A fact that changed after the fit (a model that was made smaller); does nothing where it was not measured.
  void change(Fact fact, double value);
  std::vector<std::string> note_texts() const { return {notes.begin(), notes.end()}; }
  std::vector<std::string> note_texts(NoteKind kind) const;
};

}  // namespace mercer
