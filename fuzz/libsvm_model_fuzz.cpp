// Any bytes as a LIBSVM model: either a model that is written, read back and predicts, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mercer/base/error.h"
#include "mercer/io/libsvm_model_file.h"
#include "mercer/models/libsvm/libsvm_prediction.h"

namespace {

std::string text_of(const mercer::LibsvmModel& model) {
  std::string text;
  mercer::write_libsvm_model(model, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  try {
    const mercer::LibsvmModel model =
        mercer::parse_libsvm_model({reinterpret_cast<const char*>(data), size}, "fuzz", run);
    const std::string text = text_of(model);
    if (text_of(mercer::parse_libsvm_model(text, "again", run)) != text) {
      std::abort();
    }
    if (model.kernel != mercer::LibsvmKernel::precomputed && model.support_vectors.columns() < 1000) {
      const mercer::Samples sample =
          mercer::make_sparse(std::vector<double>{0.5, 2.0}, std::vector<std::int32_t>{1, 3}, {0, 2}, 4);
      const auto decisions = mercer::libsvm_decision_values(model, sample, run);
      mercer::libsvm_predictions(model, decisions.view());
    }
  } catch (const mercer::DataError&) {
  } catch (const mercer::NumericalError&) {  // finite numbers whose sums or products are not
  }
  return 0;
}
