// Timing of the units besides Vector's lanes: when they take elements and offer results
// (rtl/vector/vector_units.sv and the units below it).
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/decoded.hpp"
#include "model/core/fast/element_slot.hpp"

namespace trnsim::tlm::core_fast {

using cost::Unit;

class VectorUnits {
  public:
    // Returns whether an element may go to the unit in this cycle. `takes`: a result of the unit goes in it.
    bool ready(const ElementOperation& operation, const ElementSlot& element, bool takes,
               std::uint32_t quadrant) const;
    // Returns whether the unit offers a result.
    bool valid(Unit unit) const;

    // `element`: one goes to the unit of `operation`. `taken`: the unit from which a result goes; Lanes:
    // none.
    void edge(bool element, const ElementOperation* operation, const ElementSlot& slot, Unit taken,
              std::uint32_t quadrant);

  private:
    struct Stats {
        std::array<bool, 5> last{};  // last of the operation, by stage; 0 is not used
        std::uint32_t left = 0;      // results left
        bool ending() const { return last[1] || last[2] || last[3] || last[4]; }
    };
    struct Aggregate {
        std::uint32_t step = 0, left = 0;
        bool last = false, ends = false, ended = false;
    };

    void edge_stats(bool element, bool last, bool takes);
    void edge_aggregate(bool element, bool last, bool takes);
    void edge_match(bool element, bool value, bool last, bool replace, bool takes);
    void edge_transpose(bool element, bool first, bool last, std::uint32_t results, bool takes,
                        std::uint32_t quadrant);

    Stats stats_;
    Aggregate aggregate_;
    std::uint32_t max8_left_ = 0, match8_left_ = 0;
    bool random_valid_ = false, shuffle_valid_ = false;
    std::uint32_t transpose_place_ = 0, transpose_left_ = 0;
};

}  // namespace trnsim::tlm::core_fast
