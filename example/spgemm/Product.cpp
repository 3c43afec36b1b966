#include "Product.hpp"

#include <Teuchos_ParameterList.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "Agreement.hpp"
#include "Trident_MatrixMatrix.hpp"

namespace Spgemm {

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Only what the user set: the rest is Trident's to decide.
Teuchos::RCP<Teuchos::ParameterList> parametersFrom(const Options& options) {
  const auto params = Teuchos::rcp(new Teuchos::ParameterList("trident-spgemm"));
  const auto setText = [&](const char* name, const std::string& value) {
    if (!value.empty()) params->set(name, value);
  };
  const auto setNumber = [&](const char* name, const std::optional<int>& value) {
    if (value) params->set(name, *value);
  };
  setText("trident: ranks per node", options.ranksPerNode);
  setText("trident: grid", options.grid);
  setText("trident: filter", options.filter);
  setText("trident: tiles from", options.tilesFrom);
  setText("trident: gather", options.gather);
  setText("trident: local product", options.local);
  setNumber("trident: rounds ahead", options.roundsAhead);
  setNumber("trident: rounds per batch", options.roundsPerBatch);
  setNumber("trident: column phases", options.columnPhases);
  setText("trident: memory budget", options.memoryBudget);
  setText("trident: plan", options.plan);
  params->set("trident: pattern memory", std::string("0"));  // each repetition is a first product
  setNumber("trident: delay seed", options.delaySeed);
  return params;
}

Teuchos::RCP<Matrix> emptyProduct(const Problem& problem) {
  return Teuchos::rcp(new Matrix(problem.A->getRowMap(), 0));
}

/// Seconds from when all ranks are ready to when the last one is done.
template <class Work>
double timed(MPI_Comm comm, Work&& work) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  work();
  return maxOverRanks(comm, MPI_Wtime() - start);
}

/// Trident promises these two exceptions on every rank with the same text; others leave as they are.
template <class Work>
void asAgreed(Work&& work) {
  try {
    work();
  } catch (const std::invalid_argument& e) {
    throw AgreedError(e.what());
  } catch (const std::runtime_error& e) {
    throw AgreedError(e.what());
  }
}

/// The runs' times, one list for each part.
struct Samples {
  std::vector<double> total, prepare, convert, multiply, mapBack, finish;

  void add(MPI_Comm comm, double seconds, const Trident::ProductReport& report) {
    total.push_back(seconds);
    prepare.push_back(maxOverRanks(comm, report.secondsPrepare));
    convert.push_back(maxOverRanks(comm, report.secondsConvert));
    multiply.push_back(maxOverRanks(comm, report.secondsMultiply));
    mapBack.push_back(maxOverRanks(comm, report.secondsMapBack));
    finish.push_back(maxOverRanks(comm, report.secondsFinish));
  }

  Seconds medians() const {
    return {median(total),    median(prepare), median(convert),
            median(multiply), median(mapBack), median(finish)};
  }
};

}  // namespace

Runs runProducts(MPI_Comm comm, const Problem& problem, const Options& options) {
  const Teuchos::RCP<Teuchos::ParameterList> params = parametersFrom(options);
  Runs runs;
  Samples samples;
  std::vector<double> tpetra, valuesOnly;
  for (int run = 0; run < options.repeat; ++run) {
    const auto report = Teuchos::rcp(new Trident::ProductReport);
    params->set("trident: report", report);
    runs.C = emptyProduct(problem);
    const double seconds = timed(comm, [&] {
      asAgreed([&] {
        Trident::MatrixMatrix::Multiply(*problem.A, false, *problem.B, problem.transposeB, *runs.C, true, "",
                                        params);
      });
    });
    samples.add(comm, seconds, *report);
    runs.report = *report;
    if (options.valuesOnly) {
      const auto again = Teuchos::rcp(new Trident::ProductReport);
      params->set("trident: report", again);
      valuesOnly.push_back(timed(comm, [&] {
        Trident::MatrixMatrix::Multiply(*problem.A, false, *problem.B, problem.transposeB, *runs.C, true, "",
                                        params);
      }));
      runs.valuesOnlyLedger = again->ledger;
    }
    if (!options.compareTpetra) continue;
    runs.reference = emptyProduct(problem);
    tpetra.push_back(timed(comm, [&] {
      Tpetra::MatrixMatrix::Multiply(*problem.A, false, *problem.B, problem.transposeB, *runs.reference);
    }));
  }
  runs.seconds = samples.medians();
  if (!tpetra.empty()) runs.tpetraSeconds = median(tpetra);
  if (!valuesOnly.empty()) runs.valuesOnlySeconds = median(valuesOnly);
  return runs;
}

}  // namespace Spgemm
