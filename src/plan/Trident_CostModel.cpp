#include "plan/Trident_CostModel.hpp"

#include <algorithm>
#include <stdexcept>

namespace Trident {

namespace {

struct Preset {
  const char* name;
  Machine machine;
};

// Nominal figures, none of them measured by us; what was measured for a machine should stand in their place.
const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      // Data sheets: four Slingshot-11 ports of 200 Gbit/s a node; NVLink between four A100. The latencies
      // are
      // the usual order of a message from GPU to GPU; the work is an order of magnitude for hash SpGEMM.
      {"perlmutter-gpu", {2e-6, 100e9, 2e-6, 300e9, 2e9}},
      // The line rate of one Ethernet port and a usual TCP latency; memory bandwidth and a copy inside the
      // node; one core with a dense accumulator.
      {"1gbit", {50e-6, 125e6, 1e-6, 10e9, 1.5e8}},
  };
  return all;
}

}  // namespace

const std::vector<std::string>& Machine::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const Preset& preset : presets()) list.emplace_back(preset.name);
    return list;
  }();
  return all;
}

Machine Machine::named(const std::string& name) {
  for (const Preset& preset : presets())
    if (name == preset.name) return preset.machine;
  std::string allowed;
  for (const std::string& known : names()) allowed += (allowed.empty() ? "" : ", ") + known;
  throw std::invalid_argument("Trident: found the machine \"" + name + "\"; allowed: " + allowed);
}

double seconds(const CandidateCosts& costs, const Machine& machine) {
  // Gi latency: a rank takes its messages one after the other, the ranks of a node at the same time.
  const double giWaits = costs.giMessagesMost * machine.giLatency;
  // Gi bandwidth: all ranks of a node share its links, and all wait for the busiest node.
  const double giTransfer = costs.giBytesMost / machine.giBytesPerSecond;
  // Li latency: the same inside the node.
  const double liWaits = costs.liMessagesMost * machine.liLatency;
  // Li bandwidth: what ranks of a node hand to each other, all at the rate that they have together.
  const double liTransfer = costs.liBytesMost / machine.liBytesPerSecond;
  // Work: the busiest rank's multiplications, at one rate whatever the sparsity.
  const double work = costs.multiplicationsMost / machine.multiplicationsPerSecond;
  return giWaits + giTransfer + liWaits + liTransfer + work;
}

std::size_t cheapest(const std::vector<CandidateCosts>& candidates, const Machine& machine) {
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const CandidateCosts& a, const CandidateCosts& b) {
                                       return seconds(a, machine) < seconds(b, machine);
                                     });
  return static_cast<std::size_t>(best - candidates.begin());
}

}  // namespace Trident
