#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "Report.hpp"

namespace Predict {

namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers as such: counts are whole, expected values need not be.
Json number(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::abs(value) < exact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

std::string textOf(const Trident::NodeGrid& grid) {
  std::ostringstream out;
  out << grid;
  return out.str();
}

/// Lists with one number a node, by phase.
void addPhases(Json& json, const Prediction& prediction) {
  Json bytes = Json::object(), entries = Json::object(), rows = Json::object();
  for (std::size_t p = 0; p < phaseCount; ++p) {
    const PhaseTraffic& phase = prediction.phases[p];
    if (phase.entries.empty()) continue;
    PerNode received;
    for (std::size_t v = 0; v < phase.entries.size(); ++v)
      received.push_back(phase.entries[v] * entryBytes +
                         phase.rowLengths[v] * (prediction.tpetra ? tpetraRowBytes : rowLengthBytes));
    bytes[phaseNames[p]] = received;
    entries[phaseNames[p]] = phase.entries;
    rows[phaseNames[p]] = phase.rowLengths;
  }
  if (entries.empty()) return;
  json["gi_bytes_by_phase"] = bytes;
  json["gi_entries_by_phase"] = entries;
  json["gi_rows_by_phase"] = rows;
  if (!prediction.tpetra) json["gi_request_bytes_per_node"] = prediction.requestBytes;
}

Json toJson(const Prediction& prediction) {
  const Trident::CandidateCosts& costs = prediction.costs;
  Json json;
  json["algorithm"] = prediction.tpetra ? "tpetra" : "trident";
  json["grid"] = textOf(costs.grid);
  json["filter"] = prediction.filter();
  json["from"] = prediction.source();
  json["gi_bytes_most"] = number(costs.giBytesMost);
  json["gi_bytes_sum"] = number(costs.giBytesSum);
  json["gi_messages_most"] = number(costs.giMessagesMost);
  json["li_bytes_most"] = number(costs.liBytesMost);
  json["li_messages_most"] = number(costs.liMessagesMost);
  json["multiplications_most"] = number(costs.multiplicationsMost);
  json["memory_bytes_most"] = number(costs.memoryBytesMost);
  json["seconds"] = prediction.seconds;
  addPhases(json, prediction);
  return json;
}

Json toJson(const Trident::Machine& machine) {
  return {{"gi_latency", machine.giLatency},
          {"gi_bytes_per_second", machine.giBytesPerSecond},
          {"li_latency", machine.liLatency},
          {"li_bytes_per_second", machine.liBytesPerSecond},
          {"multiplications_per_second", machine.multiplicationsPerSecond}};
}

}  // namespace

void printJson(std::ostream& out, const Options& options, const Sizes& sizes,
               const std::vector<Case>& cases) {
  Json json;
  json["matrix"] = options.matrix.empty() ? Json(nullptr) : Json(options.matrix);
  json["random"] = options.random.empty() ? Json(nullptr) : Json(options.random);
  json["op"] = options.op;
  json["chain"] = options.setting.chain;
  json["gather"] = options.setting.sharedWindow ? "window" : "allgatherv";
  json["rows"] = number(sizes.rows);
  json["inner"] = number(sizes.inner);
  json["cols"] = number(sizes.cols);
  json["nnz_a"] = number(sizes.entriesA);
  json["nnz_b"] = number(sizes.entriesB);
  json["nnz_c"] = number(sizes.entriesC);
  json["multiplications"] = number(sizes.multiplications);
  json["machine"] = options.machineName;
  json["machine_figures"] = toJson(options.machine);
  json["cases"] = Json::array();
  for (const Case& which : cases) {
    Json one;
    one["nodes"] = which.nodes;
    one["ranks_per_node"] = which.ranksPerNode;
    one["best"] = which.best;
    one["candidates"] = Json::array();
    for (const Prediction& prediction : which.predictions) one["candidates"].push_back(toJson(prediction));
    json["cases"].push_back(one);
  }
  // File names need not be UTF-8; what is not is replaced.
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace Predict
