#include <TpetraCore_ETIHelperMacros.h>

#include "detail/Trident_MatrixMatrix_def.hpp"

// For the types that the installed Tpetra has, scalars that are ordinals included: as Tpetra does itself.
TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN(TRIDENT_MATRIX_MATRIX_INSTANT)
