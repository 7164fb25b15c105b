#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/collectives/check.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives::test {
namespace {

using Fault = std::optional<std::string>;

constexpr std::array BufferNames{"input", "output", "scratch"};

std::string place_text(const BufferAddress& place) {
    return fmt::format("{} of rank {}, byte {}", BufferNames[static_cast<std::size_t>(place.buffer)],
                       place.rank, place.offset);
}

std::uint64_t bytes_of(const ElementRun& operand, std::uint64_t elements) {
    return elements * isa::element_size(operand.dtype);
}

bool overlap(const ElementRun& a, const ElementRun& b, std::uint64_t elements) {
    return a.place.rank == b.place.rank && a.place.buffer == b.place.buffer &&
           a.place.offset < b.place.offset + bytes_of(b, elements) &&
           b.place.offset < a.place.offset + bytes_of(a, elements);
}

std::string_view fault_of_operands(const Transfer& transfer) {
    const auto& [combine, sources, destinations, elements, rounding, first] = transfer;
    if (elements == 0) return "no elements";
    if (sources.empty() || sources.size() > MaxSources) return "expected 1 to 16 sources";
    if (destinations.empty() || destinations.size() > MaxDestinations) return "expected 1 or 2 destinations";
    if (combine == Combine::Copy && sources.size() != 1) return "a copy of several sources";
    if (rounding == isa::Rounding::Core) return "expected rounding to nearest or stochastic";
    for (std::size_t d = 0; d < destinations.size(); ++d) {
        if (combine == Combine::Copy && destinations[d].dtype != sources[0].dtype)
            return "a copy from one type to another";
        for (const ElementRun& source : sources) {
            const bool same = source.place == destinations[d].place &&
                              isa::element_size(source.dtype) == isa::element_size(destinations[d].dtype);
            if (!same && overlap(source, destinations[d], elements))
                return "a source and a destination have bytes in common";
        }
        for (std::size_t e = 0; e < d; ++e) {
            if (overlap(destinations[e], destinations[d], elements))
                return "two destinations have bytes in common";
            if (destinations[e].dtype != destinations[d].dtype) return "destinations of two types";
        }
    }
    return "";
}

Fault fault_of_structure(const Schedule& schedule) {
    const std::size_t ranks = schedule.lists.size();
    std::vector<std::size_t> listed(schedule.steps.size());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (const StepId id : schedule.lists[rank]) {
            if (id >= schedule.steps.size() || schedule.steps[id].rank != rank)
                return fmt::format("list of rank {}: step {} is none of this rank's", rank, id);
            ++listed[id];
        }
    }
    for (std::size_t id = 0; id < schedule.steps.size(); ++id) {
        const auto& [rank, transfer, waits] = schedule.steps[id];
        if (listed[id] != 1) return fmt::format("step {}: in {} lists, expected 1", id, listed[id]);
        if (const auto fault = fault_of_operands(transfer); !fault.empty())
            return fmt::format("step {}: {}", id, fault);
        for (const auto* operands : {&transfer.sources, &transfer.destinations}) {
            for (const ElementRun& operand : *operands) {
                const auto& place = operand.place;
                if (place.rank >= ranks)
                    return fmt::format("step {}: rank {}, expected one below {}", id, place.rank, ranks);
                const std::uint64_t end = place.offset + bytes_of(operand, transfer.elements);
                const auto& sizes = schedule.buffer_bytes[static_cast<std::size_t>(place.buffer)];
                if (end > sizes[place.rank])
                    return fmt::format("step {}: {} to {}, expected at most {} bytes", id, place_text(place),
                                       end, sizes[place.rank]);
            }
        }
        for (const StepId other : waits) {
            if (other >= id)
                return fmt::format("step {}: waits for step {}, expected an earlier one", id, other);
        }
    }
    return {};
}

