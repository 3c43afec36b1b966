#ifndef TRIDENT_PRELOAD_HPP
#define TRIDENT_PRELOAD_HPP

/// Whether this process' Tpetra products are Trident's: 1 if the dynamic linker gives out the functions of
/// libtrident_preload.so for every name that it replaces (Tpetra::MatrixMatrix::Multiply and Jacobi,
/// Tpetra::TripleMatrixMultiply::MultiplyRAP, for all types of the installed Tpetra), 0 if Tpetra's own are
/// found first: the library was linked after Tpetra, or loaded later.
///
/// Local; may be called at any time. Link Trident::preload; a program that is only run under trident-run
/// finds it with dlsym(RTLD_DEFAULT, "trident_is_active").
extern "C" int trident_is_active();

#endif
