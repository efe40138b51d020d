// The version of the library, in one place: CMakeLists.txt reads it from here for the package and the program, and model
// files say which version wrote them. Semantic versioning; before 1.0 a minor version may change the interface.
#pragma once

namespace mercer {

inline constexpr const char* library_version = "0.1.0";

}  // namespace mercer
