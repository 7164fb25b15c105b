#include "tools/profile/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"
#include "isa/disassembler.hpp"
#include "tools/profile/advice.hpp"

namespace trnsim::profile {
namespace {

constexpr std::size_t ShownOpcodes = 12;

std::string engines(const Profile& profile) {
    std::string text = fmt::format("\n{:<10}{:>13}", "engine", "instructions");
    for (const std::string_view name : CycleClassNames) text += fmt::format("{:>12}", name);
    text += "  % of all cycles\n";
    for (const EngineProfile& engine : profile.engines) {
        text += fmt::format("{:<10}{:>13}", name_of(engine.engine), engine.executions.size());
        for (const std::uint64_t cycles : engine.cycles)
            text += fmt::format("{:>10.1f} %", percent(cycles, profile.cycles));
        text += '\n';
    }
    return text;
}

std::string opcodes(const Profile& profile) {
    std::string text = fmt::format("\n{:<10}{:<24}{:>8}{:>16}{:>16}{:>16}\n", "engine", "opcode", "count",
                                   "active cycles", "ideal cycles", "cycles each");
    for (std::size_t i = 0; i < std::min(ShownOpcodes, profile.opcodes.size()); ++i) {
        const OpcodeProfile& opcode = profile.opcodes[i];
        text += fmt::format("{:<10}{:<24}{:>8}{:>16}{:>16}{:>16.1f}\n", name_of(opcode.engine), opcode.opcode,
                            opcode.instructions, opcode.active_cycles, opcode.ideal_cycles,
                            static_cast<double>(opcode.cycles) / static_cast<double>(opcode.instructions));
    }
    if (profile.opcodes.size() > ShownOpcodes)
        text += fmt::format("({} more)\n", profile.opcodes.size() - ShownOpcodes);
    return text;
}

std::string queues(const Profile& profile) {
    std::string text = fmt::format("\n{:<28}{:>12}{:>13}{:>17}{:>10}{:>12}\n", "DMA queue", "bytes",
                                   "descriptors", "bytes each", "active", "GB/s then");
    for (const QueueProfile& queue : profile.queues) {
        const double rate = queue.active_time == 0
                                ? 0
                                : static_cast<double>(queue.bytes) /
                                      (static_cast<double>(queue.active_time) / static_cast<double>(FsPerNs));
        text += fmt::format("{:<28}{:>12}{:>13}{:>17.0f}{:>8.1f} %{:>12.1f}\n", queue.name, queue.bytes,
                            queue.descriptors, queue.mean_descriptor(),
                            percent(queue.active_time, profile.time), rate);
    }
    return text;
}

std::string roofline(const Profile& profile) {
    const Roofline& roofline = profile.roofline;
    std::string text = "\n";
    const auto line = [&text](std::string_view name, const std::string& value) {
        text += fmt::format("{:<22}{}\n", name, value);
    };
    line("MFU",
         fmt::format("{:.2f} % of {:.1f} TFLOP/s (bf16)", 100 * roofline.mfu(), roofline.peak_flops / 1e12));
    line("MBU", fmt::format("{:.2f} % of {:.1f} GB/s", 100 * roofline.mbu(), roofline.bandwidth / 1e9));
    if (std::isfinite(roofline.intensity())) {
        line("arithmetic intensity",
             fmt::format("{:.2f} FLOP/byte, {} the ridge at {:.1f}: at most {:.3f} TFLOP/s",
                         roofline.intensity(), roofline.intensity() < roofline.ridge() ? "below" : "above",
                         roofline.ridge(), roofline.attainable() / 1e12));
    }
    line("array", fmt::format("a moving element enters in {:.1f} % of the Tensor cycles",
                              100 * profile.array_utilisation));
    line("SBUF", fmt::format("{} of {} bytes of a partition written", profile.footprint.sbuf,
                             profile.target.sbuf_partition));
    line("PSUM", fmt::format("{} of {} bytes of a partition written", profile.footprint.psum,
                             profile.target.psum_partition));
    return text;
}

}  // namespace

std::string to_text(const Profile& profile) {
    std::string text = engines(profile) + opcodes(profile) + queues(profile) + roofline(profile) + "\n";
    for (const std::string& sentence : advice(profile)) text += fmt::format("* {}\n", sentence);
    return text;
}

}  // namespace trnsim::profile
