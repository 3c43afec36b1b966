#include <TpetraCore_ETIHelperMacros.h>

#include "detail/Trident_TiledMatrix_def.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN(TRIDENT_TILED_MATRIX_INSTANT)