// Returns the number of steps that complete if each starts after the steps that it waits for and the one
// before it in its list.
std::size_t steps_walked(const Schedule& schedule) {
    std::vector<std::size_t> missing(schedule.steps.size());
    std::vector<std::vector<StepId>> next(schedule.steps.size());
    const auto comes_after = [&](StepId late, StepId early) {
        next[early].push_back(late);
        ++missing[late];
    };
    for (std::size_t id = 0; id < schedule.steps.size(); ++id) {
        for (const StepId other : schedule.steps[id].waits) comes_after(static_cast<StepId>(id), other);
    }
    for (const auto& list : schedule.lists) {
        for (std::size_t i = 1; i < list.size(); ++i) comes_after(list[i], list[i - 1]);
    }
    std::vector<StepId> ready;
    for (std::size_t id = 0; id < missing.size(); ++id) {
        if (missing[id] == 0) ready.push_back(static_cast<StepId>(id));
    }
    std::size_t walked = 0;
    for (; !ready.empty(); ++walked) {
        const StepId id = ready.back();
        ready.pop_back();
        for (const StepId later : next[id]) {
            if (--missing[later] == 0) ready.push_back(later);
        }
    }
    return walked;
}

// A piece of a buffer that every access covers whole or not at all, and the steps that access it.
struct Cell {
    BufferAddress place;
    bool input = false, output = false;
    std::vector<StepId> readers, writers;
};

class Cells {
  public:
    explicit Cells(const Schedule& schedule) : rows_(BufferCount * schedule.lists.size()) {
        visit(schedule, [&](const BufferAddress& place, std::uint64_t bytes, auto) {
            auto& edges = row_of(place).edges;
            edges.insert(edges.end(), {place.offset, place.offset + bytes});
        });
        for (Row& row : rows_) {
            std::ranges::sort(row.edges);
            row.edges.erase(std::unique(row.edges.begin(), row.edges.end()), row.edges.end());
            row.cells.resize(row.edges.size());
        }
        visit(schedule, [&](const BufferAddress& place, std::uint64_t bytes, auto note) {
            Row& row = row_of(place);
            const auto first = std::ranges::lower_bound(row.edges, place.offset);
            for (auto at = first; *at != place.offset + bytes; ++at) {
                Cell& cell = row.cells[static_cast<std::size_t>(at - row.edges.begin())];
                cell.place = {place.rank, place.buffer, *at};
                note(cell);
            }
        });
    }

    std::vector<const Cell*> all() const {
        std::vector<const Cell*> cells;
        for (const Row& row : rows_) {
            for (const Cell& cell : row.cells) cells.push_back(&cell);
        }
        return cells;
    }

  private:
    struct Row {  // a buffer of a rank
        std::vector<std::uint64_t> edges;
        std::vector<Cell> cells;
    };
    Row& row_of(const BufferAddress& place) {
        return rows_[BufferCount * place.rank + static_cast<std::size_t>(place.buffer)];
    }
    // Calls `visitor` for each access with its place, its bytes, and a function that notes it in a cell.
    template <typename Visitor>
    static void visit(const Schedule& schedule, Visitor visitor) {
        for (const Range& range : schedule.inputs)
            visitor(range.place, range.bytes, [](Cell& cell) { cell.input = true; });
        for (const Range& range : schedule.outputs)
            visitor(range.place, range.bytes, [](Cell& cell) { cell.output = true; });
        for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
            const auto id = static_cast<StepId>(i);
            const Transfer& transfer = schedule.steps[i].transfer;
            for (const ElementRun& source : transfer.sources)
                visitor(source.place, bytes_of(source, transfer.elements),
                        [id](Cell& cell) { cell.readers.push_back(id); });
            for (const ElementRun& destination : transfer.destinations)
                visitor(destination.place, bytes_of(destination, transfer.elements),
                        [id](Cell& cell) { cell.writers.push_back(id); });
        }
    }

    std::vector<Row> rows_;
};

// Answers which steps are complete before a step begins in every order. It holds a block of steps at a time,
// as bits.
class Before {
  public:
    static constexpr std::size_t BlockSteps = 4096;

