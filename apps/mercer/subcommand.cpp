#include "subcommand.h"

#include <array>

#include "compress.h"
#include "fit.h"
#include "gram.h"
#include "inspect.h"
#include "kernels.h"
#include "losses.h"
#include "models.h"
#include "path.h"
#include "predict.h"
#include "report.h"
#include "sample.h"
#include "score.h"
#include "test_command.h"
#include "tune.h"
#include "weights.h"

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
      Subcommand{"tune", "search for the best options and kernel parameters, and fit with them", add_tune},
      Subcommand{"predict", "predict with a saved model", add_predict},
      Subcommand{"score", "compare a model's predictions with known targets", add_score},
      Subcommand{"report", "a page about a model: scores, curves, regions, what it is made of", add_report},
      Subcommand{"inspect", "what a saved model is, and what it says of its own test error", add_inspect},
      Subcommand{"weights", "what a linear model looks at: features by weight, and along a sequence", add_weights},
      Subcommand{"compress", "a smaller model that predicts nearly the same", add_compress},
      Subcommand{"sample", "draw new rows from a model of density", add_sample},
      Subcommand{"path", "the solutions of a model for every amount of regularization at once", add_path},
      Subcommand{"test", "are two samples of one distribution; do targets depend on the other columns", add_test},
      Subcommand{"gram", "evaluate a kernel on data: the matrix, its definiteness, its spectrum", add_gram},
      Subcommand{"kernels", "list kernels, or show one", add_kernels},
      Subcommand{"models", "list models, or show one with its options", add_models},
      Subcommand{"losses", "list losses with their formulas, or show one with its numbers", add_losses},
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
