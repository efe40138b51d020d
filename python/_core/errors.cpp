// The library's exceptions as Python's: what the caller chose or gave is a ValueError, arithmetic that cannot go on is
// mercer.NumericalError, files are OSError, a stopped run is KeyboardInterrupt.
#include "mercer/base/error.h"

#include "bind.h"

namespace mercer::python {

namespace nb = nanobind;

namespace {

void translate(const std::exception_ptr& error, void* numerical_error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidArgument& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const DataError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const NumericalError& e) {
    PyErr_SetString(static_cast<PyObject*>(numerical_error), e.what());
  } catch (const Stopped& e) {
    PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
  } catch (const IoError& e) {
    PyErr_SetString(PyExc_OSError, e.what());
  } catch (const Error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  nb::object numerical_error = nb::module_::import_("mercer._errors").attr("NumericalError");
  module.attr("NumericalError") = numerical_error;
  // The translator lives as long as the interpreter, and so must the class.
  nb::register_exception_translator(translate, numerical_error.release().ptr());
}

}  // namespace mercer::python
