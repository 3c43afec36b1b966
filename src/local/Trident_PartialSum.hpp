#ifndef TRIDENT_PARTIAL_SUM_HPP
#define TRIDENT_PARTIAL_SUM_HPP

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "layout/Trident_Tile.hpp"

namespace Trident {

/// Rows that are sums of rows of several parts, which may have different columns. The pattern is found once;
/// values can then be summed as often as they change.
///
/// Sums are taken in the order in which the parts were added, so they have the same bits whatever arrives
/// when. On the host.
template <class Types>
class PartialSum {
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Types::device_type::memory_space>::accessible,
      "partial rows are summed on host memory");

 public:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  explicit PartialSum(std::int64_t rows) : rows_(rows) {}

  /// One part: its row sources[k] is added to row targets[k]. Columns of a row ascend. The arrays of the
  /// pattern are read until settlePattern() is done.
  void addPart(std::vector<std::int64_t> sources, std::vector<std::int64_t> targets,
               const CsrRows<Types>& part) {
    parts_.push_back({std::move(sources), std::move(targets), {}, part.rowPtr, part.columns});
  }

  /// Finds the pattern of the sum.
  void settlePattern() {
    std::vector<std::size_t> first;
    const std::vector<Contribution> contributions = contributionsByTarget(first);
    for (Part& part : parts_) part.firstPlace.assign(part.targets.size(), direct);

    rowPtr_ = allocate<typename Types::Offsets>("Trident::partialSum::rowPtr", rows_ + 1);
    std::vector<Ordinal> columns;
    rowPtr_(0) = 0;
    for (std::int64_t i = 0; i < rows_; ++i) {
      unite(contributions.data() + first[i], contributions.data() + first[i + 1], columns);
      rowPtr_(i + 1) = columns.size();
    }
    columns_ = allocate<typename Types::Ordinals>("Trident::partialSum::columns",
                                                  static_cast<std::int64_t>(columns.size()));
    std::copy(columns.begin(), columns.end(), columns_.data());
    for (Part& part : parts_) part.columns = {};
  }

  /// The sum; values[p] are those of part p, in its order. After settlePattern().
  CsrRows<Types> sum(const std::vector<typename Types::Values>& values) const {
    const auto sums = allocate<typename Types::Values>("Trident::partialSum::values",
                                                       static_cast<std::int64_t>(columns_.extent(0)));
    std::fill_n(sums.data(), sums.extent(0), Scalar(0));
    for (std::size_t p = 0; p < parts_.size(); ++p) addValues(parts_[p], values[p].data(), sums.data());
    return {rowPtr_, columns_, sums};
  }

  std::int64_t keptBytes() const {
    std::size_t bytes =
        (places_.size() + columns_.extent(0)) * sizeof(Ordinal) + rowPtr_.extent(0) * sizeof(std::size_t);
    for (const Part& part : parts_) bytes += 3 * part.targets.size() * sizeof(std::int64_t);
    return static_cast<std::int64_t>(bytes);
  }

 private:
  static constexpr std::int64_t direct = -1;

  struct Part {
    std::vector<std::int64_t> sources;
    std::vector<std::int64_t> targets;
    std::vector<std::int64_t> firstPlace;  // in places_; `direct` if the target's columns are the row's own
    typename Types::Offsets rowPtr;
    typename Types::Ordinals columns;
  };

  // Row k of part p.
  struct Contribution {
    std::size_t part;
    std::size_t row;
  };

  static std::pair<std::size_t, std::size_t> runOf(const Part& part, std::size_t k) {
    return {part.rowPtr(part.sources[k]), part.rowPtr(part.sources[k] + 1)};
  }

  // Those of row i are [first[i], first[i + 1]), in the order of the parts.
  std::vector<Contribution> contributionsByTarget(std::vector<std::size_t>& first) const {
    first.assign(static_cast<std::size_t>(rows_) + 1, 0);
    for (const Part& part : parts_)
      for (const std::int64_t target : part.targets) ++first[target + 1];
    for (std::int64_t i = 0; i < rows_; ++i) first[i + 1] += first[i];
    std::vector<Contribution> contributions(first.back());
    std::vector<std::size_t> next = first;
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t k = 0; k < parts_[p].targets.size(); ++k)
        contributions[next[parts_[p].targets[k]]++] = {p, k};
    return contributions;
  }

  // Appends the columns of one row of the sum, and where each contribution's entries stand among them.
  void unite(const Contribution* begin, const Contribution* end, std::vector<Ordinal>& columns) {
    const auto first = static_cast<std::ptrdiff_t>(columns.size());
    for (const Contribution* one = begin; one != end; ++one) {
      const Part& part = parts_[one->part];
      const auto [from, to] = runOf(part, one->row);
      columns.insert(columns.end(), part.columns.data() + from, part.columns.data() + to);
    }
    if (end - begin < 2) return;
    std::sort(columns.begin() + first, columns.end());
    columns.erase(std::unique(columns.begin() + first, columns.end()), columns.end());
    const std::size_t count = columns.size() - static_cast<std::size_t>(first);
    for (const Contribution* one = begin; one != end; ++one) {
      Part& part = parts_[one->part];
      const auto [from, to] = runOf(part, one->row);
      if (to - from == count) continue;
      part.firstPlace[one->row] = static_cast<std::int64_t>(places_.size());
      std::ptrdiff_t at = first;
      for (std::size_t e = from; e < to; ++e) {
        while (columns[at] != part.columns(e)) ++at;
        places_.push_back(static_cast<Ordinal>(at - first));
      }
    }
  }

  void addValues(const Part& part, const Scalar* values, Scalar* sums) const {
    for (std::size_t k = 0; k < part.targets.size(); ++k) {
      const auto [begin, end] = runOf(part, k);
      Scalar* const row = sums + rowPtr_(part.targets[k]);
      if (part.firstPlace[k] == direct) {
        for (std::size_t e = begin; e < end; ++e) row[e - begin] += values[e];
      } else {
        const Ordinal* const place = places_.data() + part.firstPlace[k];
        for (std::size_t e = begin; e < end; ++e) row[place[e - begin]] += values[e];
      }
    }
  }

  std::int64_t rows_;
  std::vector<Part> parts_;
  std::vector<Ordinal> places_;
  typename Types::Offsets rowPtr_;
  typename Types::Ordinals columns_;
};

}  // namespace Trident

#endif
