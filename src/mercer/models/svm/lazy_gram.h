// LazyGram: a Gram matrix in double that is made when it is first asked for. Most machines never need one beside the
// single precision that they are trained in.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "mercer/base/once.h"
#include "mercer/gram/gram.h"

namespace mercer {

class LazyGram {
 public:
  using Make = std::function<std::shared_ptr<const Gram<double>>()>;

  explicit LazyGram(Make make) : make_(std::move(make)) {}

  /// From any thread; made once.
  const std::shared_ptr<const Gram<double>>& get() const {
    made_([this] { gram_ = make_(); });
    return gram_;
  }

 private:
  Make make_;
  mutable Once made_;
  mutable std::shared_ptr<const Gram<double>> gram_;
};

}  // namespace mercer
