#ifndef TRIDENT_MUELU_HOOKS_PRODUCT_LOG_HPP
#define TRIDENT_MUELU_HOOKS_PRODUCT_LOG_HPP

#include <string>
#include <vector>

#include "multiply/Trident_ProductReport.hpp"

namespace Trident {

/// One product that a factory of a hierarchy asked for.
struct ProductRecord {
  std::string label;       ///< as MueLu names it, e.g. "MueLu::A*P-1": the number is the coarse level
  int ranks = 0;           ///< ranks of the product's communicator; repartitioned levels have fewer
  bool intoGraph = false;  ///< the product was given a result that has a graph already
  double seconds = 0;      ///< this rank's wall-clock time
  ProductReport report;    ///< filled in where the log asks for reports
};

/// What the factories of one hierarchy multiplied, in the order in which they did: each factory that shares
/// the log appends to it at every set-up.
///
/// Local to a rank. All ranks or none must have a log that asks for reports, as reports cost small
/// all-reduces.
struct ProductLog {
  bool reports = true;
  std::vector<ProductRecord> products;
};

}  // namespace Trident

#endif
