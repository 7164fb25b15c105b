#include "arch/cost/elementwise.hpp"

#include <algorithm>
#include <cstdlib>

#include "arch/cost/rate_limit.hpp"

namespace trnsim::cost {
namespace {

// Cycles from the read of an element to the completion of the instruction that ends with it.
constexpr std::uint64_t VectorPipeline = 7;
constexpr std::uint64_t ScalarPipeline = figure(Figure::ScalarStages) + 3;
// Cycles of a division beside the stage that it replaces.
constexpr std::uint64_t Division = figure(Figure::DivisionDigits) + 1;
constexpr std::uint64_t WordBytes = 4;
// `Recurrence`: cycles of an element of a recurrence through both stages. `Ahead`: cycles that a source with
// far elements can make up for with the elements that it has read ahead, one a cycle until it is empty.
constexpr std::uint64_t Recurrence = 2, Ahead = figure(Figure::SourceDepth) + 1;
// Cycles that the next find_index8 or match_replace8 can gain or lose by its values.
constexpr std::uint64_t ValuesBound = 12;

constexpr std::uint64_t cycles_if(bool used, bool far) {
    return !used ? 0 : far ? 2 : 1;
}

// Returns the bytes from the last element of a turn of the dimensions below `d` to the first element of the
// next turn.
std::int64_t turn(const ElementOperand& operand, const Counts& count, unsigned d) {
    std::int64_t elements = operand.step[d];
    for (unsigned k = 0; k < d; ++k) elements -= std::int64_t{operand.step[k]} * (std::int64_t{count[k]} - 1);
    return elements * operand.bytes;
}

std::uint64_t turns(const Counts& count, unsigned d) {
    std::uint64_t result = count[d] - 1;
    for (unsigned k = d + 1; k < 4; ++k) result *= count[k];
    return result;
}

// Returns the number of turns whose first element may lie in the word of the element before it.
std::uint64_t meetings(const ElementOperand& operand, const Counts& count) {
    unsigned d = 0;
    while (d < 3 && count[d] == 1) ++d;
    std::uint64_t result = 0;
    for (++d; d < 4; ++d)
        if (std::abs(turn(operand, count, d)) < static_cast<std::int64_t>(WordBytes))
            result += turns(count, d);
    return result;
}

// Returns whether rows of elements that share words begin at different places within a word.
bool uneven(const ElementOperand& operand, const Counts& count) {
    bool shares = false, result = false;
    for (unsigned d = 0; d < 4; ++d) {
        if (count[d] == 1) continue;
        const std::int64_t bytes = std::abs(std::int64_t{operand.step[d]} * operand.bytes);
        result = result || (shares && bytes % static_cast<std::int64_t>(WordBytes) != 0);
        shares = shares || bytes < static_cast<std::int64_t>(WordBytes);
    }
    return result;
}

// Returns the words that are read of an operand whose neighbours in a word are read once; an upper bound if
// rows begin within a word.
std::uint64_t words(const ElementOperand& operand, const Counts& count) {
    unsigned d = 0;
    while (d < 3 && count[d] == 1) ++d;
    std::uint64_t row = count[d];
    const auto step = static_cast<std::uint64_t>(std::abs(std::int64_t{operand.step[d]} * operand.bytes));
    if (step >= WordBytes) return elements_of(count);
    // Rows without a gap between them form one row.
    for (++d; d < 4 && (count[d] == 1 || turn(operand, count, d) == static_cast<std::int64_t>(step)); ++d)
        row *= count[d];
    const std::uint64_t first = operand.offset % WordBytes;
    return (first + (row - 1) * step) / WordBytes * (elements_of(count) / row) + elements_of(count) / row;
}

// Returns whether the operand has whole words only; if both sources do, the port serves each in every other
// cycle.
bool whole_words(const ElementOperand& operand, const Counts& count) {
    bool whole = operand.offset % WordBytes == 0;
    for (unsigned d = 1; d < 4; ++d)
        whole = whole && (count[d] == 1 || (count[0] % 2 == 0 && operand.step[d] % 2 == 0));
    return whole;
}

// The part that all operations of both engines share: ports, operands and the rate of the elements.
struct Flow {
    explicit Flow(const ElementOperation& operation, RateLimit rate = RateLimit())
        : op(operation),
          limit(rate),
          elements(elements_of(op.count)),
          a(cycles_if(op.reads_a, op.a_far)),
          b(cycles_if(op.uses_b, op.b_far)),
          write(op.no_dst ? 1 : cycles_if(true, op.dst_far)),
          vectors(std::uint64_t{op.vectors[0]} + op.vectors[1]),
          one_port(op.reads_a && op.uses_b && op.a.psum == op.b.psum),
          pairs(one_port && op.reuse_words) {
        const bool both = one_port && !pairs && op.values == 0;
        each = both ? a + b : std::max<std::uint64_t>({1, a, op.values == 0 ? b : 1});
        first = one_port && op.values == 0 ? a : 0;
    }
    // Returns the cycles from the first result to the end of the last one.
    std::uint64_t drain(std::uint64_t results) const { return (results - 1) * write + write - 1; }

