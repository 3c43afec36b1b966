#ifndef TRIDENT_PREDICT_RANDOMMODEL_HPP
#define TRIDENT_PREDICT_RANDOMMODEL_HPP

#include "Options.hpp"
#include "Prediction.hpp"

namespace Predict {

Sizes sizesOf(const RandomMatrix& matrix);

/// Every candidate's costs for the square of a uniformly random matrix, as expected values: all nodes are
/// alike, so the busiest is the mean. Times and lists by node are left open.
Case expectCase(const RandomMatrix& matrix, int nodes, int ranksPerNode, const Setting& setting);

}  // namespace Predict

#endif
