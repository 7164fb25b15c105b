// The stages between an elementwise engine and the memories: they accept, set up and start instructions in
// order and read their operands and immediates (rtl/elementwise/elementwise_front.sv, elementwise_issue.sv).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/core/fast/element_source.hpp"

namespace trnsim::tlm::core_fast {

using OperationPtr = std::shared_ptr<const ElementOperation>;

// The claim to a row port that engines share: `needs` by an instruction about to start or under way, `uses`
// by one under way.
struct PortClaim {
    bool needs = false, uses = false;
};
// The answer: the engine has the port; with `hold` it must not begin a further instruction that needs the
// port.
struct PortGrant {
    bool granted = false, hold = false;
};

// One value for the port of each memory.
template <typename T>
struct Ports {
    T sbuf, psum;
};

class ElementFront {
  public:
    ElementFront(std::uint64_t issue_latency, std::uint64_t dependent_latency, unsigned sources);

    bool ready() const { return fill_ != depth_; }  // accepts an instruction in this cycle
    bool busy() const { return fill_ != 0 || bank_busy_[0] || bank_busy_[1]; }
    bool valid(unsigned source) const { return sources_[source].valid(); }
    Ports<PortClaim> claims() const;

    // Returns the cycles from this one on in which only times pass, 0 if there are none; skip() lets them
    // pass.
    std::uint64_t quiet() const;
    void skip(std::uint64_t cycles);

    struct In {
        OperationPtr accepted;  // null: none
        Ports<PortGrant> grant;
        std::array<bool, 2> pops{};
        bool done = false;  // the oldest instruction under way has written its last result
    };
    struct Out {
        OperationPtr started;  // null: none
        unsigned bank = 0;
    };
    Out cycle(In in);

  private:
    struct Setup {
        OperationPtr operation;
        std::uint64_t left = 0;  // cycles
    };
    // Decisions of a cycle: the reads that are granted,
    struct Reads {
        ElementReadPort::Grants sbuf, psum;
        std::array<bool, 2> issues{};
    };
    // and the progress of the start of the head.
    struct Start {
        const ElementOperation* head = nullptr;    // null: none
        bool may_read = false;                     // its immediates may be read
        bool starts = false, pop = false;          // its first operand starts; all of them have started
        std::array<bool, 2> sources{}, started{};  // operands that start, that have started
        std::array<bool, 2> imm_left{};
    };
    // Inlined into one function, so that the records stay in registers.
    [[gnu::always_inline]] inline Reads decide_reads(const Ports<PortGrant>& grant) const;
    [[gnu::always_inline]] inline Start decide_start(const Ports<PortGrant>& grant, const Reads& reads) const;
    [[gnu::always_inline]] inline void edge_sources(const In& in, const Reads& reads, const Start& start);
    [[gnu::always_inline]] inline void edge_setup(bool done);
    [[gnu::always_inline]] inline void edge_banks(bool done, const Start& start, Out& out);
    [[gnu::always_inline]] inline void edge_queue(OperationPtr accepted, bool pop);

    unsigned next(unsigned slot) const { return slot + 1 == depth_ ? 0 : slot + 1; }
    bool able() const;  // the head may start, except for a port
    std::uint64_t restart() const;

    std::uint64_t setup_cycles_, dependent_latency_;
    unsigned depth_, source_count_;

    std::vector<Setup> setup_;  // a ring of depth_
    unsigned head_ = 0, tail_ = 0, fill_ = 0;
    bool fresh_ = false;  // the newest one came in the previous cycle: its regions are not known yet
    unsigned fresh_slot_ = 0;

    std::array<OperationPtr, 2> bank_;
    std::array<bool, 2> bank_busy_{};
    unsigned next_bank_ = 0, oldest_ = 0;
    std::uint64_t interval_ = 0;  // cycles until the next start is allowed

    std::array<bool, 2> started_{};   // operands of the head that have started
    std::array<bool, 2> imm_left_{};  // immediates of the head still to be read
    bool imm_known_ = false;          // imm_left_ belongs to the head

    std::array<ElementSource, 2> sources_;
    Ports<ElementReadPort> reads_;
};

}  // namespace trnsim::tlm::core_fast
