#ifndef TRIDENT_PREDICT_CANDIDATES_HPP
#define TRIDENT_PREDICT_CANDIDATES_HPP

#include "Pattern.hpp"
#include "Prediction.hpp"

namespace Predict {

Sizes sizesOf(const Problem& problem);

/// Every candidate's costs, counted from the sparsity; times are left open. Lists by node are kept for up to
/// mostNodesListed nodes.
Case countCase(const Problem& problem, int nodes, int ranksPerNode, const Setting& setting);

constexpr int mostNodesListed = 1024;

}  // namespace Predict

#endif
