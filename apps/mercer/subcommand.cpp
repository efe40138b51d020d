#include "subcommand.h"

#include <array>

#include "fit.h"
#include "gram.h"
#include "kernels.h"
#include "models.h"
#include "predict.h"
#include "score.h"

namespace mercer::program {

namespace {

// The LIBSVM commands read their own arguments before this parser does (libsvm_command.h); here they are only listed.
Action add_listed(CLI::App& /*command*/) {
  return [](Interruption&) {};
}

}  // namespace

std::span<const Subcommand> subcommands() {
  static constexpr std::array table = {
      Subcommand{"fit", "fit a model to data and save it", add_fit},
      Subcommand{"predict", "predict with a saved model", add_predict},
      Subcommand{"score", "compare a model's predictions with known targets", add_score},
      Subcommand{"gram", "evaluate a kernel on data: the matrix, its definiteness, its spectrum", add_gram},
      Subcommand{"kernels", "list kernels, or show one", add_kernels},
      Subcommand{"models", "list models, or show one with its options", add_models},
      Subcommand{"svm-train", "train a LIBSVM model: LIBSVM's flags, lines and files", add_listed},
      Subcommand{"svm-predict", "predict with a LIBSVM model, as LIBSVM does", add_listed},
      Subcommand{"svm-scale", "scale LIBSVM data, as LIBSVM does", add_listed},
  };
  return table;
}

void add_examples(CLI::App& command, std::initializer_list<const char*> lines) {
  std::string text = "Examples:";
  for (const char* line : lines) {
    text += *line == '\0' ? "\n" : std::string("\n  ") + line;
  }
  command.footer(text);
}

}  // namespace mercer::program
