#ifndef TRIDENT_SPGEMM_REPORT_HPP
#define TRIDENT_SPGEMM_REPORT_HPP

#include <iosfwd>

#include "Results.hpp"

namespace Spgemm {

void printText(std::ostream& out, const Results& results);

/// One JSON object; README.md lists its keys.
void printJson(std::ostream& out, const Results& results);

}  // namespace Spgemm

#endif