    // Returns the cycles of SBUF's read port. [partitions,1] operands of the next instruction use it as well.
    std::uint64_t sbuf_reads() const {
        const auto reads = [this](const ElementOperand& operand, const Counts& count) {
            return op.reuse_words ? words(operand, count) : elements_of(count);
        };
        std::uint64_t cycles = vectors;
        if (op.reads_a && !op.a.psum) cycles += a * reads(op.a, op.count);
        if (op.uses_b && !op.b.psum) cycles += b * reads(op.b, op.b_count);
        return cycles;
    }

    const ElementOperation& op;
    RateLimit limit;  // of the elements that the lanes take; none unless the operation is limited
    std::uint64_t elements;
    std::uint64_t a, b, write;  // port cycles of an element; 0: it is not read
    std::uint64_t vectors;      // [partitions,1] operands
    bool one_port;              // both sources use one port
    bool pairs;                 // words of two elements come through one port
    std::uint64_t each;         // cycles from one element to the next
    std::uint64_t first;        // cycles that the first element waits for its other operand
};

// An operation in its unit. `until_last`: cycles from the end of the first element's pipeline to the last
// result. `busy`: cycles in which no other operation of the kind can be in the same place.
struct Work {
    std::uint64_t until_last, busy;
};

Work lanes(const Flow& flow, std::uint64_t each) {
    const ElementOperation& op = flow.op;
    if (op.group == 1 || !op.write_groups) each = std::max(each, flow.write);
    return {std::max((flow.elements - 1) * each, flow.limit.cycles(flow.elements - 1)) + flow.write - 1,
            std::max(flow.elements * each, flow.limit.cycles(flow.elements))};
}

// The results come after the last element, `behind` cycles later.
Work results_behind(const Flow& flow, std::uint64_t behind) {
    const std::uint64_t results = elements_of(flow.op.dst_count);
    return {(flow.elements - 1) * flow.each + behind + flow.drain(results),
            std::max(flow.elements * flow.each, results * flow.write)};
}

Work aggregate(const Flow& flow) {
    constexpr std::uint64_t Triple = figure(Figure::BnAggrElements),
                            Steps = figure(Figure::BnAggrLastStep) + 1;
    const std::uint64_t triples = flow.elements / Triple, step = std::max(Steps, Triple * flow.each);
    return {(triples - 1) * step + (Triple - 1) * flow.each + Steps - 1 +
                flow.drain(figure(Figure::BnAggrResults)),
            triples * step};
}

// Eight values come first, then the elements; some of these have been read meanwhile.
Work match(const Flow& flow) {
    const bool replaces = flow.op.unit == Unit::Replace8;
    const std::uint64_t n = flow.elements, values = flow.op.values;
    const std::uint64_t ahead =
        flow.one_port ? std::min<std::uint64_t>(n, figure(Figure::SourceDepth)) * flow.a : 0;
    const std::uint64_t last_value = values * flow.b + ahead - (flow.b - 1);
    const std::uint64_t far = (n - 1) * flow.each > Ahead ? (n - 1) * flow.each - Ahead : 0;
    std::uint64_t last = flow.each == 1 ? n - 1 : std::max(n - 1, far);
    if (replaces) last = std::max(last, (n - 1) * flow.write);
    const std::uint64_t port = (flow.one_port ? values * flow.b : 0) + n * flow.each;
    return {last_value + last + (replaces ? flow.write - 1 : flow.drain(figure(Figure::Max8Results))),
            std::max({port, values + n, replaces ? values + n * flow.write : 0})};
}

// Each block is written while the next one is read.
Work transpose(const Flow& flow, std::uint64_t quadrant) {
    const std::uint64_t block = std::min(quadrant, flow.elements), blocks = flow.elements / block;
    const std::uint64_t period = std::max(block * flow.each, flow.op.block_results * flow.write);
    return {(block - 1) * flow.each + (blocks - 1) * period + flow.drain(flow.op.block_results),
            blocks * period};
}

Work in_lanes(const Flow& flow) {
    const ElementOperation& op = flow.op;
    const std::uint64_t divisions = (op.first_divides ? Division : 0) + (op.second_divides ? Division : 0);
    if (op.first_recurs) {
        const Work work = lanes(flow, std::max(flow.each, Recurrence + divisions));
        return {work.until_last + divisions, work.busy};
    }
    if (!op.second_recurs || !op.second_divides) {
        const Work work = lanes(flow, flow.each);
        return {work.until_last + divisions, work.busy};
    }
    // A running quotient divides nothing at its first element; the second one waits for its own read.
    const Work work = lanes(flow, 1 + Division);
    const std::uint64_t reads = flow.elements > 1 ? flow.each - 1 : 0;
    return {work.until_last + (op.first_divides ? Division : 0) + reads, work.busy - Division};
}

Work work_of(const Flow& flow, std::uint64_t quadrant) {
    switch (flow.op.unit) {
        case Unit::Lanes:
            return in_lanes(flow);
        case Unit::BnStats:
            return results_behind(flow, figure(Figure::BnStatsStages));
        case Unit::BnAggr:
            return aggregate(flow);
        case Unit::Max8:
            return results_behind(flow, 0);
        case Unit::Find8:
        case Unit::Replace8:
            return match(flow);
        case Unit::Random:
        case Unit::Shuffle:
            return lanes(flow, flow.each);
        case Unit::Transpose:
            return transpose(flow, quadrant);
    }
    return {};
}

void except(Cycles& cycles, Exception exception, std::uint64_t occupies, std::uint64_t completes) {
    cycles.exception = exception;
    cycles.occupies_within = occupies;
    cycles.completes_within = completes;
}

// Finds the exceptions of rows that share words: a shared word is read once.
void look_at_rows(Cycles& cycles, const Flow& flow) {
    const ElementOperation& op = flow.op;
    if (!op.reuse_words) return;
    std::uint64_t meet = 0;
    bool fewer = false;
    const auto look = [&](bool reads, const ElementOperand& operand, const Counts& count) {
        if (!reads) return;
        meet += meetings(operand, count);
        fewer = fewer || meet != 0 || uneven(operand, count);
    };
    look(op.reads_a, op.a, op.count);
    look(op.uses_b, op.b, op.b_count);
    const bool far = op.a_far || op.b_far;
    if (meet != 0 && far) return except(cycles, Exception::UnevenRows, 2 * meet, 2 * meet);
    if (fewer && flow.vectors != 0) except(cycles, Exception::UnevenRows, flow.vectors, 0);
}

void find_exceptions(Cycles& cycles, const Flow& flow) {
    const ElementOperation& op = flow.op;
    if (flow.pairs && !(whole_words(op.a, op.count) && whole_words(op.b, op.b_count))) {
        const std::uint64_t bound = flow.elements / 2 + Ahead;
        return except(cycles, Exception::WordPairs, bound, bound);
    }
    look_at_rows(cycles, flow);
    if (op.unit == Unit::Find8 || op.unit == Unit::Replace8)
        except(cycles, Exception::ValuesFirst, cycles.occupies_within + ValuesBound, cycles.completes_within);
}

Cycles cycles_of(const Flow& flow, const Work& work, std::uint64_t issue_latency, std::uint64_t pipeline) {
    const std::uint64_t reads =
        flow.pairs
            ? std::max(flow.elements, words(flow.op.a, flow.op.count) + words(flow.op.b, flow.op.count))
            : flow.elements;
    const std::uint64_t more = reads - flow.elements;  // reads of words beyond those of the elements
    Cycles cycles;
    cycles.occupies =
        std::max<std::uint64_t>({figure(Figure::StartInterval), work.busy + more, flow.sbuf_reads()});
    cycles.completes = issue_latency + flow.vectors + flow.first + work.until_last + pipeline +
                       (whole_words(flow.op.a, flow.op.count) ? 0 : more);
    find_exceptions(cycles, flow);
    return cycles;
}

}  // namespace

Cycles vector_cycles(const ElementOperation& operation, const config::VectorEngine& engine,
                     std::uint64_t quadrant) {
    const Flow flow(operation, operation.limited ? RateLimit(engine.reciprocal_rate) : RateLimit());
    return cycles_of(flow, work_of(flow, quadrant), engine.issue_latency, VectorPipeline);
}

Cycles scalar_cycles(const ElementOperation& operation, const config::ElementwiseEngine& engine) {
    const Flow flow(operation);
    Cycles cycles = cycles_of(flow, lanes(flow, flow.each), engine.issue_latency, ScalarPipeline);
    if (flow.write != 1) {
        constexpr std::uint64_t Bound = figure(Figure::ScalarStages);
        except(cycles, Exception::StandingStages, Bound + cycles.occupies_within,
               cycles.completes_within + (flow.a != 1 ? Bound : 0));
    }
    return cycles;
}

}  // namespace trnsim::cost
