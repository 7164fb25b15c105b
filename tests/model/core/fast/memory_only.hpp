// The memories of a core, without computation: timing does not depend on values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/config/config.hpp"
#include "isa/core_window.hpp"
#include "model/core/fast/functional.hpp"
#include "model/core/fast/window_target.hpp"

namespace trnsim::test {

class MemoryOnly : public tlm::core_fast::Functional {
  public:
    explicit MemoryOnly(const config::Core& core)
        : core_(core), map_(core), bytes_(isa::window::GpsimdTcmBase) {}

    tlm::core_fast::Verdict issue(isa::Engine, const tlm::core_fast::InstructionBytes&) override {
        return {};
    }
    tlm::core_fast::Effects execute(isa::Engine) override { return {}; }
    bool load_table_beat(std::span<const std::uint8_t>) override { return true; }
    bool read(std::uint32_t offset, std::span<std::uint8_t> data) override {
        if (!has(offset, data.size())) return false;
        std::copy_n(bytes_.begin() + offset, data.size(), data.begin());
        return true;
    }
    bool write(std::uint32_t offset, std::span<const std::uint8_t> data) override {
        if (!has(offset, data.size())) return false;
        std::ranges::copy(data, bytes_.begin() + offset);
        return true;
    }
    rv32::Slice slice(unsigned core) override {
        const auto partitions = static_cast<std::uint32_t>(core_.partitions);
        const std::uint32_t stride = isa::sbuf_partition_stride(partitions),
                            first = core * TRNSIM_SLICE_PARTITIONS;
        return {.data = bytes_.data() + std::size_t{first} * stride,
                .partition_bytes = static_cast<std::uint32_t>(core_.sbuf_partition),
                .partitions = std::min<std::uint32_t>(partitions - first, TRNSIM_SLICE_PARTITIONS),
                .pitch = stride,
                .touched = nullptr};
    }
    void set_stochastic(bool) override {}
    void seed_rounding(std::uint32_t) override {}
    void restart() override {}
    void save(checkpoint::CoreState&) const override { throw checkpoint::Error("memories alone"); }
    void load(const checkpoint::CoreState&) override { throw checkpoint::Error("memories alone"); }

  private:
    bool has(std::uint32_t offset, std::size_t size) const {
        using tlm::core_fast::WindowRegion;
        const auto memory = [this](std::uint32_t address) {
            const WindowRegion region = map_.region(address);
            return region == WindowRegion::Sbuf || region == WindowRegion::Psum;
        };
        return memory(offset) && memory(offset + static_cast<std::uint32_t>(size) - 1);
    }

    config::Core core_;
    tlm::core_fast::WindowMap map_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace trnsim::test
