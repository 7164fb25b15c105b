#include "model/core/fast/vector_engine.hpp"

#include <utility>

namespace trnsim::tlm::core_fast {

// Every decision of a cycle follows from what the registers hold, from the end of the pipeline to its beginning; then all of them
// change.
void VectorEngine::cycle(OperationPtr accepted, const Ports<PortGrant>& grant) {
    // Write and results.
    const ElementOperation* const writing = write_.valid ? bank_[write_.bank].get() : nullptr;
    const auto answer = writer_.answer(writing, grant.sbuf.granted, grant.psum.granted);
    const bool free = !write_.valid || answer.taken;
    const bool done = answer.taken && write_.last;
    const bool due = results_left_ != 0;
    const Unit result_unit = due ? bank_[results_.bank]->unit : Unit::Lanes;
    const bool unit_take = free && due && units_.valid(result_unit);
    const bool lanes_take = free && due && second_.valid && second_.write && second_.bank == results_.bank;
    const bool take = unit_take || lanes_take;
    const bool through = second_.valid && (lanes_take || !second_.write);

    // Second stage: what the first one has left.
    const bool second_free = !second_.valid || through;
    const bool second_takes = second_dividers_.valid() && second_free;
    bool moves = false, second_starts = false;
    const ElementOperation* const in_second = first_.valid ? bank_[first_.bank].get() : nullptr;
    if (in_second != nullptr) {
        const bool unit = in_second->unit != Unit::Lanes;
        const bool divides =
            in_second->second_divides && !unit && !(in_second->second_recurs && first_.first);
        const bool waits = (in_second->second_recurs && !second_dividers_.empty()) ||
                           (in_second->reads_accumulator && second_.valid);
        const bool room =
            divides ? second_dividers_.ready(false, second_takes) : second_dividers_.empty() && second_free;
        const bool unit_ready =
            !unit ||
            units_.ready(*in_second, first_, unit_take && share(result_unit, in_second->unit), quadrant_);
        moves = room && !waits && unit_ready;
        second_starts = moves && divides;
    }

    // First stage: the sources' element.
    const bool first_free = !first_.valid || moves;
    const bool first_takes = first_dividers_.valid() && first_free;
    bool enters = false, first_starts = false;
    const ElementOperation* const in_first = element_.valid ? bank_[element_.bank].get() : nullptr;
    if (in_first != nullptr) {
        const bool divides = in_first->first_divides && !element_.value;
        const bool waits =
            in_first->first_recurs && (first_.valid || !first_dividers_.empty() || !second_dividers_.empty());
        const bool room = divides ? first_dividers_.ready(in_first->one_divider, first_takes)
                                  : first_dividers_.empty() && first_free;
        enters = room && !waits;
        first_starts = enters && divides;
    }
    const bool ready = enters || !element_.valid;

    // Elements enter.
    bool pop = false, pops_a = false, pops_b = false;
    const ElementOperation* const entering = sequence_.running ? bank_[elements_.bank].get() : nullptr;
    const bool value = sequence_.values != 0;
    if (entering != nullptr && ready) {
        const bool needs_a = !value;
        const bool needs_b = entering->uses_b && (value || entering->values == 0);
        pop = (front_.valid(0) || !needs_a) && (front_.valid(1) || !needs_b);
        pops_a = pop && needs_a;
        pops_b = pop && needs_b;
    }
    const bool group_last = sequence_.place + 1 == sequence_.group;
    const ElementSlot entered{
        pop,
        sequence_.place == 0,
        group_last,
        entering != nullptr && entering->unit == Unit::Lanes && (group_last || !entering->write_groups),
        value,
        static_cast<std::uint8_t>(elements_.bank)};

    // Edge.
    writer_.edge(writing, answer);
    units_.edge(moves && in_second->unit != Unit::Lanes, in_second, first_,
                unit_take ? result_unit : Unit::Lanes, quadrant_);
    const ElementSlot second_result = second_dividers_.result(), first_result = first_dividers_.result();
    second_dividers_.edge(second_starts, first_, second_takes);
    first_dividers_.edge(first_starts, element_, first_takes);
    if (second_takes) {
        second_ = second_result;
    } else if (second_free) {
        second_ = first_;
        second_.valid = moves && !second_starts;
    }
    if (first_takes) {
        first_ = first_result;
    } else if (first_free) {
        first_ = element_;
        first_.valid = enters && !first_starts;
    }
    if (ready) element_ = entered;
    if (free) write_ = {take, take && results_left_ == 1, static_cast<std::uint8_t>(results_.bank)};
    if (take) --results_left_;
    if (pop && value) {
        --sequence_.values;
    } else if (pop) {
        sequence_.place = group_last ? 0 : sequence_.place + 1;
        sequence_.running = --sequence_.left != 0;
    }
    load_sequence(!sequence_.running);
    load_results(results_left_ == 0);
    done_ = done;

    const auto out = front_.cycle({std::move(accepted), grant, {pops_a, pops_b}, done});
    if (out.started != nullptr) {
        bank_[out.bank] = out.started;
        ++elements_.waiting;
        ++results_.waiting;
    }
}

// The next operation is taken when nothing of the one before is left, or with its last element.
void VectorEngine::load_sequence(bool free) {
    if (elements_.waiting == 0 || !free) return;
    --elements_.waiting;
    elements_.bank = elements_.next;
    elements_.next = 1 - elements_.next;
    const ElementOperation& operation = *bank_[elements_.bank];
    sequence_ = {true, elements_of(operation.count), operation.group, 0, operation.values};
}

void VectorEngine::load_results(bool free) {
    if (results_.waiting == 0 || !free) return;
    --results_.waiting;
    results_.bank = results_.next;
    results_.next = 1 - results_.next;
    results_left_ = elements_of(bank_[results_.bank]->dst_count);
}

}  // namespace trnsim::tlm::core_fast
