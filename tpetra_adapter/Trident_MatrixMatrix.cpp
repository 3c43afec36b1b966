#include "detail/Trident_MatrixMatrix_def.hpp"

namespace {
using Map = Tpetra::Map<>;
}

TRIDENT_MATRIX_MATRIX_INSTANT(double, Map::local_ordinal_type, Map::global_ordinal_type, Map::node_type);
