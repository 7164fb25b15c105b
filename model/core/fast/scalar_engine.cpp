#include "model/core/fast/scalar_engine.hpp"

#include <utility>

namespace trnsim::tlm::core_fast {

void ScalarEngine::cycle(OperationPtr accepted, const TableLoad* loads, const TableAnswer& answer,
                         const Ports<PortGrant>& grant) {
    // Tables.
    const bool load_done = load_.requested && answer.done;
    const bool was_requested = load_.requested;
    if (loads != nullptr) load_ = *loads;
    load_.requested = loads != nullptr || (was_requested && !answer.done);
    loading_ = loads != nullptr || (loading_ && (was_requested || answer.done));
    failed_ = failed_ || (load_done && answer.failed);

    // All stages move together, except while the result at the end waits for its port.
    constexpr unsigned WriteStage = figure(Figure::ScalarStages) - 1;
    const bool writes = (stages_.valid >> WriteStage & 1) != 0;
    const ElementOperation* const writing = writes ? bank_[stages_.bank >> WriteStage & 1].get() : nullptr;
    const auto written = writer_.answer(writing, grant.sbuf.granted, grant.psum.granted);
    const bool advance = !writes || written.taken;
    const bool done = written.taken && (stages_.last >> WriteStage & 1) != 0;
    const bool pop = left_ != 0 && advance && front_.valid(0);
    const bool last = left_ == 1;
    writer_.edge(writing, written);
    if (advance) {
        stages_.valid = stages_.valid << 1 | std::uint32_t{pop};
        stages_.last = stages_.last << 1 | std::uint32_t{last};
        stages_.bank = stages_.bank << 1 | pop_bank_;
    }
    if (pop) --left_;
    if (started_ != 0 && left_ == 0) {
        --started_;
        pop_bank_ = next_bank_;
        next_bank_ = 1 - next_bank_;
        left_ = elements_of(bank_[pop_bank_]->count);
    }
    done_ = done || (load_done && !answer.failed);

    const auto out = front_.cycle({std::move(accepted), grant, {pop, false}, done});
    if (out.started != nullptr) {
        bank_[out.bank] = out.started;
        ++started_;
    }
}

}  // namespace trnsim::tlm::core_fast
