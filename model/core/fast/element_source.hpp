// One tensor operand of an elementwise engine: reads its rows up to four elements ahead and hands elements out
// (rtl/elementwise/elementwise_source.sv).
//
// Within a cycle, wants() says whether the source asks for a read, issues() what it does with the answer, and
// edge() ends the cycle.
#pragma once

#include <cstdint>

#include "model/core/fast/decoded.hpp"
#include "model/core/fast/pattern.hpp"

namespace trnsim::tlm::core_fast {

class ElementSource {
  public:
    struct Start {
        const ElementOperand* operand;
        const Counts* count;
        bool reads, reuse_words, far;
    };

    bool valid() const { return waiting_ != 0; }  // there is an element to hand out
    bool psum() const { return psum_; }
    bool far() const { return far_; }
    bool busy() const { return walk_.walking() || in_flight_ != 0; }

    // Returns whether it asks for a read.
    bool wants() const { return has_room() && needs_read(); }
    // Returns whether the current element goes. `granted`: the answer if it wants() a read.
    bool issues(bool granted) const { return has_room() && (granted || !needs_read()); }
    // Returns whether the next operand may start in this cycle.
    bool ready(bool issues) const { return !walk_.walking() || (issues && walk_.last()); }

    // `start` null: no operand starts.
    void edge(bool issues, bool pops, const Start* start) {
        const std::uint32_t row = walk_.offset() / WordBytes;
        in_flight_ += static_cast<unsigned>(issues) - static_cast<unsigned>(pops);
        waiting_ += static_cast<unsigned>(arriving_) - static_cast<unsigned>(pops);
        arriving_ = issues;
        if (issues) {
            row_known_ = true;
            row_ = row;
            walk_.advance();
        }
        if (start == nullptr) return;
        walk_.start(start->operand->offset, *start->count, start->operand->step, start->operand->bytes);
        psum_ = start->operand->psum;
        far_ = start->far;
        reads_ = start->reads;
        reuse_ = start->reuse_words;
        row_known_ = false;
    }

  private:
    static constexpr std::uint32_t WordBytes = 4;

    bool has_room() const { return walk_.walking() && in_flight_ != figure(Figure::SourceDepth); }
    bool needs_read() const {
        return reads_ && !(reuse_ && row_known_ && walk_.offset() / WordBytes == row_);
    }

    Walk walk_;
    bool psum_ = false, far_ = false, reads_ = false, reuse_ = false;
    bool row_known_ = false;  // row_ is the row of the previous element
    std::uint32_t row_ = 0;
    unsigned in_flight_ = 0;  // issued and not handed out
    bool arriving_ = false;
    unsigned waiting_ = 0;  // elements that have come
};

// A memory's read port: the two sources take turns, immediates wait for both
// (rtl/elementwise/elementwise_read_port.sv).
class ElementReadPort {
  public:
    struct Grants {
        bool a = false, b = false, immediate = false;
    };

    Grants grants(bool granted, bool a, bool b, bool immediate) const {
        if (!granted || busy_) return {};
        return {a && !(b && b_next_), b && !(a && !b_next_), immediate && !a && !b};
    }
    void edge(bool granted, const Grants& served, bool a_far, bool b_far) {
        if (served.a)
            b_next_ = true;
        else if (served.b)
            b_next_ = false;
        if (granted) busy_ = (served.a && a_far) || (served.b && b_far);
    }

  private:
    bool b_next_ = false;
    bool busy_ = false;  // the second cycle of a far read
};

}  // namespace trnsim::tlm::core_fast
