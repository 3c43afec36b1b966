#include "exchange/Trident_TraceFile.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <sstream>
#include <vector>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

constexpr int tagOfClock = 1020;
constexpr int tagOfTrace = 1021;
constexpr int pings = 5;

const std::string opening = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
const std::string closing = R"({"ph":"M","name":"trace_end","pid":0,"tid":0,"args":{}})"
                            "\n]}\n";

// How far this rank's clock is ahead of rank 0's, from the quickest of some messages there and back. Clocks
// that differ by less than such a message are taken for one.
class TraceClock {
 public:
  explicit TraceClock(Context& context) {
    MPI_Comm comm = context.comm();
    if (context.rank() != 0) {
      for (int p = 0; p < pings; ++p) {
        double time = 0;
        MPI_Recv(&time, 1, MPI_DOUBLE, 0, tagOfClock, comm, MPI_STATUS_IGNORE);
        time = Trace::now();
        MPI_Send(&time, 1, MPI_DOUBLE, 0, tagOfClock, comm);
      }
      MPI_Recv(&ahead_, 1, MPI_DOUBLE, 0, tagOfClock, comm, MPI_STATUS_IGNORE);
      return;
    }
    for (int rank = 1; rank < context.topology().ranks(); ++rank) {
      const double ahead = aheadOf(rank, comm);
      MPI_Send(&ahead, 1, MPI_DOUBLE, rank, tagOfClock, comm);
    }
  }

  double ahead() const { return ahead_; }

 private:
  static double aheadOf(int rank, MPI_Comm comm) {
    double best = 1e300, ahead = 0;
    for (int p = 0; p < pings; ++p) {
      const double begin = Trace::now();
      double there = begin;
      MPI_Send(&there, 1, MPI_DOUBLE, rank, tagOfClock, comm);
      MPI_Recv(&there, 1, MPI_DOUBLE, rank, tagOfClock, comm, MPI_STATUS_IGNORE);
      const double end = Trace::now();
      if (end - begin >= best) continue;
      best = end - begin;
      ahead = there - (begin + end) / 2;
    }
    return std::abs(ahead) > best ? ahead : 0;
  }

  double ahead_ = 0;
};

std::string namesOf(const Context& context) {
  const std::string process = "\"pid\":" + std::to_string(context.rank()) + ",\"tid\":";
  std::string text = R"({"ph":"M","name":"process_name",)" + process + R"(0,"args":{"name":"rank )" +
                     std::to_string(context.rank()) + ", node " + std::to_string(context.node()) +
                     ", slice " + std::to_string(context.slice()) + "\"}},\n";
  const char* const lanes[] = {"main", "sender A", "sender B"};
  for (int lane = 0; lane < 3; ++lane)
    text += R"({"ph":"M","name":"thread_name",)" + process + std::to_string(lane) + R"(,"args":{"name":")" +
            lanes[lane] + "\"}},\n";
  return text;
}

// When this process began, in seconds since the epoch: what is older is an earlier job's. Not the time of
// /proc/self, which is when somebody first looked there.
std::int64_t processBegan() {
  static const std::int64_t began = [] {
    std::ifstream file("/proc/self/stat");
    std::string line, field;
    std::getline(file, line);
    std::istringstream fields(line.substr(line.rfind(')') + 1));  // the program's name may be anything
    for (int f = 3; f <= 22; ++f) fields >> field;
    struct timespec sinceBoot {};
    const double ticks = std::strtod(field.c_str(), nullptr);
    if (!fields || clock_gettime(CLOCK_BOOTTIME, &sinceBoot) != 0) return std::int64_t{std::time(nullptr)};
    const double age = static_cast<double>(sinceBoot.tv_sec) + 1e-9 * static_cast<double>(sinceBoot.tv_nsec) -
                       ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    return static_cast<std::int64_t>(std::floor(Trace::now() / 1e6 - age));
  }();
  return began;
}

// Puts `text` before the closing of the trace. Programs on other communicators may do so at the same time.
std::string append(const std::string& text) {
  const std::string& name = Trace::file();
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return name + ": " + std::strerror(errno);
  flock(file, LOCK_EX);
  struct stat status {};
  fstat(file, &status);
  const bool ours = status.st_size > 0 && status.st_mtime >= processBegan();
  const std::string all = (ours ? std::string() : opening) + text + closing;
  off_t at = ours ? status.st_size - static_cast<off_t>(closing.size()) : 0;
  bool good = ours || ftruncate(file, 0) == 0;
  for (std::size_t done = 0; good && done < all.size();) {
    const ssize_t written = pwrite(file, all.data() + done, all.size() - done, at);
    good = written > 0;
    done += good ? static_cast<std::size_t>(written) : 0;
    at += written;
  }
  const int code = errno;
  close(file);  // and unlocks
  return good ? "" : name + ": " + std::strerror(code);
}

}  // namespace

void writeTrace(Context& context) {
  if (!Trace::on()) return;
  std::string text = namesOf(context);
  text += Trace::take(context.rank(), context.attached<TraceClock>().ahead());
  std::string failure;
  if (context.rank() == 0) {
    failure = append(text);
    for (int rank = 1; rank < context.topology().ranks(); ++rank) {
      MPI_Status status;
      int bytes = 0;
      checkMpi(MPI_Probe(rank, tagOfTrace, context.comm(), &status), "MPI_Probe");
      checkMpi(MPI_Get_count(&status, MPI_CHAR, &bytes), "MPI_Get_count");
      text.resize(static_cast<std::size_t>(bytes));
      checkMpi(MPI_Recv(&text[0], bytes, MPI_CHAR, rank, tagOfTrace, context.comm(), MPI_STATUS_IGNORE),
               "MPI_Recv");
      if (failure.empty()) failure = append(text);
    }
  } else {
    constexpr std::size_t most = 1 << 30;  // of events of one product; the rest is dropped at an event's end
    if (text.size() > most) text.resize(text.rfind('\n', most) + 1);
    checkMpi(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, tagOfTrace, context.comm()),
             "MPI_Send");
  }
  agreeOrThrow(context.comm(),
               failure.empty() ? "" : "Trident: TRIDENT_TRACE cannot be written to " + failure);
}

ObservedProduct::ObservedProduct(Context& context, const std::string& engine)
    : context_(context), watched_(context.comm()), engine_(engine), exceptions_(std::uncaught_exceptions()) {
  if (Trace::on()) begin_ = Trace::now();
}

ObservedProduct::~ObservedProduct() {
  if (!Trace::on() || std::uncaught_exceptions() > exceptions_) return;
  Trace::product(begin_, Trace::now(), engine_.empty() ? "none" : engine_);
  try {
    writeTrace(context_);
  } catch (const std::exception& error) {
    if (context_.rank() == 0) std::fprintf(stderr, "%s\n", error.what());
  }
}

}  // namespace Trident
