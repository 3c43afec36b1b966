// The main of every test program. All ranks run all tests; a test that fails on any rank has failed.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#ifdef TRIDENT_TEST_WITH_TPETRA
#include <Tpetra_Core.hpp>
#else
#include <Kokkos_Core.hpp>
#endif

namespace {

// In the order in which one rank's outcome overrules another's.
enum Outcome : int { notRun, skipped, passed, failed };

/// Prints failures, and nothing else, with the rank in front of every line.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : prefix_("[rank " + std::to_string(rank) + "] ") {}

  // The name is kept here, as asking GoogleTest for it below would wait for a lock that it holds there.
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + '.' + test.name() + ": ";
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::ostringstream text;
    text << test_;
    if (result.file_name() != nullptr) text << result.file_name() << ':' << result.line_number() << ": ";
    text << result.summary();
    std::istringstream lines(text.str());
    std::string prefixed;
    for (std::string line; std::getline(lines, line);) prefixed += prefix_ + line + '\n';
    std::cerr << prefixed << std::flush;  // in one piece, so that ranks do not mix inside a line
  }

 private:
  std::string prefix_, test_;
};

void keepOnlyFailures(int rank) {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  delete listeners.Release(listeners.default_xml_generator());
  listeners.Append(new FailurePrinter(rank));
}

std::vector<int> outcomesOfThisRank() {
  std::vector<int> outcomes;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const auto& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& test = *suite.GetTestInfo(t);
      const auto& result = *test.result();
      const bool broken = result.Failed() || suite.ad_hoc_test_result().Failed();
      outcomes.push_back(!test.should_run() ? notRun : broken ? failed : result.Skipped() ? skipped : passed);
    }
  }
  // What environments check, before and after all tests, counts as one test, and only if it fails.
  outcomes.push_back(program.ad_hoc_test_result().Failed() ? failed : notRun);
  return outcomes;
}

/// Returns the exit status, the same on every rank; rank 0 prints the totals.
int runAndAgree() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) keepOnlyFailures(rank);
  const int status = RUN_ALL_TESTS();

  auto outcomes = outcomesOfThisRank();
  const int count = static_cast<int>(outcomes.size());
  int range[] = {count, -count};
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (range[0] != -range[1]) {
    if (rank == 0) std::cout << "ranks define different tests\nTRIDENT_TEST_TOTALS 0 1 0" << std::endl;
    return 1;
  }
  const auto mine = outcomes;
  MPI_Allreduce(MPI_IN_PLACE, outcomes.data(), count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

  int bad = status;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  auto number = [&](int outcome) { return std::count(outcomes.begin(), outcomes.end(), outcome); };
  if (rank == 0) {
    if (number(failed) > std::count(mine.begin(), mine.end(), failed)) {
      std::cout << "Some tests failed on other ranks than 0 only: see the lines that begin with [rank r].\n";
    }
    const auto failures = std::max<long>(number(failed), bad != 0 ? 1 : 0);
    std::cout << "TRIDENT_TEST_TOTALS " << number(passed) << ' ' << failures << ' ' << number(skipped)
              << std::endl;
  }
  return bad != 0 || number(failed) > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char* argv[]) {
#ifdef TRIDENT_TEST_WITH_TPETRA
  Tpetra::ScopeGuard guard(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return runAndAgree();
#else
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int status = 0;
  {
    Kokkos::ScopeGuard guard(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    status = runAndAgree();
  }
  MPI_Finalize();
  return status;
#endif
}
