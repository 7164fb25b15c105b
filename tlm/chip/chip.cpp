#include "tlm/chip/chip.hpp"

#include <fmt/format.h>

#include "tlm/chip/address_map.hpp"
#include "tlm/hbm/banked_stack.hpp"
#include "tlm/hbm/stack.hpp"

namespace trnsim::tlm::chip {
namespace {

// Initiators of the fabric behind the DMA engines.
enum Initiator : unsigned { CoreManager, CoreTables, Host, InitiatorCount };

unsigned engines(const config::Config& config) {
    return static_cast<unsigned>(config.dma.engines);
}

// A stack of the model that is chosen.
std::unique_ptr<hbm::Memory> make_memory(const char* name, const config::Hbm& hbm,
                                         const perturb::Agent& agent,
                                         const contents::RandomContents& unwritten) {
    if (hbm.model == "banked") return std::make_unique<hbm::BankedStack>(name, hbm, agent, unwritten);
    const hbm::StackTiming timing{hbm.capacity, hbm.bandwidth / hbm.stacks, hbm.read_latency,
                                  hbm.write_latency};
    return std::make_unique<hbm::Stack>(name, timing, agent, unwritten);
}

}  // namespace

Chip::Chip(const sc_core::sc_module_name& name, const config::Config& config, const CoreFactory& make_core,
           Options options)
    : sc_module(name),
      options_(std::move(options)),
      host_(engines(config) + Host),
      fabric_("fabric", engines(config) + InitiatorCount, targets(config).count, address_map(config),
              config.fabric.latency, options_.perturb),
      dma_(
          "dma", engines(config), static_cast<unsigned>(config.dma.rings), dma::engine_timing(config),
          options_.sink,
          [this](const dma::EngineError& error) {
              if (dma_error_.empty()) dma_error_ = error.message;
              if (options_.on_stop) options_.on_stop();
          },
          options_.perturb, options_.number),
      core_(make_core("core", {config.core,
                               {.chip = options_.number, .core = 0},
                               options_.sink,
                               [this] {
                                   if (options_.on_stop) options_.on_stop();
                               },
                               options_.perturb})) {
    for (unsigned i = 0; i < engines(config); ++i) bind(dma_.engine(i).port.socket, fabric_.from(i));
    bind(core_->manager_port().socket, fabric_.from(engines(config) + CoreManager));
    bind(core_->table_port().socket, fabric_.from(engines(config) + CoreTables));
    for (unsigned i = 0; i < config.hbm.stacks; ++i) {
        const std::string stack_name = fmt::format("hbm {}", i);
        hbm_.push_back(make_memory(fmt::format("hbm_{}", i).c_str(), config.hbm,
                                   perturb::Agent(options_.perturb, stack_name),
                                   contents::RandomContents(options_.random_memory, stack_name)));
        bind(fabric_.to(i), hbm_.back()->port.socket);
    }
    bind(fabric_.to(targets(config).core), core_->window_port().socket);
    bind(fabric_.to(targets(config).dma), dma_.registers.socket);
}

template <typename Initiator, typename Target>
void Chip::bind(Initiator& initiator, Target& target) {
    if (!options_.check_protocol) {
        initiator.bind(target);
        return;
    }
    auto& checker = checkers_.emplace_back(fmt::format("checker_{}", checkers_.size()).c_str());
    initiator.bind(checker.target);
    checker.initiator.bind(target);
}

void Chip::bind_host(protocol::InitiatorPort& host) {
    bind(host.socket, fabric_.from(host_));
}

std::uint64_t Chip::progress() const {
    std::uint64_t sum = core_->progress();
    for (unsigned i = 0; i < dma_.engines(); ++i) sum += dma_.engine(i).progress();
    return sum;
}

std::string Chip::state() const {
    std::string text = core_->state();
    for (unsigned i = 0; i < dma_.engines(); ++i) {
        if (!dma_.engine(i).idle()) text += "; " + dma_.engine(i).state();
    }
    return text;
}

Statistics Chip::statistics() const {
    Statistics statistics;
    statistics.time = now();
    statistics.core = core_->statistics();
    for (const auto& stack : hbm_) {
        statistics.hbm.push_back(stack->traffic());
        if (auto dram = stack->dram()) statistics.dram.push_back(std::move(*dram));
    }
    for (unsigned i = 0; i < dma_.engines(); ++i) statistics.dma.push_back(dma_.engine(i).statistics());
    return statistics;
}

void Chip::stop() {
    dma_.stop();
    core_->halt();
}

void Chip::clear() {
    dma_.reset();
    dma_error_.clear();
}

std::vector<std::string> Chip::protocol_violations() const {
    std::vector<std::string> texts;
    for (const protocol::Checker& checker : checkers_) {
        for (const protocol::Violation& violation : checker.violations()) texts.push_back(violation.text);
    }
    return texts;
}

}  // namespace trnsim::tlm::chip
