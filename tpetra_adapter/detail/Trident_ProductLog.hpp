#ifndef TRIDENT_PRODUCT_LOG_HPP
#define TRIDENT_PRODUCT_LOG_HPP

#include <string>

#include "multiply/Trident_ProductReport.hpp"

namespace Trident {
namespace detail {

/// The functions whose products are logged, each with its own counts.
enum class ProductKind { multiply, jacobi, multiplyRAP };

/// Whether the environment variable TRIDENT_REPORT asks for a log of this process' products: it is set, and
/// neither empty nor "0". The ranks of a product must agree on it, as what is logged is summed over them.
bool isLogWanted();

/// Enters one product that has ended, taken or handed back, if a log is wanted and this rank is rank 0 of the
/// product's communicator. Local.
///
/// At the end of the process the log is printed to stderr (TRIDENT_REPORT=1) or appended to the file that
/// TRIDENT_REPORT names, by every process that has entries: those that were rank 0 of some communicator.
/// Nothing of MPI is used then.
void logProduct(ProductKind kind, const std::string& label, const ProductReport& report);

}  // namespace detail
}  // namespace Trident

#endif
