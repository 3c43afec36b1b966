#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "Report.hpp"

namespace Spgemm {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::string textOf(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

bool allEqual(const std::vector<int>& values) {
  return std::all_of(values.begin(), values.end(), [&](int value) { return value == values.front(); });
}

void addPlan(Json& json, const Results& results) {
  const Trident::ProductReport& report = results.report;
  json["ranks"] = report.ranks;
  json["nodes"] = report.nodes;
  if (!report.ranksPerNode.empty() && allEqual(report.ranksPerNode))
    json["ranks_per_node"] = report.ranksPerNode.front();
  else
    json["ranks_per_node"] = report.ranksPerNode;
  json["grid"] = textOf(report.grid);
  json["filter"] = report.filter;
  json["tiles_from"] = report.source;
  json["engine"] = report.engine;
  json["gather"] = report.gather;
  json["local_product"] = report.localProduct;
  json["rounds"] = report.rounds;
  json["panels"] = report.plan.panelsOrOne();
  json["batches"] = results.batches;
  json["column_phases"] = report.plan.columnPhases;
  json["memory_bytes_predicted"] = report.plan.predicted.memoryBytes;
  json["memory_bytes_peak"] = results.peakBytes;
  json["handed_back"] = report.handedBack ? Json(report.handBackReason) : Json(nullptr);
}

void addSizes(Json& json, const Results& results) {
  json["rows"] = results.rows;
  json["cols"] = results.cols;
  json["nnz_a"] = results.entriesA;
  json["nnz_b"] = results.entriesB;
  json["nnz_c"] = results.entriesC;
  json["multiplications"] = results.multiplications;
}

void addTimes(Json& json, const Results& results) {
  const Seconds& seconds = results.seconds;
  json["repeat"] = results.repeat;
  json["seconds"] = {{"multiply", seconds.multiply}, {"total", seconds.total},
                     {"prepare", seconds.prepare},   {"convert", seconds.convert},
                     {"map_back", seconds.mapBack},  {"finish", seconds.finish}};
  json["values_only_seconds"] = results.valuesOnlySeconds ? Json(*results.valuesOnlySeconds) : Json(nullptr);
  json["tpetra_seconds"] = results.tpetraSeconds ? Json(*results.tpetraSeconds) : Json(nullptr);
}

void addTraffic(Json& json, const Results& results) {
  const Traffic& traffic = results.traffic;
  json["gi_bytes_per_node"] = traffic.giBytes;
  json["gi_bytes_predicted_per_node"] = traffic.giPredictedBytes;
  json["gi_request_bytes_per_node"] = traffic.giOtherBytes;
  json["li_bytes_per_node"] = traffic.liBytes;
  json["li_request_bytes_per_node"] = traffic.liOtherBytes;
  const auto addByPhase = [&](const char* key, PerNode PhaseTraffic::*part) {
    Json byPhase = Json::object();
    for (const PhaseTraffic& phase : traffic.phases) byPhase[phase.name] = phase.*part;
    json[key] = byPhase;
  };
  addByPhase("gi_bytes_by_phase", &PhaseTraffic::giBytes);
  addByPhase("gi_bytes_predicted_by_phase", &PhaseTraffic::giPredictedBytes);
  addByPhase("gi_entries_by_phase", &PhaseTraffic::giEntries);
  addByPhase("gi_rows_by_phase", &PhaseTraffic::giRows);
  addByPhase("li_bytes_by_phase", &PhaseTraffic::liBytes);
  json["values_only_gi_bytes_per_node"] = results.valuesOnlyGiBytes;
  json["tpetra_gi_bytes_per_node"] = results.tpetraTraffic.giBytes;
  json["tpetra_li_bytes_per_node"] = results.tpetraTraffic.liBytes;
}

/// JSON has no infinity: the largest double stands for it.
void addComparison(Json& json, const Results& results) {
  const auto& comparison = results.comparison;
  json["max_scaled_error"] =
      comparison ? Json(std::min(comparison->maxScaledError, std::numeric_limits<double>::max()))
                 : Json(nullptr);
  json["pattern_equal"] = comparison ? Json(comparison->patternEqual) : Json(nullptr);
  json["results_agree"] = comparison ? Json(comparison->agree()) : Json(nullptr);
}

}  // namespace

void printJson(std::ostream& out, const Results& results) {
  Json json;
  json["matrix"] = results.matrix;
  json["op"] = results.op;
  addPlan(json, results);
  addSizes(json, results);
  addTimes(json, results);
  addTraffic(json, results);
  addComparison(json, results);
  // File names need not be UTF-8; what is not is replaced.
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace Spgemm
