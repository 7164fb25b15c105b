#include "tests/rtl/gpsimd/engine/engine_bench.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "isa/isa_tables.hpp"

namespace trnsim::test {

namespace {

constexpr std::uint32_t BeatBytes = 128;
constexpr std::uint64_t MaxCycles = 4'000'000;

}  // namespace

EngineBench::EngineBench(EngineClock clock) : clock_(clock) {
    model_->rst_ni = 1;
    model_->eval();
    model_->rst_ni = 0;
    for (int k = 0; k < 4; ++k) step();
    model_->rst_ni = 1;
    bus_step();
}

void EngineBench::step() {
    if (beside) beside();
    const bool bus = cycles_ % 2 == 1;
    const bool tick = phase_ + clock_.num >= clock_.den;
    phase_ = tick ? phase_ + clock_.num - clock_.den : phase_ + clock_.num;
    model_->bus_tick_i = bus;
    model_->tick_i = tick;
    model_->clk_i = 0;
    model_->eval();
    if (bus) {
        seen_ = {model_->ready_o != 0, model_->rd_gnt_o, model_->wr_gnt_o};
        done_ += model_->done_o;
    }
    edges_ += model_->fire_o;
    model_->clk_i = 1;
    model_->eval();
    ++cycles_;
}

void EngineBench::bus_step() {
    do {
        step();
    } while (cycles_ % 2 != 0);
}

void EngineBench::write(std::uint32_t address, std::span<const std::uint8_t> bytes, int port) {
    for (std::size_t done = 0; done < bytes.size();) {
        const std::uint32_t at = address % BeatBytes;
        const std::size_t count = std::min<std::size_t>(bytes.size() - done, BeatBytes - at);
        std::array<std::uint8_t, BeatBytes> data{};
        std::array<std::uint8_t, BeatBytes / 8> strobe{};
        std::memcpy(&data[at], &bytes[done], count);
        for (std::size_t k = at; k < at + count; ++k)
            strobe[k / 8] = static_cast<std::uint8_t>(strobe[k / 8] | 1u << k % 8);
        std::memcpy(reinterpret_cast<std::uint8_t*>(&model_->wr_data_i) + port * BeatBytes, data.data(),
                    BeatBytes);
        std::memcpy(reinterpret_cast<std::uint8_t*>(&model_->wr_strobe_i) + port * BeatBytes / 8,
                    strobe.data(), BeatBytes / 8);
        model_->wr_addr_i = (model_->wr_addr_i & ~(std::uint64_t{0x3ffffff} << 26 * port)) |
                            std::uint64_t{address} << 26 * port;
        model_->wr_req_i |= 1u << port;
        do {
            bus_step();
        } while ((seen_.wr_gnt >> port & 1) == 0);
        model_->wr_req_i &= ~(1u << port);
        done += count;
        address += static_cast<std::uint32_t>(count);
    }
}

std::vector<std::uint8_t> EngineBench::read(std::uint32_t address, std::size_t bytes, int port) {
    std::vector<std::uint8_t> result;
    while (result.size() < bytes) {
        const std::uint32_t at = address % BeatBytes;
        const std::size_t count = std::min<std::size_t>(bytes - result.size(), BeatBytes - at);
        model_->rd_addr_i = (model_->rd_addr_i & ~(std::uint64_t{0x3ffffff} << 26 * port)) |
                            std::uint64_t{address} << 26 * port;
        model_->rd_req_i |= 1u << port;
        do {
            bus_step();
        } while ((seen_.rd_gnt >> port & 1) == 0);
        model_->rd_req_i &= ~(1u << port);
        const auto* beat = reinterpret_cast<const std::uint8_t*>(&model_->rd_data_o) + port * BeatBytes;
        result.insert(result.end(), beat + at, beat + at + count);
        address += static_cast<std::uint32_t>(count);
    }
    return result;
}

void EngineBench::write32(std::uint32_t address, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &value, bytes.size());
    write(address, bytes);
}

std::uint32_t EngineBench::read32(std::uint32_t address) {
    std::uint32_t value = 0;
    std::memcpy(&value, read(address, sizeof value).data(), sizeof value);
    return value;
}

std::uint32_t EngineBench::tcm(std::uint32_t core, std::uint32_t address) {
    return isa::window::GpsimdTcmBase + core * isa::window::GpsimdTcmStride + (address - TRNSIM_TCM_BASE);
}

firmware::Mailbox EngineBench::mailbox(std::uint32_t core) {
    firmware::Mailbox box;
    std::memcpy(&box, read(tcm(core, TRNSIM_MAILBOX_BASE), sizeof box).data(), sizeof box);
    return box;
}

void EngineBench::load(const firmware::Image& image, std::uint32_t cores) {
    for (std::uint32_t core = 0; core < Cores; ++core) {
        if ((cores >> core & 1) == 0) continue;
        for (const firmware::Segment& segment : image.segments)
            write(tcm(core, segment.address), segment.bytes);
    }
}

void EngineBench::load(std::span<const std::uint32_t> program, std::uint32_t address, std::uint32_t cores) {
    firmware::Image image;
    image.segments.resize(1);
    image.segments[0].address = address;
    image.segments[0].bytes.resize(program.size_bytes());
    std::memcpy(image.segments[0].bytes.data(), program.data(), program.size_bytes());
    load(image, cores);
}

void EngineBench::issue(const isa::Instruction& instruction) {
    std::memcpy(&model_->instr_i, instruction.bytes().data(), isa::InstructionBytes);
    model_->valid_i = 1;
    const std::uint64_t limit = cycles_ + MaxCycles;
    do {
        bus_step();
        if (cycles_ > limit) throw std::runtime_error("the engine does not take an instruction");
    } while (!seen_.ready);
    model_->valid_i = 0;
    ++given_;
}

bool EngineBench::finish() {
    const std::uint64_t limit = cycles_ + MaxCycles;
    while (done_ != given_) {
        if (model_->fault_o != 0 && model_->awake_o == 0 && model_->passing_o == 0) return false;
        if (cycles_ > limit) throw std::runtime_error("the engine does not complete an instruction");
        bus_step();
    }
    return true;
}

isa::Error EngineBench::reject(const isa::Instruction& instruction) {
    std::memcpy(&model_->instr_i, instruction.bytes().data(), isa::InstructionBytes);
    model_->eval();
    return static_cast<isa::Error>(model_->reject_o);
}

}  // namespace trnsim::test
