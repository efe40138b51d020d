// One binary for every CPU: a function marked MERCER_CLONES is compiled for AVX-512 (x86-64-v4), for AVX2 with FMA
// (x86-64-v3) and for the baseline, and the loader picks one for the machine it runs on.
//
// Put it on non-inline functions in .cpp files only, never on templates or in headers: the copies have one definition,
// and everything a copy inlines is compiled with the copy's instruction set. Arithmetic inside may be contracted to
// fused multiply-adds, so results may differ between CPU generations in the last bits, never between runs on one
// machine.
#pragma once

// Thread sanitizer: the resolvers would run before its runtime is set up. Address sanitizer: three copies of the largest
// functions take long to compile and are no more checked than one.
#if defined(__SANITIZE_THREAD__)
#define MERCER_NO_CLONES
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define MERCER_NO_CLONES
#endif
#endif

#if !defined(MERCER_NO_CLONES) && defined(__x86_64__) && defined(__linux__) && defined(__has_attribute) && \
    ((defined(__clang__) && __clang_major__ >= 18) || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 12))
#define MERCER_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MERCER_CLONES
#endif

/// For the small functions that a MERCER_CLONES function is made of: they must be compiled inside it, for its target.
#define MERCER_INLINE inline __attribute__((always_inline))
