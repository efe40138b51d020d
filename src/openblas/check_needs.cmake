# Fails where OBJECT asks for a routine of the Fortran runtime, or a name of OpenBLAS that its archive does not hold: better
# here than in the link of somebody's program.
execute_process(COMMAND ${NM} --undefined-only --format=posix ${OBJECT} OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(_gfortran_|_?cblas_|openblas_|gotoblas_)[A-Za-z0-9_]+" missing "${undefined}")
if(missing)
  file(REMOVE ${OBJECT})
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "the private copy of OpenBLAS lacks ${missing}: the archive ThreadSafeOpenBLAS_LIBRARY is no OpenBLAS "
    "with LAPACK, or was built by a Fortran compiler that src/openblas/concat_string.cpp does not know")
endif()
