#include "model/core/fast/vector_units.hpp"

namespace trnsim::tlm::core_fast {

bool VectorUnits::ready(const ElementOperation& operation, const ElementSlot& element, bool takes,
                        std::uint32_t quadrant) const {
    switch (operation.unit) {
        case Unit::BnStats:
            return (stats_.left == 0 && !stats_.ending()) || !element.last;
        case Unit::BnAggr:
            return aggregate_.step < figure(Figure::BnAggrElements) &&
                   (aggregate_.left == 0 || !element.last);
        case Unit::Max8:
            return max8_left_ == 0 || !element.last;
        case Unit::Find8:
            return element.value || match8_left_ == 0 || !element.last;
        case Unit::Replace8:
            return element.value || match8_left_ == 0 || (match8_left_ == 1 && takes);
        case Unit::Random:
            return !random_valid_ || takes;
        case Unit::Shuffle:
            return !shuffle_valid_ || takes;
        case Unit::Transpose: {
            const std::uint32_t place = element.first ? 0 : transpose_place_;
            const bool ends = element.last || place == quadrant - 1;
            return !ends || transpose_left_ == 0 || (transpose_left_ == 1 && takes);
        }
        case Unit::Lanes:
            break;
    }
    return true;
}

bool VectorUnits::valid(Unit unit) const {
    switch (unit) {
        case Unit::BnStats:
            return stats_.left != 0;
        case Unit::BnAggr:
            return aggregate_.left != 0;
        case Unit::Max8:
            return max8_left_ != 0;
        case Unit::Find8:
        case Unit::Replace8:
            return match8_left_ != 0;
        case Unit::Random:
            return random_valid_;
        case Unit::Shuffle:
            return shuffle_valid_;
        case Unit::Transpose:
            return transpose_left_ != 0;
        case Unit::Lanes:
            break;
    }
    return false;
}

void VectorUnits::edge(bool element, const ElementOperation* operation, const ElementSlot& slot, Unit taken,
                       std::uint32_t quadrant) {
    const Unit to = element ? operation->unit : Unit::Lanes;
    edge_stats(to == Unit::BnStats, slot.last, taken == Unit::BnStats);
    edge_aggregate(to == Unit::BnAggr, slot.last, taken == Unit::BnAggr);
    if (to == Unit::Max8 && slot.last)
        max8_left_ = figure(Figure::Max8Results);
    else if (taken == Unit::Max8)
        --max8_left_;
    edge_match(to == Unit::Find8 || to == Unit::Replace8, slot.value, slot.last, to == Unit::Replace8,
               taken == Unit::Find8 || taken == Unit::Replace8);
    random_valid_ = to == Unit::Random || (random_valid_ && taken != Unit::Random);
    shuffle_valid_ = to == Unit::Shuffle || (shuffle_valid_ && taken != Unit::Shuffle);
    edge_transpose(to == Unit::Transpose, slot.first, slot.last, element ? operation->block_results : 0,
                   taken == Unit::Transpose, quadrant);
}

void VectorUnits::edge_stats(bool element, bool last, bool takes) {
    const bool ends = stats_.last[figure(Figure::BnStatsStages)];
    for (unsigned stage = figure(Figure::BnStatsStages); stage > 1; --stage)
        stats_.last[stage] = stats_.last[stage - 1];
    stats_.last[1] = element && last;
    if (ends)
        stats_.left = figure(Figure::BnStatsResults);
    else if (takes)
        --stats_.left;
}

void VectorUnits::edge_aggregate(bool element, bool last, bool takes) {
    Aggregate& a = aggregate_;
    const bool at_end = a.step == figure(Figure::BnAggrLastStep);
    if (a.ended)
        a.left = figure(Figure::BnAggrResults);
    else if (takes)
        --a.left;
    a.ended = a.ends;
    a.ends = at_end && a.last;
    if (element && a.step == figure(Figure::BnAggrElements) - 1) a.last = last;
    if (element || a.step >= figure(Figure::BnAggrElements)) a.step = at_end ? 0 : a.step + 1;
}

void VectorUnits::edge_match(bool element, bool value, bool last, bool replace, bool takes) {
    if (takes) --match8_left_;
    if (!element || value) return;
    if (replace)
        match8_left_ = 1;
    else if (last)
        match8_left_ = figure(Figure::Match8Values);
}

void VectorUnits::edge_transpose(bool element, bool first, bool last, std::uint32_t results, bool takes,
                                 std::uint32_t quadrant) {
    if (takes) --transpose_left_;
    if (!element) return;
    const std::uint32_t place = first ? 0 : transpose_place_;
    const bool ends = last || place == quadrant - 1;
    transpose_place_ = ends ? 0 : place + 1;
    if (ends) transpose_left_ = results;
}

}  // namespace trnsim::tlm::core_fast
