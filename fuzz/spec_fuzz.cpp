// Any text is either a kernel whose printed form reads back as the same kernel, or an InvalidArgument.
#include <cstdint>
#include <cstdlib>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string printed;
  try {
    printed = mercer::parse_kernel({reinterpret_cast<const char*>(data), size}).spec();
  } catch (const mercer::InvalidArgument&) {
    return 0;
  }
  // Outside the try: what was printed must be readable.
  if (mercer::parse_kernel(printed).spec() != printed) {
    std::abort();
  }
  return 0;
}
