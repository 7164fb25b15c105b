// Timing of the Vector engine (rtl/vector/vector_engine.sv), cycle by cycle of its clock: when it takes
// instructions, uses its ports and completes. It has no values of elements.
#pragma once

#include <array>
#include <cstdint>

#include "arch/config/config.hpp"
#include "model/core/fast/dividers.hpp"
#include "model/core/fast/element_front.hpp"
#include "model/core/fast/element_slot.hpp"
#include "model/core/fast/result_writer.hpp"
#include "model/core/fast/vector_units.hpp"

namespace trnsim::tlm::core_fast {

class VectorEngine {
  public:
    VectorEngine(const config::VectorEngine& config, std::uint32_t quadrant)
        : front_(config.issue_latency, config.dependent_latency, 2),
          quadrant_(quadrant),
          first_dividers_(config.reciprocal_rate),
          second_dividers_(config.reciprocal_rate) {}

    bool ready() const { return front_.ready(); }
    bool busy() const { return front_.busy() || done_; }
    bool done() const { return done_; }  // for one cycle: the oldest instruction has completed
    Ports<PortClaim> claims() const { return front_.claims(); }
    std::uint64_t quiet() const { return done_ ? 0 : front_.quiet(); }
    void skip(std::uint64_t cycles) { front_.skip(cycles); }

    // `accepted`: an instruction, null for none; only while ready().
    void cycle(OperationPtr accepted, const Ports<PortGrant>& grant);

  private:
    // The elements of an operation as they leave the sources (rtl/vector/vector_sequence.sv).
    struct Sequence {
        bool running = false;
        std::uint64_t left = 0;              // elements, including the current one
        std::uint64_t group = 0, place = 0;  // elements of a group; the current one in it
        std::uint32_t values = 0;
        bool last() const { return left == 1 && values == 0; }
    };
    // The operations that wait for a block, in order of their start
    // (rtl/elementwise/elementwise_bank_queue.sv).
    struct BankQueue {
        unsigned waiting = 0, next = 0, bank = 0;
    };

    // Decisions of a cycle: at the end of the pipeline,
    struct Results {
        const ElementOperation* writing = nullptr;  // the operation of the result at the end; null: none
        ResultWriter::Answer answer;
        Unit unit = Unit::Lanes;  // unit of the operation that gives the next results
        bool free = false, done = false, take = false, unit_take = false;
        bool through = false;  // the element that the second stage has finished goes
    };
    // in a stage of the lanes,
    struct Stage {
        const ElementOperation* operation = nullptr;  // the operation of the element in it; null: none
        bool free = false;                            // the next place is or becomes free
        bool takes = false;                           // the oldest result of its dividers leaves it
        bool moves = false;                           // the element in it goes on
        bool starts = false;                          // the element goes into a divider
    };
    // and at the entry of the first stage.
    struct Entry {
        bool ready = false;
        ElementSlot element;
        std::array<bool, 2> pops{};
    };
    // Inlined into one function, so that the records stay in registers.
    [[gnu::always_inline]] inline Results decide_results(const Ports<PortGrant>& grant) const;
    [[gnu::always_inline]] inline Stage decide_second(const Results& results) const;
    [[gnu::always_inline]] inline Stage decide_first(bool moves) const;
    [[gnu::always_inline]] inline Entry decide_entry(bool ready) const;
    [[gnu::always_inline]] inline void edge(const Results& results, const Stage& second, const Stage& first,
                                            const Entry& entry);
    [[gnu::always_inline]] inline static void edge_stage(ElementSlot& left, const Stage& stage,
                                                         const ElementSlot& in, Dividers& dividers);

    void load_sequence(bool free);
    void load_results(bool free);

    ElementFront front_;
    std::uint32_t quadrant_;
    std::array<OperationPtr, 2> bank_;
    BankQueue elements_, results_;
    Sequence sequence_;
    ElementSlot element_, first_, second_;  // in the first stage, past the first, past the second
    Dividers first_dividers_, second_dividers_;
    VectorUnits units_;
    std::uint64_t results_left_ = 0;  // left of the operation that gives the next results
    struct Write {
        bool valid = false, last = false;
        std::uint8_t bank = 0;
    } write_;
    ResultWriter writer_;
    bool done_ = false;
};

}  // namespace trnsim::tlm::core_fast
