# What the library stands on: Debian packages (scripts/install-dependencies), nothing is downloaded.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(ThreadSafeOpenBLAS REQUIRED)
add_library(mercer_openblas ALIAS ThreadSafeOpenBLAS::ThreadSafeOpenBLAS)
