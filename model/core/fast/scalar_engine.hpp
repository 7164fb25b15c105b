// Timing of the Scalar engine (rtl/scalar/scalar_engine.sv), with the interface of VectorEngine.
#pragma once

#include <array>
#include <cstdint>

#include "arch/config/config.hpp"
#include "model/core/fast/element_front.hpp"
#include "model/core/fast/result_writer.hpp"

namespace trnsim::tlm::core_fast {

// A table load that the engine requests, and the answer, which stays until the request is gone.
struct TableLoad {
    bool requested = false;
    std::uint64_t address = 0;
    std::uint32_t beats = 0;
};
struct TableAnswer {
    bool done = false, failed = false;
};

class ScalarEngine {
  public:
    explicit ScalarEngine(const config::ElementwiseEngine& config)
        : front_(config.issue_latency, config.dependent_latency, 1) {}

    // A load of tables is taken when all earlier instructions have completed; none is taken until it has.
    bool ready(bool is_load) const { return !loading_ && (is_load ? !front_.busy() : front_.ready()); }
    bool busy() const { return front_.busy() || loading_ || done_; }
    bool done() const { return done_; }
    bool failed() const { return failed_; }  // a load of tables has failed
    const TableLoad& table_load() const { return load_; }
    Ports<PortClaim> claims() const { return front_.claims(); }
    std::uint64_t quiet() const { return done_ || loading_ ? 0 : front_.quiet(); }
    void skip(std::uint64_t cycles) { front_.skip(cycles); }

    // At most one of `accepted` and `loads` is not null.
    void cycle(OperationPtr accepted, const TableLoad* loads, const TableAnswer& answer,
               const Ports<PortGrant>& grant);

  private:
    // The elements in the stages, one bit each from the first stage on.
    struct Stages {
        std::uint32_t valid = 0, last = 0, bank = 0;
    };

    ElementFront front_;
    std::array<OperationPtr, 2> bank_;
    unsigned started_ = 0, pop_bank_ = 0, next_bank_ = 0;  // operations that have not begun to pop; banks
    std::uint64_t left_ = 0;                               // elements left of the operation that pops
    Stages stages_;
    ResultWriter writer_;
    TableLoad load_;
    bool loading_ = false, done_ = false, failed_ = false;
};

}  // namespace trnsim::tlm::core_fast
