#ifndef TRIDENT_PREDICT_REPORT_HPP
#define TRIDENT_PREDICT_REPORT_HPP

#include <iosfwd>
#include <vector>

#include "Options.hpp"
#include "Prediction.hpp"

namespace Predict {

void printText(std::ostream& out, const Options& options, const Sizes& sizes, const std::vector<Case>& cases);
void printJson(std::ostream& out, const Options& options, const Sizes& sizes, const std::vector<Case>& cases);

}  // namespace Predict

#endif
