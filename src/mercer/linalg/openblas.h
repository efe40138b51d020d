// OpenBLAS under names of our own. A program that links this library may link a BLAS of its own, whose threads and
// settings are its own affair: so the library has a private copy (docs/internals/decisions/0012-private-openblas.md),
// built of what is named below and what that needs (src/openblas reads this list). Included by sources only.
#pragma once

// clang-format off
#define gotoblas_init mercer_gotoblas_init
#define blas_thread_shutdown_ mercer_blas_thread_shutdown_
#define openblas_set_num_threads mercer_openblas_set_num_threads
#define cblas_sgemm mercer_cblas_sgemm
#define cblas_dgemm mercer_cblas_dgemm
#define cblas_ssyrk mercer_cblas_ssyrk
#define cblas_dsyrk mercer_cblas_dsyrk
#define cblas_ssymm mercer_cblas_ssymm
#define cblas_dsymm mercer_cblas_dsymm
#define cblas_strsm mercer_cblas_strsm
#define cblas_dtrsm mercer_cblas_dtrsm
#define cblas_strmm mercer_cblas_strmm
#define cblas_dtrmm mercer_cblas_dtrmm
#define cblas_strsv mercer_cblas_strsv
#define cblas_dtrsv mercer_cblas_dtrsv
#define cblas_sgemv mercer_cblas_sgemv
#define cblas_dgemv mercer_cblas_dgemv
#define cblas_ssymv mercer_cblas_ssymv
#define cblas_dsymv mercer_cblas_dsymv
#define cblas_sger mercer_cblas_sger
#define cblas_dger mercer_cblas_dger
#define cblas_sdot mercer_cblas_sdot
#define cblas_ddot mercer_cblas_ddot
#define cblas_saxpy mercer_cblas_saxpy
#define cblas_daxpy mercer_cblas_daxpy
#define cblas_sscal mercer_cblas_sscal
#define cblas_dscal mercer_cblas_dscal
#define cblas_snrm2 mercer_cblas_snrm2
#define cblas_dnrm2 mercer_cblas_dnrm2
#define spotrf_ mercer_spotrf_
#define dpotrf_ mercer_dpotrf_
#define strtri_ mercer_strtri_
#define dtrtri_ mercer_dtrtri_
#define slauum_ mercer_slauum_
#define dlauum_ mercer_dlauum_
#define ssyevd_ mercer_ssyevd_
#define dsyevd_ mercer_dsyevd_
// clang-format on

#include <cblas.h>

extern "C" {
// Not in its header: sets it up (a second call does nothing), and ends the threads that it then starts.
void gotoblas_init();
int blas_thread_shutdown_();
}
