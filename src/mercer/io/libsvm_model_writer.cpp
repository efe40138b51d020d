// The writing half of io/libsvm_model_file.h.
#include <charconv>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/io/libsvm_model_file.h"

namespace mercer {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18;

class ModelText {
 public:
  explicit ModelText(const std::function<void(std::string_view)>& sink) : sink_(sink) {}

  ModelText& operator<<(std::string_view text) {
    buffer_ += text;
    return *this;
  }
  ModelText& operator<<(double value) {
    if (!std::isfinite(value)) {
      throw InvalidArgument("a LIBSVM model with a number that is not finite cannot be written");
    }
    return append(value);
  }
  ModelText& operator<<(Index value) { return append(value); }
  ModelText& operator<<(int value) { return append(value); }

  template <class Values>
  void line(std::string_view key, const Values& values) {
    *this << key;
    for (const auto value : values) {
      *this << " " << value;
    }
    *this << "\n";
  }

  void end_line() {
    buffer_ += '\n';
    if (buffer_.size() >= piece_bytes) {
      flush();
    }
  }
  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

 private:
  template <class T>
  ModelText& append(T value) {
    char digits[32];
    buffer_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }

  const std::function<void(std::string_view)>& sink_;
  std::string buffer_;
};

void write_header(ModelText& text, const LibsvmModel& model) {
  using enum LibsvmKernel;
  text << "svm_type " << to_string(model.type) << "\nkernel_type " << to_string(model.kernel) << "\n";
  if (model.kernel == polynomial) {
    text << "degree " << model.degree << "\n";
  }
  if (model.kernel == polynomial || model.kernel == rbf || model.kernel == sigmoid) {
    text << "gamma " << model.gamma << "\n";
  }
  if (model.kernel == polynomial || model.kernel == sigmoid) {
    text << "coef0 " << model.coef0 << "\n";
  }
  text << "nr_class " << model.classes << "\ntotal_sv " << model.support_count() << "\n";
  text.line("rho", model.rho);
  if (is_classification(model.type)) {
    text.line("label", model.labels);
  }
  if (model.has_probabilities) {
    if (model.type == LibsvmType::one_class) {
      text.line("prob_density_marks", model.density_marks);
    } else {
      text.line("probA", model.probability_a);
    }
    if (is_classification(model.type)) {
      text.line("probB", model.probability_b);
    }
  }
  if (is_classification(model.type)) {
    text.line("nr_sv", model.class_sizes);
  }
  text << "SV\n";
}

template <class T>
void write_features(ModelText& text, const SparseRows<T>& rows, Index i) {
  for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
    text << static_cast<int>(rows.column_numbers[at]) << ":" << static_cast<double>(rows.values[at]) << " ";
  }
}

void write_features(ModelText& text, const Samples& samples, Index i) {
  if (const auto* rows = std::get_if<SparseRows<float>>(&samples.rows())) {
    write_features(text, *rows, i);
  } else {
    write_features(text, samples.as<SparseRows<double>>(), i);
  }
}

}  // namespace

void write_libsvm_model(const LibsvmModel& model, const std::function<void(std::string_view)>& sink) {
  require_consistent(model);
  ModelText text(sink);
  write_header(text, model);
  for (Index i = 0; i < model.support_count(); ++i) {
    for (const double coefficient : model.coefficients.view().row(i)) {
      text << coefficient << " ";
    }
    if (model.kernel == LibsvmKernel::precomputed) {
      text << "0:" << model.serial_numbers[i] << " ";
    } else {
      write_features(text, model.support_vectors, i);
    }
    text.end_line();
  }
  text.flush();
}

void write_libsvm_model(const std::string& path, const LibsvmModel& model) {
  AtomicFile file(path, Compression::none);  // LIBSVM itself reads plain text alone
  write_libsvm_model(model, [&](std::string_view piece) { file.write(piece); });
  file.commit();
}

}  // namespace mercer
