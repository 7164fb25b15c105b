#include "model/core/fast/tensor_engine.hpp"

#include <algorithm>
#include <limits>

namespace trnsim::tlm::core_fast {
namespace {

constexpr std::uint64_t Never = std::numeric_limits<std::uint64_t>::max();

// Returns the partitions of a slice of SBUF (rtl/memory/memory_pkg.sv).
std::uint64_t slice_partitions(std::uint64_t lanes) {
    constexpr std::uint64_t Slice = 16;
    return lanes >= 2 * Slice ? Slice : lanes / 2;
}

}  // namespace

TensorEngine::TensorEngine(const config::Core& core)
    : issue_latency_(core.tensor.issue_latency),
      flight_(core.array.rows + core.array.columns + figure(Figure::ArrayRest)),
      passage_(core.array.columns - 1),
      rows_(static_cast<std::uint32_t>(core.array.rows)),
      group_rows_(static_cast<std::uint32_t>(core.array.rows / RowGroups)),
      common_slice_(group_rows_ % slice_partitions(core.partitions) != 0) {
    streams_.fill(TensorStream(cost::moving_limit(core.tensor)));
}

bool TensorEngine::any_busy() const {
    return loader_.busy() || std::ranges::any_of(streams_, &TensorStream::busy);
}

bool TensorEngine::matmul() const {
    return std::ranges::any_of(streams_, &TensorStream::enters);
}

// Two row groups never write one PSUM bank at a time, and two tiles never the same words of a bank.
bool TensorEngine::collides(const TensorCommand& command) const {
    const std::uint32_t last = command.first + command.columns - 1;
    for (unsigned s = 0; s < TensorStreams; ++s) {
        if (s == command.stream || flying_[s] == 0 || target_[s].bank != command.bank) continue;
        if (s % RowGroups != command.stream % RowGroups) return true;
        if (target_[s].first <= last && command.first <= target_[s].last) return true;
    }
    return false;
}

// The streams of a row group share a port: one word of each partition in a cycle, in turn.
std::array<bool, TensorStreams> TensorEngine::grants(bool& waited) {
    std::array<unsigned, RowGroups> chosen{};
    std::array<bool, RowGroups> wanted{};
    for (unsigned g = 0; g < RowGroups; ++g) {
        for (unsigned k = 1; k <= ColumnGroups && !wanted[g]; ++k) {
            chosen[g] = (turn_[g] + k) % ColumnGroups;
            wanted[g] = streams_[chosen[g] * RowGroups + g].wants();
        }
    }
    std::array<bool, RowGroups> granted = wanted;
    if (common_slice_ && std::ranges::count(wanted, true) > 1) {
        granted.fill(false);
        granted[slice_turn_] = true;
        slice_turn_ = (slice_turn_ + 1) % RowGroups;
        waited = true;
    }
    std::array<bool, TensorStreams> result{};
    for (unsigned g = 0; g < RowGroups; ++g) {
        if (!granted[g]) continue;
        turn_[g] = chosen[g];
        result[chosen[g] * RowGroups + g] = true;
    }
    return result;
}

std::uint64_t TensorEngine::quiet() const {
    if (any_busy() || loader_.done() || done()) return 0;
    std::uint64_t next = queue_.empty() ? Never : queue_.front().due;
    for (const auto& results : results_) {
        if (!results.empty()) next = std::min(next, results.front());
    }
    if (array_busy()) next = std::min(next, flight_end_);
    return next == Never || next <= now_ ? 0 : next - now_;
}

bool TensorEngine::cycle(const TensorCommand* accepted) {
    bool waited = false;
    const std::array<bool, TensorStreams> granted = grants(waited);
    std::array<bool, TensorStreams> takes{};
    for (unsigned s = 0; s < TensorStreams; ++s) takes[s] = streams_[s].takes(granted[s]);
    const TensorLoader::Beat beat = loader_.beat();

    // Start of the head. A change to tiles of another size waits until the array is empty.
    const TensorCommand* starts = nullptr;
    if (!queue_.empty() && queue_.front().due <= now_ && order_.size() < figure(Figure::TensorQueue) &&
        loader_.ready(beat)) {
        const TensorCommand& head = queue_.front().command;
        const bool settled = (head.row_tile == row_tile_ && head.column_tile == column_tile_) ||
                             (!any_busy() && !array_busy());
        const bool free = head.load || (streams_[head.stream].ready(takes[head.stream]) && !collides(head));
        if (settled && free) starts = &head;
    }

    // Completion, in order.
    const bool completes = done();
    std::array<bool, Kinds> finishes{};
    finishes[KindLoad] = loader_.done();
    for (unsigned s = 0; s < TensorStreams; ++s) {
        if (results_[s].empty() || results_[s].front() != now_) continue;
        finishes[s] = true;
        results_[s].pop_front();
        --flying_[s];
    }
    if (completes) {
        --finished_[order_.front()];
        order_.pop_front();
    }
    for (unsigned k = 0; k < Kinds; ++k) finished_[k] += finishes[k] ? 1 : 0;

    // Elements that enter the array.
    const std::uint64_t passage = (row_tile_ ? group_rows_ : rows_) + passage_;
    for (unsigned s = 0; s < TensorStreams; ++s) {
        if (streams_[s].enters()) flight_end_ = now_ + flight_ + 1;
        if (streams_[s].enters_last()) results_[s].push_back(now_ + passage);
    }
    if (loader_.entering() != 0) flight_end_ = now_ + flight_ + 1;

    // Edge.
    for (unsigned s = 0; s < TensorStreams; ++s) {
        if (!streams_[s].busy() && starts == nullptr) continue;
        streams_[s].edge(takes[s],
                         starts != nullptr && !starts->load && starts->stream == s ? starts : nullptr);
    }
    loader_.edge(beat, starts != nullptr && starts->load ? starts : nullptr);
    if (starts != nullptr) {
        row_tile_ = starts->row_tile;
        column_tile_ = starts->column_tile;
        order_.push_back(starts->load ? KindLoad : starts->stream);
        if (!starts->load) {
            ++flying_[starts->stream];
            target_[starts->stream] = {starts->bank, starts->first, starts->first + starts->columns - 1};
        }
        queue_.pop_front();
    }
    ++now_;
    if (accepted != nullptr) queue_.push_back({*accepted, now_ + issue_latency_});
    return waited;
}

}  // namespace trnsim::tlm::core_fast