    Before(const Schedule& schedule, std::size_t first)
        : first_(first),
          words_((std::min(BlockSteps, schedule.steps.size() - first) + 63) / 64),
          bits_(schedule.steps.size() * words_) {
        for (std::size_t id = first; id < schedule.steps.size(); ++id) {
            for (const StepId other : schedule.steps[id].waits) {
                if (other < first) continue;
                for (std::size_t w = 0; w < words_; ++w) bits_[id * words_ + w] |= bits_[other * words_ + w];
                if (in_block(other)) word(other, id) |= bit(other);
            }
        }
    }
    bool in_block(StepId id) const { return id >= first_ && id < first_ + BlockSteps; }
    // Returns whether `early`, a step of the block, completes before `late` begins.
    bool operator()(StepId early, StepId late) { return (word(early, late) & bit(early)) != 0; }

  private:
    std::uint64_t bit(StepId early) const { return std::uint64_t{1} << (early - first_) % 64; }
    std::uint64_t& word(StepId early, std::size_t late) {
        return bits_[late * words_ + (early - first_) / 64];
    }

    std::size_t first_, words_;
    std::vector<std::uint64_t> bits_;  // words_ for each step
};

Fault fault_of_accesses(const Schedule& schedule) {
    const Cells cells(schedule);
    const std::vector<const Cell*> all = cells.all();
    for (const Cell* cell : all) {
        if (cell->output && !cell->input && cell->writers.empty())
            return fmt::format("{}: an output that no step writes", place_text(cell->place));
    }
    // The facts about a cell that the blocks have shown so far; a block knows a pair if it has the pair's
    // earlier step.
    struct Found {
        std::vector<std::vector<bool>> ordered;  // [writer][access, writes first]: one comes before the other
        std::vector<bool> written;               // [reader]: a write comes before it
    };
    std::vector<Found> found(all.size());
    for (std::size_t c = 0; c < all.size(); ++c) {
        const std::size_t accesses = all[c]->writers.size() + all[c]->readers.size();
        found[c].ordered.assign(all[c]->writers.size(), std::vector<bool>(accesses));
        found[c].written.assign(all[c]->readers.size(), all[c]->input);
    }
    for (std::size_t first = 0; first < schedule.steps.size(); first += Before::BlockSteps) {
        Before before(schedule, first);
        for (std::size_t c = 0; c < all.size(); ++c) {
            const auto& [place, input, output, readers, writers] = *all[c];
            for (std::size_t w = 0; w < writers.size(); ++w) {
                for (std::size_t a = 0; a < writers.size() + readers.size(); ++a) {
                    const StepId writer = writers[w];
                    const StepId other = a < writers.size() ? writers[a] : readers[a - writers.size()];
                    const bool earlier = before.in_block(writer) && before(writer, other);
                    const bool later = before.in_block(other) && before(other, writer);
                    if (earlier || later || writer == other) found[c].ordered[w][a] = true;
                    if (earlier && a >= writers.size()) found[c].written[a - writers.size()] = true;
                }
            }
        }
    }
    for (std::size_t c = 0; c < all.size(); ++c) {
        const auto& [place, input, output, readers, writers] = *all[c];
        for (std::size_t r = 0; r < readers.size(); ++r) {
            if (!found[c].written[r])
                return fmt::format("step {} reads what may not be written yet: {}", readers[r],
                                   place_text(place));
        }
        for (std::size_t w = 0; w < writers.size(); ++w) {
            for (std::size_t a = 0; a < writers.size() + readers.size(); ++a) {
                if (found[c].ordered[w][a]) continue;
                return fmt::format("steps {} and {} {} in no order: {}", writers[w],
                                   a < writers.size() ? writers[a] : readers[a - writers.size()],
                                   a < writers.size() ? "write" : "write and read", place_text(place));
            }
        }
    }
    return {};
}

}  // namespace

Fault fault_of_order(const Schedule& schedule) {
    if (Fault fault = fault_of_structure(schedule)) return fault;
    if (const std::size_t stuck = schedule.steps.size() - steps_walked(schedule); stuck != 0)
        return fmt::format("{} of {} steps wait for each other", stuck, schedule.steps.size());
    return fault_of_accesses(schedule);
}

}  // namespace trnsim::collectives::test
