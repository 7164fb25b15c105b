#include "model/core/fast/vector_engine.hpp"

#include <utility>

namespace trnsim::tlm::core_fast {

// Every decision of a cycle follows from the registers, from the end of the pipeline to its beginning; then
// all registers change.
void VectorEngine::cycle(OperationPtr accepted, const Ports<PortGrant>& grant) {
    const Results results = decide_results(grant);
    const Stage second = decide_second(results);
    const Stage first = decide_first(second.moves);
    const Entry entry = decide_entry(first.moves || !element_.valid);
    edge(results, second, first, entry);

    const auto out = front_.cycle({std::move(accepted), grant, entry.pops, results.done});
    if (out.started != nullptr) {
        bank_[out.bank] = out.started;
        ++elements_.waiting;
        ++results_.waiting;
    }
}

VectorEngine::Results VectorEngine::decide_results(const Ports<PortGrant>& grant) const {
    Results results;
    results.writing = write_.valid ? bank_[write_.bank].get() : nullptr;
    results.answer = writer_.answer(results.writing, grant.sbuf.granted, grant.psum.granted);
    results.free = !write_.valid || results.answer.taken;
    results.done = results.answer.taken && write_.last;
    const bool due = results_left_ != 0;
    results.unit = due ? bank_[results_.bank]->unit : Unit::Lanes;
    results.unit_take = results.free && due && units_.valid(results.unit);
    const bool lanes_take =
        results.free && due && second_.valid && second_.write && second_.bank == results_.bank;
    results.take = results.unit_take || lanes_take;
    results.through = second_.valid && (lanes_take || !second_.write);
    return results;
}

// Decides the second stage, which takes what the first one has finished.
VectorEngine::Stage VectorEngine::decide_second(const Results& results) const {
    Stage stage;
    stage.free = !second_.valid || results.through;
    stage.takes = second_dividers_.valid() && stage.free;
    stage.operation = first_.valid ? bank_[first_.bank].get() : nullptr;
    if (stage.operation == nullptr) return stage;
    const ElementOperation& operation = *stage.operation;
    const bool unit = operation.unit != Unit::Lanes;
    const bool divides = operation.second_divides && !unit && !(operation.second_recurs && first_.first);
    const bool waits = (operation.second_recurs && !second_dividers_.empty()) ||
                       (operation.reads_accumulator && second_.valid);
    const bool room =
        divides ? second_dividers_.ready(false, stage.takes) : second_dividers_.empty() && stage.free;
    const bool unit_ready =
        !unit ||
        units_.ready(operation, first_, results.unit_take && share(results.unit, operation.unit), quadrant_);
    stage.moves = room && !waits && unit_ready;
    stage.starts = stage.moves && divides;
    return stage;
}

// Decides the first stage, which takes the sources' element. `moves`: the element that it has finished goes
// on.
VectorEngine::Stage VectorEngine::decide_first(bool moves) const {
    Stage stage;
    stage.free = !first_.valid || moves;
    stage.takes = first_dividers_.valid() && stage.free;
    stage.operation = element_.valid ? bank_[element_.bank].get() : nullptr;
    if (stage.operation == nullptr) return stage;
    const ElementOperation& operation = *stage.operation;
    const bool divides = operation.first_divides && !element_.value;
    const bool waits =
        operation.first_recurs && (first_.valid || !first_dividers_.empty() || !second_dividers_.empty());
    const bool room = divides ? first_dividers_.ready(operation.limited, stage.takes)
                              : first_dividers_.empty() && stage.free;
    stage.moves = room && !waits;
    stage.starts = stage.moves && divides;
    return stage;
}

VectorEngine::Entry VectorEngine::decide_entry(bool ready) const {
    const ElementOperation* const operation = sequence_.running ? bank_[elements_.bank].get() : nullptr;
    const bool value = sequence_.values != 0;
    Entry entry;
    entry.ready = ready;
    if (operation != nullptr && ready) {
        const bool needs_a = !value;
        const bool needs_b = operation->uses_b && (value || operation->values == 0);
        const bool pop = (front_.valid(0) || !needs_a) && (front_.valid(1) || !needs_b);
        entry.pops = {pop && needs_a, pop && needs_b};
        entry.element.valid = pop;
    }
    const bool group_last = sequence_.place + 1 == sequence_.group;
    entry.element.first = sequence_.place == 0;
    entry.element.last = group_last;
    entry.element.write =
        operation != nullptr && operation->unit == Unit::Lanes && (group_last || !operation->write_groups);
    entry.element.value = value;
    entry.element.bank = static_cast<std::uint8_t>(elements_.bank);
    return entry;
}

void VectorEngine::edge(const Results& results, const Stage& second, const Stage& first, const Entry& entry) {
    writer_.edge(results.writing, results.answer);
    units_.edge(second.moves && second.operation->unit != Unit::Lanes, second.operation, first_,
                results.unit_take ? results.unit : Unit::Lanes, quadrant_);
    edge_stage(second_, second, first_, second_dividers_);
    edge_stage(first_, first, element_, first_dividers_);
    if (entry.ready) element_ = entry.element;
    if (results.free)
        write_ = {results.take, results.take && results_left_ == 1, static_cast<std::uint8_t>(results_.bank)};
    if (results.take) --results_left_;
    if (entry.element.valid && entry.element.value) {
        --sequence_.values;
    } else if (entry.element.valid) {
        sequence_.place = entry.element.last ? 0 : sequence_.place + 1;
        sequence_.running = --sequence_.left != 0;
    }
    load_sequence(!sequence_.running);
    load_results(results_left_ == 0);
    done_ = results.done;
}

// `left`: the element that the stage has finished; `in`: the one in it.
void VectorEngine::edge_stage(ElementSlot& left, const Stage& stage, const ElementSlot& in,
                              Dividers& dividers) {
    const ElementSlot result = dividers.result();
    dividers.edge(stage.starts, in, stage.starts && stage.operation->limited, stage.takes);
    if (stage.takes) {
        left = result;
    } else if (stage.free) {
        left = in;
        left.valid = stage.moves && !stage.starts;
    }
}

// Takes the next operation when nothing of the previous one is left, or with its last element.
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
