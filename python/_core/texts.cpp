#include "texts.h"

#include "mercer/base/error.h"

namespace mercer::python {

namespace nb = nanobind;

namespace {

std::string bytes_of_item(nb::handle text, std::size_t number) {
  if (!PyUnicode_Check(text.ptr())) {
    throw nb::type_error(
        ("item " + std::to_string(number) + " is no str but " + nb::type_name(text.type()).c_str()).c_str());
  }
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
    return {utf8, static_cast<std::size_t>(size)};
  }
  PyErr_Clear();
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) {
    PyErr_Clear();
    throw InvalidArgument("text " + std::to_string(number) +
                          " (counted from 0) holds a lone surrogate that stands for no byte, which no text has; decode "
                          "files with errors='surrogateescape' or 'replace'");
  }
  return {PyBytes_AS_STRING(encoded.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.ptr()))};
}

}  // namespace

nb::str text_of(std::string_view bytes, OddBytes odd) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                                        odd == OddBytes::escaped ? "surrogateescape" : "backslashreplace");
  if (text == nullptr) {
    throw nb::python_error();
  }
  return nb::steal<nb::str>(text);
}

nb::list texts_of(std::span<const std::string> strings, OddBytes odd) {
  nb::list texts;
  for (const std::string& bytes : strings) {
    texts.append(text_of(bytes, odd));
  }
  return texts;
}

std::vector<std::string> bytes_of(const nb::sequence& texts) {
  std::vector<std::string> strings;
  for (const nb::handle text : texts) {
    strings.push_back(bytes_of_item(text, strings.size()));
  }
  return strings;
}

}  // namespace mercer::python
