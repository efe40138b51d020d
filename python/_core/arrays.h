// Between NumPy arrays and the library's matrices. Nothing is copied on the way in, and results own their memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer::python {

namespace nb = nanobind;

template <class T>
using InputVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InputMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutputVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using OutputMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
std::span<const T> span_of(const InputVector<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> vector_of(const InputVector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class T>
ConstMatrixView<T> view_of(const InputMatrix<T>& array) {
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

/// The array takes over the values.
template <class T>
OutputVector<T> to_array(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return OutputVector<T>(kept->data(), {kept->size()}, owner);
}

template <class T>
OutputMatrix<T> to_array(Matrix<T> matrix) {
  auto* kept = new Matrix<T>(std::move(matrix));
  const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Matrix<T>*>(memory); });
  return OutputMatrix<T>(kept->data(),
                         {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->columns())}, owner);
}

/// A share in Python objects for memory that C++ refers to. It may be let go on any thread, with or without the GIL.
template <class Object>
std::shared_ptr<const void> keep_alive(Object object) {
  return {new Object(std::move(object)), [](const Object* kept) {
            if (nb::is_alive()) {
              const nb::gil_scoped_acquire gil;
              delete kept;
            }
          }};
}

}  // namespace mercer::python
