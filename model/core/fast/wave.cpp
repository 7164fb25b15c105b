#include "model/core/fast/wave.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "model/core/core_model.hpp"
#include "model/fst/flush.hpp"
#include "model/fst/write_failure.hpp"

namespace trnsim::tlm::core_fast {
namespace {

constexpr int Picoseconds = -12;  // power of ten of the time unit
constexpr std::string_view CoreScope = "core";

// The scopes of sequencers; if the engine has other signals, its sequencer has a scope within its own.
struct SequencerScope {
    const char* name;
    isa::Engine engine;
    bool within;
};
constexpr std::array<SequencerScope, EngineCount> SequencerScopes{{{"tensor", isa::Engine::Tensor, true},
                                                                   {"vector", isa::Engine::Vector, true},
                                                                   {"scalar", isa::Engine::Scalar, true},
                                                                   {"gpsimd", isa::Engine::Gpsimd, false},
                                                                   {"sync", isa::Engine::Sync, false}}};

std::vector<std::string_view> known_scopes() {
    std::vector<std::string_view> known{CoreScope};
    for (const SequencerScope& scope : SequencerScopes) known.emplace_back(scope.name);
    known.push_back(WholeCore);
    return known;
}

bool is_asked(std::span<const std::string> scopes, std::string_view name) {
    return scopes.empty() || std::ranges::find(scopes, name) != scopes.end() ||
           std::ranges::find(scopes, WholeCore) != scopes.end();
}

}  // namespace

void check_fast_scopes(std::span<const std::string> scopes) {
    const auto known = known_scopes();
    for (const std::string& scope : scopes)
        if (std::ranges::find(known, scope) == known.end())
            throw std::runtime_error(
                fmt::format("wave scope '{}': fidelity fast does not have it, expected {}", scope,
                            fmt::join(known, ", ")));
}

Wave::Wave(const std::string& path, std::span<const std::string> scopes) : writer_(nullptr, &fstWriterClose) {
    check_fast_scopes(scopes);
    forget_write_failure();
    writer_.reset(fstWriterCreate(path.c_str(), 1));
    if (!writer_) throw std::runtime_error(path + ": cannot write the waveform");
    fstWriterSetPackType(writer_.get(), FST_WR_PT_LZ4);
    fstWriterSetTimescale(writer_.get(), Picoseconds);
    const auto open = [this](const char* name) {
        fstWriterSetScope(writer_.get(), FST_ST_VCD_MODULE, name, nullptr);
    };
    open("core");
    open("neuron_core");
    has_core_ = is_asked(scopes, CoreScope);
    if (has_core_) {
        open("core");
        for (const auto& signal : CoreSignals) declare(signal.name, signal.bits);
        fstWriterSetUpscope(writer_.get());
    }
    for (const SequencerScope& scope : SequencerScopes) {
        if (!is_asked(scopes, scope.name)) continue;
        engines_.push_back(static_cast<unsigned>(scope.engine));
        open(scope.name);
        if (scope.within) open("sequencer");
        for (const auto& signal : SequencerSignals) declare(signal.name, signal.bits);
        for (int level = scope.within ? 2 : 1; level > 0; --level) fstWriterSetUpscope(writer_.get());
    }
    fstWriterSetUpscope(writer_.get());
    fstWriterSetUpscope(writer_.get());
}

void Wave::declare(const char* name, unsigned bits) {
    const std::string full = bits == 1 ? name : fmt::format("{} [{}:0]", name, bits - 1);
    const fstHandle handle =
        fstWriterCreateVar(writer_.get(), FST_VT_SV_LOGIC, FST_VD_IMPLICIT, bits, full.c_str(), 0);
    variables_.push_back({handle, bits, 0});
}

void Wave::emit(std::size_t index, std::uint32_t value) {
    constexpr std::size_t MaxBits = 32;
    Variable& variable = variables_[index];
    if (now_ && variable.value == value) return;
    variable.value = value;
    std::array<char, MaxBits> digits;
    for (unsigned bit = 0; bit < variable.bits; ++bit)
        digits[variable.bits - 1 - bit] = (value >> bit & 1) != 0 ? '1' : '0';
    fstWriterEmitValueChange(writer_.get(), variable.handle, digits.data());
}

void Wave::dump(std::uint64_t time, const Probes& probes) {
    if (has_write_failed() || (now_ && time <= *now_)) return;
    fstWriterEmitTimeChange(writer_.get(), time);
    std::size_t index = 0;
    if (has_core_)
        for (const auto& signal : CoreSignals) emit(index++, probes.core.*signal.value);
    for (const unsigned e : engines_)
        for (const auto& signal : SequencerSignals) emit(index++, probes.sequencer[e].*signal.value);
    now_ = time;
    if (++dumps_ % DumpsBetweenFlushes == 0) fstWriterFlushContext(writer_.get());
}

std::string Wave::close() {
    writer_.reset();
    return write_failure();
}

}  // namespace trnsim::tlm::core_fast
