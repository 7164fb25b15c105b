// The lower blocks of the systolic array (rtl/tensor/pe_lower.sv) as a verilated model beside the core's.
//
// The core's model has a register for their outputs (pe_lower_border.sv). At an edge of the Tensor clock it
// takes the outputs of the previous edge and hands over the inputs; this model then works on its edge, in a
// thread of its own if there are two, while the core's model goes on with everything else. So both are the
// same to the cycle and to the bit, whatever the number of threads.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "Vpe_lower_top.h"
#include "model/core/rtl/step_thread.hpp"

namespace trnsim::tlm {

class LowerRows {
  public:
    // `scope`: the first part of the names of its signals.
    LowerRows(VerilatedContext& context, const char* scope, unsigned threads);

    // One exists during each evaluation of the core's model, which calls the functions below.
    class Use {
      public:
        explicit Use(LowerRows& rows) { used = &rows; }
        ~Use() { used = nullptr; }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
    };

    // Waits for the last edge; throws what it threw.
    void finish() { thread_.finish(); }
    void trace(VerilatedFstC& wave, int levels);  // `wave` is not open yet
    void final();

    // These are declared in pe_lower_border.sv and work on the object in use.
    static LowerRows& in_use() { return *used; }
    void reset();
    std::uint32_t results();
    void result(unsigned stream, std::uint64_t& element, std::uint32_t* data) const;
    void enter(unsigned stream, std::uint64_t element, const std::uint32_t* moving);
    void part(unsigned index, const std::uint32_t* part);
    void step(unsigned column_group, std::uint64_t step);
    void sum(const std::uint32_t* sum);
    void edge(unsigned slot, std::uint64_t load, std::uint64_t load_step);

    // Returns row `index` of the stationary operands of a block, a word for each column; only while no edge
    // is under way.
    std::uint32_t* weights(unsigned block, unsigned index);

  private:
    void clock();

    static thread_local LowerRows* used;

    VerilatedContext& context_;
    Vpe_lower_top top_;
    std::uint32_t entered_ = 0, last_entered_ = 0;  // streams with an element, at this edge and the last one
    StepThread thread_;                             // last member: its step uses the others
};

}  // namespace trnsim::tlm
