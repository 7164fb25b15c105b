#include "model/dma/dma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace trnsim::tlm::dma {

Dma::Dma(const sc_core::sc_module_name& name, unsigned engines, unsigned rings, const EngineTiming& timing,
         trace::Sink* sink, Engine::OnError on_error, perturb::Seed seed, addresses::CoreId core)
    : sc_module(name), registers("registers", *this), rings_(rings) {
    for (unsigned i = 0; i < engines; ++i) {
        engines_.push_back(std::make_unique<Engine>(fmt::format("engine_{}", i).c_str(),
                                                    core.core * engines + i, rings, timing, sink, on_error,
                                                    seed, core));
    }
}

bool Dma::idle() const {
    return accesses_.empty() &&
           std::all_of(engines_.begin(), engines_.end(), [](const auto& engine) { return engine->idle(); });
}

void Dma::stop() {
    for (const auto& engine : engines_) engine->stop();
}

bool Dma::quiet() const {
    return accesses_.empty() &&
           std::ranges::all_of(engines_, [](const auto& engine) { return engine->quiet(); });
}

void Dma::reset() {
    for (const auto& engine : engines_) engine->reset();
}

bool Dma::request(Payload& payload, Time at) {
    accesses_.push(at, &payload);
    wake_.notify_at(accesses_.next());
    return true;
}

void Dma::take_accesses() {
    while (accesses_.due(now())) {
        Payload& payload = *accesses_.pop();
        payload.set_response_status(access(payload) ? ::tlm::TLM_OK_RESPONSE
                                                    : ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
        registers.respond(payload, now());
    }
    if (!accesses_.empty()) wake_.notify_at(accesses_.next());
}

// Registers have side effects, so the back door does not reach them.
unsigned Dma::debug(Payload&) {
    return 0;
}

bool Dma::access(Payload& payload) {
    const std::uint64_t address = payload.get_address();
    const std::uint64_t number = address / EngineStride;
    const auto offset = static_cast<std::uint32_t>(address % EngineStride);
    std::uint32_t value = 0;
    if (payload.get_data_length() != sizeof(value) || address % sizeof(value) != 0 ||
        number >= engines_.size() || payload.get_byte_enable_ptr() != nullptr) {
        return false;
    }
    Engine& engine = *engines_[number];
    const auto ring = static_cast<unsigned>(offset / RingStride);
    const auto reg = static_cast<RingRegister>(offset % RingStride);
    const auto own = static_cast<EngineRegister>(offset);
    if (payload.is_write()) {
        std::memcpy(&value, payload.get_data_ptr(), sizeof(value));
        return ring < rings_ ? engine.write(ring, reg, value) : engine.write(own, value);
    }
    const bool found = ring < rings_ ? engine.read(ring, reg, value) : engine.read(own, value);
    if (found) std::memcpy(payload.get_data_ptr(), &value, sizeof(value));
    return found;
}

}  // namespace trnsim::tlm::dma
