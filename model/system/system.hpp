// A simulated system of one chip: a server with calls that need not name the chip (model/system/server.hpp).
#pragma once

#include <utility>

#include "model/system/server.hpp"

namespace trnsim::tlm {

class System {
  public:
    // Makes a chip with these slots. The system sets Options::on_stop itself.
    System(const config::Config& config, const chip::Slots& slots, const chip::Options& options = {})
        : number_(options.number), server_(config, {{slots, options}}) {}
    // Makes a chip with one core, which `make_core` makes.
    System(const config::Config& config, const CoreFactory& make_core, const chip::Options& options = {})
        : System(config, chip::Slots{make_core}, options) {}

    chip::Chip& chip() { return server_.chip(number_); }
    const chip::Chip& chip() const { return server_.chip(number_); }

    void write32(std::uint64_t address, std::uint32_t value) { server_.write32(number_, address, value); }
    std::uint32_t read32(std::uint64_t address) { return server_.read32(number_, address); }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) {
        server_.write(number_, address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) { server_.read(number_, address, data); }

    RunResult run(std::uint64_t limit = 0) { return server_.run(limit); }
    void reset() { server_.reset(); }
    std::optional<RunResult> quiesce() { return server_.quiesce(); }
    void resume() { server_.resume(); }
    void save(checkpoint::SystemState& state) { server_.save(state); }
    void load(const checkpoint::SystemState& state) { server_.load(state); }
    void advance(std::uint64_t duration) { server_.advance(duration); }

  private:
    unsigned number_;
    Server server_;
};

}  // namespace trnsim::tlm
