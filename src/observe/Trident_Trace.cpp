#include "observe/Trident_Trace.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace Trident {
namespace {

struct Event {
  char phase;  // of the trace format: X a span, b and e the ends of a tile's way
  const char* name;
  TraceLane lane;
  double begin;
  double duration;
  std::int64_t id;
  TraceTag tag;
  std::string engine;
};

std::mutex& eventsMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

std::vector<Event>& events() {
  static auto* all = new std::vector<Event>;
  return *all;
}

TraceLane& laneOfThread() {
  thread_local TraceLane lane = TraceLane::main;
  return lane;
}

void add(Event event) {
  event.lane = laneOfThread();
  const std::lock_guard<std::mutex> lock(eventsMutex());
  events().push_back(std::move(event));
}

void appendNumber(std::string& text, const char* key, std::int64_t value) {
  if (value < 0) return;
  if (text.back() != '{') text += ',';
  text += '"';
  text += key;
  text += "\":" + std::to_string(value);
}

std::string argsOf(const Event& event, std::int64_t product) {
  std::string text = "{";
  const TraceTag& tag = event.tag;
  appendNumber(text, "i", tag.i);
  appendNumber(text, "j", tag.j);
  appendNumber(text, "r", tag.r);
  appendNumber(text, "k", tag.k);
  appendNumber(text, "round", tag.round);
  appendNumber(text, "from", tag.from);
  appendNumber(text, "to", tag.to);
  appendNumber(text, "bytes", tag.bytes);
  if (!event.engine.empty()) {
    appendNumber(text, "number", product);
    text += ",\"engine\":\"" + event.engine + '"';
  }
  return text + '}';
}

std::string jsonOf(const Event& event, int rank, double clockAhead, std::int64_t product) {
  std::array<char, 256> head{};
  const double begin = event.begin - clockAhead;
  if (event.phase == 'X')
    std::snprintf(head.data(), head.size(),
                  R"({"ph":"X","cat":"trident","name":"%s","pid":%d,"tid":%d,"ts":%.1f,"dur":%.1f,"args":)",
                  event.name, rank, static_cast<int>(event.lane), begin, event.duration);
  else
    std::snprintf(head.data(), head.size(),
                  R"({"ph":"%c","cat":"tile","id":"%d:%lld","name":"%s","pid":%d,"tid":0,"ts":%.1f,"args":)",
                  event.phase, rank, static_cast<long long>(event.id), event.name, rank, begin);
  return head.data() + argsOf(event, product) + "},\n";
}

}  // namespace

const std::string& Trace::file() {
  static const auto* name = [] {
    const char* wanted = std::getenv("TRIDENT_TRACE");
    return new std::string(wanted == nullptr ? "" : wanted);
  }();
  return *name;
}

double Trace::now() {
  return std::chrono::duration<double, std::micro>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void Trace::setLane(TraceLane lane) { laneOfThread() = lane; }

void Trace::span(const char* name, double begin, double end, const TraceTag& tag) {
  if (on()) add({'X', name, TraceLane::main, begin, end - begin, 0, tag, {}});
}

void Trace::product(double begin, double end, const std::string& engine) {
  if (on()) add({'X', "product", TraceLane::main, begin, end - begin, 0, {}, engine});
}

std::int64_t Trace::tileLeft(const char* name, const TraceTag& tag) {
  if (!on()) return 0;
  static std::int64_t last = 0;  // tiles are asked for by the main thread only
  add({'b', name, TraceLane::main, now(), 0, ++last, tag, {}});
  return last;
}

void Trace::tileArrived(const char* name, std::int64_t id) {
  if (on()) add({'e', name, TraceLane::main, now(), 0, id, {}, {}});
}

std::string Trace::take(int rank, double clockAhead) {
  static std::int64_t products = 0;
  const std::lock_guard<std::mutex> lock(eventsMutex());
  std::string text;
  for (const Event& event : events()) {
    if (!event.engine.empty()) ++products;
    text += jsonOf(event, rank, clockAhead, products);
  }
  events().clear();
  return text;
}

}  // namespace Trident
