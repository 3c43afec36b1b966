#include "detail/Trident_ProductLog.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace Trident {
namespace detail {
namespace {

constexpr std::size_t kinds = 3;
constexpr std::array<const char*, kinds> nameOfKind{"Multiply", "Jacobi", "MultiplyRAP"};

// Labels that are listed: an application may make them up anew for each product.
constexpr std::size_t labelsListed = 50;

std::string wish() {
  const char* text = std::getenv("TRIDENT_REPORT");
  return text == nullptr || std::string(text) == "0" ? "" : text;
}

// Two figures of the same products, of those that have both.
struct Comparison {
  std::int64_t products = 0;
  double found = 0;
  double predicted = 0;

  void add(double isFound, double isPredicted) {
    ++products;
    found += isFound;
    predicted += isPredicted;
  }
};

// What products have in common that are listed together.
struct Sums {
  std::int64_t products = 0;
  std::int64_t handedBack = 0;
  std::int64_t valuesOnly = 0;
  std::int64_t bytes = 0;
  double seconds = 0;

  void add(const ProductReport& report) {
    ++products;
    handedBack += report.handedBack ? 1 : 0;
    valuesOnly += report.valuesOnly ? 1 : 0;
    bytes += std::max<std::int64_t>(report.giBytesOfAllRanks, 0);
    seconds += report.secondsTotal;
  }
};

struct OfKind {
  Sums sums;
  std::map<std::string, std::int64_t> reasons;
  Comparison bytes;
  Comparison seconds;
};

std::int64_t predictedBytes(const ProductReport& report) {
  std::int64_t sum = 0;
  for (const auto& phase : report.predictedGiBytes)
    for (const std::int64_t bytes : phase) sum += bytes;
  return sum;
}

class Log {
 public:
  explicit Log(const std::string& wanted) : owner_(getpid()) {
    std::error_code error;  // the program may change folders before it ends
    if (wanted != "1") file_ = std::filesystem::absolute(wanted, error).string();
  }

  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // A forked child has the entries too, but they are not its own.
  ~Log() {
    if (owner_ == getpid()) write();
  }

  void enter(ProductKind kind, const std::string& label, const ProductReport& report) {
    const std::lock_guard<std::mutex> lock(mutex_);
    OfKind& of = ofKind_[static_cast<std::size_t>(kind)];
    of.sums.add(report);
    byLabel_[{static_cast<std::size_t>(kind), label}].add(report);
    if (report.handedBack) {
      ++of.reasons[report.handBackReason];
      return;
    }
    const bool predicted = std::any_of(report.predictedGiBytes.begin(), report.predictedGiBytes.end(),
                                       [](const std::vector<std::int64_t>& phase) { return !phase.empty(); });
    if (predicted && report.giBytesOfAllRanks >= 0)
      of.bytes.add(static_cast<double>(report.giBytesOfAllRanks),
                   static_cast<double>(predictedBytes(report)));
    // The prediction is of one product, and of its patterns and values.
    if (report.plan.predicted.seconds >= 0 && !report.valuesOnly && kind != ProductKind::multiplyRAP)
      of.seconds.add(report.secondsTotal, report.plan.predicted.seconds);
  }

 private:
  // In one piece, because others may write to the same place.
  void write() const {
    const std::string text = asText();
    std::FILE* out = file_.empty() ? stderr : std::fopen(file_.c_str(), "a");
    if (out == nullptr) {
      std::fprintf(stderr, "Trident: cannot append to the file that TRIDENT_REPORT names: %s\n",
                   file_.c_str());
      out = stderr;
    }
    std::fwrite(text.data(), 1, text.size(), out);
    if (out == stderr)
      std::fflush(out);
    else
      std::fclose(out);
  }

  std::string asText() const {
    std::ostringstream out;
    out.precision(4);
    Sums all;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const OfKind& of = ofKind_[kind];
      all.products += of.sums.products;
      all.handedBack += of.sums.handedBack;
      if (of.sums.products > 0) printKind(nameOfKind[kind], of, out);
    }
    printCounts("all", all, out);
    printLabels(out);
    return out.str();
  }

  static void printCounts(const char* name, const Sums& sums, std::ostream& out) {
    out << "Trident: " << name << ": products " << sums.products << ": taken "
        << sums.products - sums.handedBack << ", handed back " << sums.handedBack << '\n';
  }

  static void printKind(const char* name, const OfKind& of, std::ostream& out) {
    const std::string begin = "Trident: " + std::string(name) + ": ";
    printCounts(name, of.sums, out);
    for (const auto& [reason, times] : of.reasons)
      out << "Trident: handed back " << times << ": " << reason << '\n';
    out << begin << "values only " << of.sums.valuesOnly << '\n'
        << begin << "bytes between nodes " << of.sums.bytes << '\n';
    if (of.bytes.products > 0)
      out << begin << "bytes of the " << of.bytes.products << " predicted: counted "
          << static_cast<std::int64_t>(of.bytes.found) << ", predicted "
          << static_cast<std::int64_t>(of.bytes.predicted) << '\n';
    out << begin << "seconds " << of.sums.seconds << '\n';
    if (of.seconds.products > 0)
      out << begin << "seconds of the " << of.seconds.products << " predicted: spent " << of.seconds.found
          << ", predicted " << of.seconds.predicted << '\n';
  }

  // The labels that took most time, with their names last, as they may have blanks.
  void printLabels(std::ostream& out) const {
    using Row = std::pair<std::pair<std::size_t, std::string>, Sums>;
    std::vector<Row> rows(byLabel_.begin(), byLabel_.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.second.seconds > b.second.seconds; });
    const std::size_t listed = std::min(rows.size(), labelsListed);
    out << "Trident: products handed-back values-only seconds bytes-between-nodes function label\n";
    for (std::size_t r = 0; r < listed; ++r) {
      const auto& [key, sums] = rows[r];
      out << "Trident:   " << sums.products << ' ' << sums.handedBack << ' ' << sums.valuesOnly << ' '
          << sums.seconds << ' ' << sums.bytes << ' ' << nameOfKind[key.first] << ' '
          << (key.second.empty() ? "(none)" : key.second) << '\n';
    }
    if (listed < rows.size()) out << "Trident:   and " << rows.size() - listed << " labels more\n";
  }

  pid_t owner_;
  std::string file_;  ///< empty: stderr
  std::mutex mutex_;
  std::array<OfKind, kinds> ofKind_;
  std::map<std::pair<std::size_t, std::string>, Sums> byLabel_;
};

}  // namespace

bool isLogWanted() { return !wish().empty(); }

void logProduct(ProductKind kind, const std::string& label, const ProductReport& report) {
  if (report.rank != 0 || !isLogWanted()) return;
  static Log log(wish());  // whose destructor writes it
  log.enter(kind, label, report);
}

}  // namespace detail
}  // namespace Trident
