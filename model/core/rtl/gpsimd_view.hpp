// The state of a verilated GpSimd core, and the reports of its observer (gpsimd_observer.sv) on an edge.
#pragma once

#include "Vgpsimd_core.h"
#include "model/core/gpsimd.hpp"

namespace trnsim::tlm {

class GpsimdModelView final : public GpsimdView {
  public:
    static constexpr unsigned ScalarRegisters = 64, VectorRegisters = 32;

    // The model must outlive it.
    explicit GpsimdModelView(Vgpsimd_core& model) : model_(model) {}

    std::uint32_t scalar(unsigned index) const override;
    std::span<const std::uint8_t> vector(unsigned index) const override;
    std::optional<std::uint32_t> csr(std::uint32_t number) const override;
    std::span<const std::uint8_t> memory() const override;

    bool executes() const;                         // an instruction is in execute
    std::optional<std::uint32_t> fetched() const;  // address of the instruction that is next in execute
    std::uint32_t next_pc() const;                 // for a core without an instruction in execute

    // Set registers of a core without an instruction at work; it needs further edges before the next one.
    // Return false if it has no such register or it cannot be written.
    bool set_scalar(unsigned index, std::uint32_t value);
    bool set_vector(unsigned index, std::span<const std::uint8_t> bytes);
    bool set_csr(std::uint32_t number, std::uint32_t value);
    // Loads any CSR that csr() reads, for checkpoints.
    void load_csr(std::uint32_t number, std::uint32_t value);

  private:
    Vgpsimd_core& model_;
};

// The events of the edge that this thread evaluated last, if the core is observed.
struct GpsimdEvents {
    GpsimdCycle cycle;
    bool start = false;
};
GpsimdEvents take_events();

}  // namespace trnsim::tlm
