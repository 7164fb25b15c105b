#include "model/chip/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/addresses/pooled.hpp"
#include "model/hbm/banked_stack.hpp"
#include "model/hbm/stack.hpp"

namespace trnsim::tlm::chip {
namespace {

Layout layout_of(const Slots& slots, const Options& options) {
    if (options.number >= addresses::PooledChips)
        throw std::invalid_argument(
            fmt::format("chip {}: expected a number below {}", options.number, addresses::PooledChips));
    if (slots.empty() || slots.size() > addresses::CoresPerChip)
        throw std::invalid_argument(fmt::format("chip {}: {} core slots, expected 1 to {}", options.number,
                                                slots.size(), addresses::CoresPerChip));
    Layout layout{{}, options.linked, options.collectives};
    for (const CoreFactory& make_core : slots) layout.cores.push_back(static_cast<bool>(make_core));
    return layout;
}

// Makes a stack of the chosen model.
std::unique_ptr<hbm::Memory> make_memory(const char* name, const config::Hbm& hbm,
                                         const perturb::Agent& agent,
                                         const contents::RandomContents& unwritten) {
    if (hbm.model == "banked") return std::make_unique<hbm::BankedStack>(name, hbm, agent, unwritten);
    const hbm::StackTiming timing{hbm.capacity, hbm.bandwidth / hbm.stacks, hbm.read_latency,
                                  hbm.write_latency};
    return std::make_unique<hbm::Stack>(name, timing, agent, unwritten);
}

}  // namespace

Chip::Chip(const sc_core::sc_module_name& name, const config::Config& config, const Slots& slots,
           Options options)
    : sc_module(name),
      options_(std::move(options)),
      ports_(ports_of(config, layout_of(slots, options_))),
      fabric_("fabric", ports_.initiators, ports_.targets, address_map(config, layout_of(slots, options_)),
              config.fabric.latency, perturb::seed_of(options_.perturb, {options_.number, 0}),
              sides_of(config, layout_of(slots, options_), options_.between_cores)),
      slots_(slots.size()) {
    for (unsigned i = 0; i < slots_.size(); ++i) make_slot(config, i, slots[i]);
    make_stacks(config.hbm);
    if (options_.collectives) make_collectives();
}

void Chip::make_slot(const config::Config& config, unsigned number, const CoreFactory& make_core) {
    Slot& slot = slots_[number];
    const Ports::Slot& ports = ports_.slots[number];
    const addresses::CoreId id{options_.number, number};
    const perturb::Seed seed = perturb::seed_of(options_.perturb, {options_.number, 0});
    slot.dma = std::make_unique<dma::Dma>(
        fmt::format("dma_{}", number).c_str(), static_cast<unsigned>(config.dma.engines),
        static_cast<unsigned>(config.dma.rings), dma::engine_timing(config), options_.sink,
        [this, number](const dma::EngineError& error) {
            if (dma_error_.empty()) dma_error_ = place(number) + error.message;
            if (options_.on_stop) options_.on_stop();
        },
        seed, id);
    for (unsigned i = 0; i < slot.dma->engines(); ++i)
        bind(slot.dma->engine(i).port.socket, fabric_.from(ports.dma + i));
    bind(fabric_.to(ports.registers), slot.dma->registers.socket);
    if (!make_core) return;
    slot.core = make_core(fmt::format("core_{}", number).c_str(), {config.core, id, options_.sink,
                                                                   [this] {
                                                                       if (options_.on_stop)
                                                                           options_.on_stop();
                                                                   },
                                                                   perturb::seed_of(options_.perturb, id)});
    cores_.push_back(slot.core.get());
    bind(slot.core->manager_port().socket, fabric_.from(ports.manager));
    bind(slot.core->table_port().socket, fabric_.from(ports.tables));
    bind(fabric_.to(ports.window), slot.core->window_port().socket);
}

void Chip::make_stacks(const config::Hbm& hbm) {
    hbm_capacity_ = hbm.capacity;
    const addresses::CoreId id{options_.number, 0};
    for (unsigned i = 0; i < hbm.stacks; ++i) {
        const std::string name = fmt::format("hbm {}", i);
        hbm_.push_back(
            make_memory(fmt::format("hbm_{}", i).c_str(), hbm,
                        perturb::Agent(perturb::seed_of(options_.perturb, id), name),
                        contents::RandomContents(perturb::seed_of(options_.random_memory, id), name)));
        bind(fabric_.to(i), hbm_.back()->port.socket);
        if (options_.sink != nullptr)
            dram_reports_.emplace_back(hbm.banked, options_.number, i, *options_.sink);
    }
}

void Chip::make_collectives() {
    collectives_ = std::make_unique<collectives::CollectiveCores>(
        "collectives",
        [this] {
            if (options_.on_stop) options_.on_stop();
        },
        perturb::seed_of(options_.perturb, {options_.number, 0}), options_.sink, options_.number);
    bind(collectives_->port.socket, fabric_.from(ports_.collectives_out));
    bind(fabric_.to(ports_.collectives_in), collectives_->registers.socket);
}

template <typename Initiator, typename Target>
void Chip::bind(Initiator& initiator, Target& target) {
    if (!options_.check_protocol) {
        initiator.bind(target);
        return;
    }
    auto& checker =
        checkers_.emplace_back(fmt::format("checker_{}_{}", options_.number, checkers_.size()).c_str());
    initiator.bind(checker.target);
    checker.initiator.bind(target);
}

void Chip::bind_host(protocol::InitiatorPort& host) {
    bind(host.socket, fabric_.from(ports_.host));
}

void Chip::bind_links(::tlm::tlm_target_socket<>& out, ::tlm::tlm_initiator_socket<>& in) {
    if (!options_.linked) throw std::logic_error(fmt::format("chip {} is not linked", options_.number));
    bind(fabric_.to(ports_.link_out), out);
    bind(in, fabric_.from(ports_.link_in));
}

Core& Chip::core(unsigned slot) {
    if (slot >= slots_.size() || slots_[slot].core == nullptr)
        throw std::out_of_range(fmt::format("chip {} has no core {}", options_.number, slot));
    return *slots_[slot].core;
}

collectives::CollectiveCores& Chip::collective_cores() {
    if (!collectives_)
        throw std::logic_error(fmt::format("chip {} has no collective cores", options_.number));
    return *collectives_;
}

std::string Chip::place(unsigned slot) const {
    return slots_.size() == 1 ? "" : fmt::format("core {}, ", slot);
}

std::string Chip::core_error() const {
    for (unsigned i = 0; i < slots_.size(); ++i) {
        const Core* core = slots_[i].core.get();
        if (core != nullptr && core->error()) return core_state(i);
    }
    return collectives_ ? collectives_->error() : "";
}

// Returns "core: tensor halted ...", with several slots "core 1: tensor halted ...".
std::string Chip::core_state(unsigned slot) const {
    const std::string number = slots_.size() == 1 ? "" : fmt::format(" {}", slot);
    return fmt::format("core{}: {}", number, slots_[slot].core->state());
}

bool Chip::clocks_rest() const {
    return std::ranges::all_of(cores_, [](const Core* core) { return core->done() || core->unused(); });
}

bool Chip::cores_rest() const {
    return clocks_rest() && (!collectives_ || collectives_->idle());
}

bool Chip::has_run() const {
    return cores_.empty() || std::ranges::any_of(cores_, &Core::done) ||
           (collectives_ && collectives_->has_run());
}

bool Chip::dma_idle() const {
    return std::ranges::all_of(slots_, [](const Slot& slot) { return slot.dma->idle(); });
}

std::uint64_t Chip::progress() const {
    std::uint64_t sum = collectives_ ? collectives_->progress() : 0;
    for (const Core* core : cores_) sum += core->progress();
    for (const Slot& slot : slots_) {
        for (unsigned i = 0; i < slot.dma->engines(); ++i) sum += slot.dma->engine(i).progress();
    }
    return sum;
}

std::string Chip::state() const {
    std::string text;
    const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    for (unsigned slot = 0; slot < slots_.size(); ++slot) {
        if (slots_[slot].core != nullptr) add(core_state(slot));
        const dma::Dma& dma = *slots_[slot].dma;
        for (unsigned i = 0; i < dma.engines(); ++i) {
            if (!dma.engine(i).idle()) add(place(slot) + dma.engine(i).state());
        }
    }
    const std::string collectives = collectives_ ? collectives_->state() : "";
    if (!collectives.empty()) add(collectives);
    return text;
}

Statistics Chip::statistics(unsigned slot) const {
    Statistics statistics;
    statistics.time = now();
    statistics.core.id = {options_.number, slot};
    if (has_core(slot)) statistics.core = core(slot).statistics();
    for (const auto& stack : hbm_) {
        statistics.hbm.push_back(stack->traffic());
        if (auto dram = stack->dram()) statistics.dram.push_back(std::move(*dram));
    }
    const dma::Dma& engines = dma(slot);
    for (unsigned i = 0; i < engines.engines(); ++i) statistics.dma.push_back(engines.engine(i).statistics());
    return statistics;
}

bool Chip::report_dram(bool on) {
    bool reports = false;
    for (std::size_t i = 0; i < dram_reports_.size(); ++i)
        reports = hbm_[i]->report_to(on ? &dram_reports_[i] : nullptr);
    return reports;
}

std::uint64_t Chip::hbm_uncorrected() const {
    std::uint64_t words = 0;
    for (const auto& stack : hbm_) {
        if (const auto dram = stack->dram()) words += dram->uncorrected;
    }
    return words;
}

bool Chip::inject(std::uint64_t address, const hbm::CodeWord& bits) {
    const std::uint64_t stack = (address - addresses::HbmBase) / addresses::HbmStackStride;
    const std::uint64_t offset = (address - addresses::HbmBase) % addresses::HbmStackStride;
    if (stack >= hbm_.size() || offset >= hbm_capacity_)
        throw std::out_of_range(fmt::format("chip {} has no HBM at 0x{:x}", options_.number, address));
    return hbm_[stack]->inject(offset, bits);
}

void Chip::forget(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t stack = (address - addresses::HbmBase) / addresses::HbmStackStride;
    const std::uint64_t offset = (address - addresses::HbmBase) % addresses::HbmStackStride;
    if (address < addresses::HbmBase || stack >= hbm_.size() || bytes > hbm_capacity_ ||
        offset > hbm_capacity_ - bytes)
        throw std::out_of_range(fmt::format("chip {} has no HBM at 0x{:x}", options_.number, address));
    hbm_[stack]->storage().contents().forget(offset, bytes);
}

void Chip::stop() {
    for (const Slot& slot : slots_) {
        slot.dma->stop();
        if (slot.core != nullptr) slot.core->halt();
    }
    if (collectives_) collectives_->stop();
}

bool Chip::quiet() const {
    return std::ranges::all_of(slots_, [](const Slot& slot) { return slot.dma->quiet(); }) &&
           std::ranges::all_of(cores_, &Core::quiet) && (!collectives_ || collectives_->quiet());
}

void Chip::restart() {
    for (const Slot& slot : slots_) {
        if (slot.core != nullptr) slot.core->restart();
    }
}

bool Chip::settled() const {
    return std::ranges::none_of(cores_, &Core::waits_for_memory) &&
           std::ranges::all_of(slots_, [](const Slot& slot) { return slot.dma->quiet(); });
}

Time Chip::reached() const {
    Time latest = 0;
    for (const Core* core : cores_) latest = std::max(latest, core->reached());
    return latest;
}

void Chip::clear() {
    for (const Slot& slot : slots_) slot.dma->reset();
    if (collectives_) collectives_->clear();
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
