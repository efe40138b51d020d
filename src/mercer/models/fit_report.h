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
  total_variance
};
constexpr auto words_of(Fact) {
  return std::array{Word{Fact::support_vectors, "support vectors"},
                    Word{Fact::support_fraction, "fraction of support vectors"},
                    Word{Fact::rho, "rho"},
                    Word{Fact::radius, "radius"},
                    Word{Fact::relative_gap, "relative gap"},
                    Word{Fact::noise_variance, "noise variance"},
                    Word{Fact::noise_scale, "noise scale"},
                    Word{Fact::total_variance, "total variance"}};
}

/// What code does with a note beside showing it: nothing, or warn of a parameter at an end of its range.
enum class NoteKind { plain, limit_reached };

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
  };
  std::vector<Measure> measures;  ///< what was asked for beside: "leave-one-out RMSE", …
  std::vector<Note> notes;

  /// `output`: where there are several, which one it is of.
  void measure(Fact fact, double value, std::optional<std::string_view> output = {});
  /// Of the first output where there are several; nothing where it was not measured.
  std::optional<double> measured(Fact fact) const;
  /// A fact that changed after the fit (a model that was made smaller); does nothing where it was not measured.
  void change(Fact fact, double value);
  std::vector<std::string> note_texts() const { return {notes.begin(), notes.end()}; }
};

}  // namespace mercer
