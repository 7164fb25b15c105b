// The events that a call comes after, derived from its reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/builder/footprint.hpp"
#include "compiler/builder/loop_access.hpp"
#include "compiler/builder/step.hpp"

namespace trnsim::builder {

// The accesses to one memory that a later access may have to come after, and their events.
class AccessMap {
  public:
    struct Access {
        Span across;
        Event event;
        bool write;
    };

    // Calls `before` with every access that meets the box, then notes this one. A write of all of the box
    // hides the accesses that it covers: an access after it comes after them, too. A later access of a
    // producer implies its earlier ones.
    template <typename Before>
    void note(const Box& box, const Event& event, bool write, bool exact, const Before& before) {
        const auto last = split(box.along.end);
        auto at = split(box.along.first);
        for (; at != last; ++at) {
            for (const Access& access : at->second) {
                if (access.across.meets(box.across)) before(access);
            }
            add(at->second, {box.across, event, write}, exact);
        }
        if (write && exact) unite(box.along);
    }

    // Calls `before` with every access that meets the box.
    template <typename Before>
    void visit(const Box& box, const Before& before) const {
        for (auto at = std::prev(segments_.upper_bound(box.along.first));
             at != segments_.end() && at->first < box.along.end; ++at) {
            for (const Access& access : at->second) {
                if (access.across.meets(box.across)) before(access);
            }
        }
    }

    std::size_t size() const { return segments_.size(); }

  private:
    // The key is the first byte; a segment ends where the next one begins.
    using Segments = std::map<std::uint64_t, std::vector<Access>>;

    Segments::iterator split(std::uint64_t at);
    static void add(std::vector<Access>& accesses, const Access& access, bool exact);
    void unite(const Span& along);

    Segments segments_{{0, {}}};
};

// The events that calls wait for. Derived: those derived from their tiles and views, and their `After`.
// Explicit: their `After` alone, for kernels that are planned by hand; nothing else orders two engines.
enum class Waits : std::uint8_t { Derived, Explicit };

class Dependences {
  public:
    explicit Dependences(Waits waits = Waits::Derived) : waits_(waits) {}
    bool derived() const { return waits_ == Waits::Derived; }

    enum class Kind : std::uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };

    // Adds a tensor in HBM; tensors are numbered in the order of the calls.
    void add_tensor(isa::Dtype dtype, const std::vector<std::uint64_t>& shape);

    // A call that completes with `event`. `ordered`: it comes after earlier calls of its producer anyway,
    // which is true of the instructions of an engine and not of the transfers of a queue.
    struct Call {
        Event event;
        bool ordered;
        After after;  // at most one event a producer: the last one
    };
    void note(Call& call, const Access& access);
    void read(Call& call, const Tile& tile) { note(call, tile, false); }
    void write(Call& call, const Tile& tile) { note(call, tile, true); }
    void read(Call& call, const TensorView& view) { note(call, view, false); }
    void write(Call& call, const TensorView& view) { note(call, view, true); }
    // Notes a write of a part: the earlier content stays in part.
    void write_some(Call& call, const Tile& tile) { note(call, tile, true, true); }
    void write_some(Call& call, const TensorView& view) { note(call, view, true, true); }

    // From begin_loop() on, accesses are kept, not compared; take_accesses() returns those since the last
    // time.
    void begin_loop() { in_loop_ = true; }
    std::vector<LoopAccess> take_accesses() { return std::exchange(accesses_, {}); }
    void end_loop() { in_loop_ = false; }
    // Adds the events before the loop that an access comes after in all iterations.
    void enter(Call& call, const LoopAccess& access) const;
    // Notes that the last iteration of an access is complete with `event`.
    void leave(const LoopAccess& access, const Event& event);
    // Returns whether a later access depends on an earlier one at the same place.
    bool depends(bool earlier_write, bool write) const;

    // Leaves out dependences of this kind, for tests of the checks for missing waits.
    void leave_out(Kind kind) { left_out_.at(static_cast<std::size_t>(kind)) = true; }

  private:
    struct Tensor {
        std::uint64_t row;  // bytes
        AccessMap accesses;
    };

    void note(Call& call, const Tile& tile, bool write, bool some = false);
    void note(Call& call, const TensorView& view, bool write, bool some = false);
    void note_in_loop(LoopAccess access, bool some);
    void note(Call& call, AccessMap& map, Footprint footprint, bool write, bool some);
    void depend(Call& call, const AccessMap::Access& access, bool write) const;

    AccessMap& map_of(const LoopAccess& access);
    const AccessMap& map_of(const LoopAccess& access) const;

    Waits waits_;
    AccessMap sbuf_, psum_;
    std::vector<Tensor> tensors_;
    std::array<bool, 3> left_out_{};
    bool in_loop_ = false;
    std::vector<LoopAccess> accesses_;
};

}  // namespace trnsim::builder
