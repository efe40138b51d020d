// Texts between Python and the library, whose strings are bytes. Bytes that are no UTF-8 (Latin-1 files, k-mers that cut a
// character) are lone surrogates in Python, as in its names of files (surrogateescape, PEP 383), so that every string comes
// back as the bytes that it was.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::python {

/// How bytes that are no UTF-8 are shown.
enum class OddBytes {
  escaped,   ///< as lone surrogates, which come back as these bytes
  readable,  ///< as \xff, for names that are printed
};

nanobind::str text_of(std::string_view bytes, OddBytes odd = OddBytes::escaped);
nanobind::list texts_of(std::span<const std::string> strings, OddBytes odd = OddBytes::escaped);

/// The bytes of a sequence of str. TypeError for other items; ValueError, with the item's number, for surrogates that
/// stand for no byte.
std::vector<std::string> bytes_of(const nanobind::sequence& texts);

}  // namespace mercer::python
