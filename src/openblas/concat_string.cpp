// The one routine of gfortran's runtime that the LAPACK routines in use call: with it the private copy of OpenBLAS needs
// no Fortran runtime. The interface is gfortran's since version 8.
#include <algorithm>
#include <cstddef>

/// target = first // second, cut or filled up with blanks to its length.
extern "C" void concat_string(std::size_t length, char* target, std::size_t first_length, const char* first,
                              std::size_t second_length, const char* second) __asm__("_gfortran_concat_string");

void concat_string(std::size_t length, char* target, std::size_t first_length, const char* first,
                   std::size_t second_length, const char* second) {
  const std::size_t from_first = std::min(length, first_length);
  const std::size_t from_second = std::min(length - from_first, second_length);
  char* const after_first = std::copy_n(first, from_first, target);
  char* const after_second = std::copy_n(second, from_second, after_first);
  std::fill_n(after_second, length - from_first - from_second, ' ');
}
