#include "runtime/session/server_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <utility>

#include "arch/config/units.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/core/pin_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "runtime/session/diagnosis.hpp"
#include "runtime/session/execution.hpp"
#include "runtime/session/gpsimd.hpp"

namespace trnsim::runtime {
namespace {

using addresses::CoreId;
using config::CoreKind;
using tlm::Outcome;

std::vector<CoreId> all_cores(const config::Server& server) {
    std::vector<CoreId> cores;
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        for (unsigned slot = 0; slot < server.slots[chip].size(); ++slot)
            if (server.slots[chip][slot] != CoreKind::None) cores.push_back({chip, slot});
    }
    return cores;
}

std::vector<CoreId> cores_of(const config::Server& server, std::optional<std::uint32_t> ranks) {
    std::vector<CoreId> cores = all_cores(server);
    const std::size_t wanted = ranks ? *ranks : cores.size();
    if (wanted == 0 || wanted > cores.size())
        throw Error(fmt::format("{}: {} ranks, expected 1 to {}, the cores that its slots have", server.name,
                                wanted, cores.size()));
    cores.resize(wanted);
    return cores;
}

// The server with nothing in the slots that no rank has.
config::Server only(config::Server server, const std::vector<CoreId>& cores) {
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        for (unsigned slot = 0; slot < server.slots[chip].size(); ++slot)
            if (std::ranges::find(cores, CoreId{chip, slot}) == cores.end())
                server.slots[chip][slot] = CoreKind::None;
    }
    return server;
}

tlm::LinkedOptions options_of(const config::Server& server, const std::vector<CoreId>& cores,
                              tlm::trace::Sink& sink, tlm::processes::Exchange* exchange,
                              tlm::perturb::Seed perturb, bool switches) {
    const auto has = [&](CoreKind kind) {
        return std::ranges::any_of(cores,
                                   [&](CoreId core) { return server.slots[core.chip][core.core] == kind; });
    };
    tlm::LinkedOptions options;
    options.collectives = true;
    options.sink = &sink;
    options.exchange = exchange;
    options.perturb = perturb;
    if (has(CoreKind::Rtl))
        options.rtl = [chip = server.chip, switches](const char* name, const tlm::CoreSetup& setup) {
            auto rtl = tlm::load_core_model(config::rtl_parameters(chip), 1);  // each core its own
            return switches ? tlm::core_of(tlm::core_fast::make_model(chip.core), std::move(rtl))(name, setup)
                            : tlm::core_of(std::move(rtl))(name, setup);
        };
    if (has(CoreKind::Fast)) options.fast = tlm::core_fast::make_core(server.chip);
    return options;
}

bool nothing_bound(std::size_t) {
    return false;
}

// Ended by the progress function.
bool is_stopped(const tlm::RunResult& run, std::uint64_t max_time) {
    return run.outcome == Outcome::TimeLimit && (max_time == 0 || run.end - run.start < max_time);
}

}  // namespace

Result ServerResult::of(std::uint32_t rank) const {
    const RankResult& one = ranks.at(rank);
    Result result;
    result.outcome = outcome;
    result.status = status;
    result.message = message;
    result.rounding = rounding;
    result.checkpoint = checkpoint;
    result.resumed = resumed;
    result.core_id = one.core;
    result.core = one.info;
    result.fidelity = one.fidelity;
    result.figures = one.figures;
    result.printed = one.printed;
    return result;
}

config::Server for_ranks(config::Server server, std::optional<std::uint32_t> ranks,
                         std::span<const std::uint32_t> rtl_ranks) {
    if (all_cores(server).empty()) {
        for (config::SlotKinds& chip : server.slots) std::ranges::fill(chip, CoreKind::Fast);
    }
    const std::vector<CoreId> cores = cores_of(server, ranks);
    for (const std::uint32_t rank : rtl_ranks) {
        if (rank >= cores.size())
            throw Error(fmt::format("RTL rank {}: expected ranks below {}", rank, cores.size()));
        server.slots[cores[rank].chip][cores[rank].core] = CoreKind::Rtl;
    }
    return only(std::move(server), cores);
}

// Registers are written by a collective core, as a host writes none of a server in several processes, and all at once.
class ServerSession::Core : public Machine {
  public:
    Core(tlm::LinkedServer& server, CoreId core, Collectives::Writes& writes)
        : server_(server), core_(core), writes_(writes) {}

    void write32(std::uint64_t address, std::uint32_t value) override {
        writes_[core_.chip].push_back({address, value});
    }
    std::uint32_t read32(std::uint64_t address) override {
        return server_.server().read32(core_.chip, address);
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        server_.server().write(core_.chip, address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override {
        server_.server().read(core_.chip, address, data);
    }
    tlm::RunResult run(std::uint64_t) override { throw std::logic_error("a run of one rank"); }
    tlm::Statistics statistics() const override {
        return server_.server().chip(core_.chip).statistics(core_.core);
    }
    tlm::CoreInfo core_info() const override {
        return server_.server().chip(core_.chip).core(core_.core).info();
    }
    // The rank itself has stopped with this outcome; no time passes.
    bool stopped_by(Outcome outcome) const {
        const tlm::chip::Chip& chip = server_.server().chip(core_.chip);
        if (outcome == Outcome::CoreError) return chip.core(core_.core).error();
        const tlm::dma::Dma& dma = chip.dma(core_.core);
        bool failed = false;
        for (unsigned e = 0; e < dma.engines(); ++e)
            failed |= dma.engine(e).error().code != dma::ErrorCode::None;
        return outcome == Outcome::DmaError && failed;
    }

  private:
    tlm::LinkedServer& server_;
    CoreId core_;
    Collectives::Writes& writes_;
};

struct ServerSession::Model {
    std::shared_ptr<const neff::Package> package;
    loader::Blocks blocks;
    Image image;
};

struct ServerSession::Whole {
    std::uint64_t time() const { return tlm::now(); }
    std::optional<tlm::RunResult> quiesce() { return session.server_.quiesce(watch); }
    void save(checkpoint::SystemState& state) { session.server_.save(state); }
    void switch_model() {
        for (std::uint32_t rank = 0; rank < session.ranks(); ++rank) {
            const CoreId core = session.core(rank);
            if (session.here(rank) && session.is_rtl(rank))
                session.server_.server().chip(core.chip).core(core.core).switch_model();
        }
        session.switches_ = false;
    }
    void resume() { session.server_.resume(); }

    ServerSession& session;
    std::function<bool()> watch;
};

ServerSession::ServerSession(const config::Server& server, std::optional<std::uint32_t> ranks,
                             tlm::processes::Exchange* exchange, tlm::perturb::Seed perturb, bool switches)
    : cores_(cores_of(server, ranks)),
      server_(only(server, cores_), options_of(server, cores_, relay_, exchange, perturb, switches)),
      hbm_(server.chips(), loader::Allocator(server.chip.hbm)),
      several_(exchange != nullptr && exchange->size() > 1),
      switches_(switches),
      perturb_(perturb) {
    for (const CoreId core : cores_) machines_.push_back(std::make_unique<Core>(server_, core, writes_));
}

ServerSession::~ServerSession() = default;

const neff::Package& ServerSession::package(std::uint32_t rank) const {
    return *models_.at(rank)->package;
}

void ServerSession::load(const std::shared_ptr<const neff::Package>& package) {
    load(std::vector<std::shared_ptr<const neff::Package>>(ranks(), package));
}

void ServerSession::load(std::span<const std::shared_ptr<const neff::Package>> packages) {
    if (packages.size() != ranks())
        throw Error(fmt::format("{} packages, expected {}, one for each rank", packages.size(), ranks()));
    // Those before keep their memory until these have theirs, so that nothing changes when there is no room.
    auto collectives = std::make_unique<Collectives>(server_, cores_, packages);
    std::vector<std::unique_ptr<Model>> models;
    std::vector<const Image*> images;
    std::vector<loader::Blocks*> blocks;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        const CoreId core = cores_[rank];
        try {
            auto model = std::make_unique<Model>(Model{packages[rank], loader::Blocks(hbm_[core.chip]), {}});
            model->image = loader::plan(*model->package, server_.description().chip, model->blocks, {}, 0,
                                        core.core, collectives->begins(rank));
            images.push_back(&model->image);
            blocks.push_back(&model->blocks);
            models.push_back(std::move(model));
        } catch (const Error& error) {
            throw Error(fmt::format("rank {}: {}", rank, error.what()), error.status);
        }
    }
    collectives->place(images, blocks);
    models_ = std::move(models);
    collectives_ = std::move(collectives);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (here(rank)) write_image(*machines_[rank], models_[rank]->image);
    }
    collectives_->write();
}

bool ServerSession::is_rtl(std::uint32_t rank) const {
    return server().slots[core(rank).chip][core(rank).core] == CoreKind::Rtl;
}

checkpoint::Identity ServerSession::identity() const {
    std::vector<LoadedPackage> loaded;
    for (const auto& model : models_) loaded.push_back({model->package.get(), &model->image});
    return identity_of(server(), loaded, collectives_->bytes());
}

ServerResult ServerSession::execute(std::span<const Arrays> inputs, const ServerExecuteOptions& options) {
    if (models_.empty()) throw Error("no package is loaded, expected load() before", Status::InvalidHandle);
    const checkpoint::SystemState* resume = options.checkpoints.resume;
    if (resume == nullptr && inputs.size() != ranks())
        throw Error(fmt::format("inputs of {} ranks, expected {}", inputs.size(), ranks()),
                    Status::ExecBadInput);
    ServerExecuteOptions how = options;
    if (resume != nullptr || options.checkpoints.request) {
        for (const auto& model : models_) check_possible(*model->package, model->image, perturb_.has_value());
        const checkpoint::Identity identity = this->identity();
        if (resume != nullptr) check_identity(resume->identity, identity);
        if (options.checkpoints.request) {
            CheckpointRequest& request =
                how.checkpoints.request.emplace(with_identity(*options.checkpoints.request, identity));
            // All processes give their chips, the first one has them.
            if (request.save && !server_.here(0)) request.save = [](checkpoint::SystemState&) {};
        }
    }
    std::vector<Contents> contents;
    for (std::uint32_t rank = 0; resume == nullptr && rank < ranks(); ++rank) {
        try {
            contents.push_back(loader::contents_of(*models_[rank]->package, inputs[rank], nothing_bound));
        } catch (const Error& error) {
            throw Error(fmt::format("rank {}: {}", rank, error.what()), error.status);
        }
    }
    if (!std::exchange(fresh_, false)) {
        if (several_)
            throw Error("an execution has been, expected one in several processes", Status::Invalid);
        server_.reset();
    }
    begin(contents, options);
    std::vector<tlm::Statistics> before(ranks());
    CoreObservers observers;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (!here(rank)) continue;
        observers.add(cores_[rank], *models_[rank]->package);
        before[rank] = machines_[rank]->statistics();
    }
    ServerResult result;
    result.rounding = options.rounding;
    if (resume != nullptr) {
        result.rounding = rounding_of(*resume);
        result.resumed = resume->time;
    }
    const std::uint64_t begun = tlm::now();
    const tlm::RunResult run = this->run(before, observers, how, result);
    result.outcome = run.outcome;
    result.time = run.end - begun;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        RankResult& one = result.ranks.emplace_back();
        one.core = cores_[rank];
        one.here = here(rank);
        if (!one.here) continue;
        Core& machine = *machines_[rank];
        const Model& model = *models_[rank];
        one.fidelity = is_rtl(rank) && !switches_ ? Fidelity::Rtl : Fidelity::Fast;
        one.info = machine.core_info();
        one.figures = difference(before[rank], machine.statistics());
        one.figures.matmul = observers.of(one.core).matmul();
        one.figures.work = observers.of(one.core).work();
        if (result.done()) one.outputs = read_outputs(machine, *model.package, model.image, nothing_bound);
    }
    // Registers are read in time, of several processes in that of each: nothing is counted any more.
    server_.leave();
    std::vector<bool> stopped;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank)
        stopped.push_back(here(rank) && machines_[rank]->stopped_by(run.outcome));
    result.status = status_of(run, options.max_time, result.ranks, stopped);
    result.message = diagnose(run, options.max_time, stopped);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        const Model& model = *models_[rank];
        if (here(rank))
            result.ranks[rank].printed =
                GpsimdCores(*machines_[rank], *model.package, model.image.core).printed();
    }
    return result;
}

tlm::RunResult ServerSession::run(const std::vector<tlm::Statistics>& before, CoreObservers& observers,
                                  const ServerExecuteOptions& options, ServerResult& result) {
    relay_.attach(&observers, options.listener);
    struct Detach {
        Relay& relay;
        ~Detach() { relay.attach(nullptr); }
    };
    const Detach detach{relay_};
    const auto begin = std::chrono::steady_clock::now();
    double told = 0;
    const std::function<bool()> watch = [&] {
        const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (!options.progress || wall - told < ProgressSeconds) return true;
        told = wall;
        Progress now = progress(before);
        now.wall_seconds = wall;
        return options.progress(now);
    };
    const std::uint64_t start = tlm::now();
    const auto& request = options.checkpoints.request;
    const auto passed = [&] { return options.max_time != 0 && tlm::now() - start >= options.max_time; };
    if (!request) return server_.run(options.max_time, watch);
    if (request->at > start) {
        if (options.max_time != 0 && options.max_time <= request->at - start)
            return server_.run(options.max_time, watch);
        const tlm::RunResult run = server_.run(request->at - start, watch);
        if (run.outcome != Outcome::TimeLimit || tlm::now() < request->at) return run;
    }
    Whole whole{*this, watch};
    tlm::RunResult run{Outcome::TimeLimit, "", start, tlm::now()};
    if (const auto failure = take_checkpoint(whole, *request, result.checkpoint))
        run = *failure;
    else if (!passed())
        run = server_.run(options.max_time == 0 ? 0 : options.max_time - (tlm::now() - start), watch);
    run.start = start;
    run.end = tlm::now();
    return run;
}

Progress ServerSession::progress(const std::vector<tlm::Statistics>& before) const {
    Progress all;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (!here(rank)) continue;
        for (const loader::ProgramImage& program : models_[rank]->image.programs)
            all.total += program.instructions.size();
        const tlm::Statistics now = machines_[rank]->statistics();
        all.completed += completed(now) - completed(before[rank]);
        all.cycles = std::max(all.cycles, now.core.cycles - before[rank].core.cycles);
    }
    return all;
}

// What comes before the time that counts. The cores are started as if the execution did not go on from a checkpoint, so that the
// collective cores have the same programs.
void ServerSession::begin(const std::vector<Contents>& contents, const ServerExecuteOptions& options) {
    const checkpoint::SystemState* resume = options.checkpoints.resume;
    if (resume == nullptr) set_up(contents, options.rounding);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (here(rank)) start(*machines_[rank], models_[rank]->image);
    }
    if (resume == nullptr) return collectives_->start(options.rounding.seed, std::exchange(writes_, {}));
    collectives_->load(std::exchange(writes_, {}));
    server_.load(*resume);
}

// All that is written before the first rank starts.
void ServerSession::set_up(const std::vector<Contents>& contents, const Rounding& rounding) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (!here(rank)) continue;
        Core& machine = *machines_[rank];
        const Model& model = *models_[rank];
        clear_outputs(machine, *model.package, model.image, nothing_bound);
        write_contents(machine, model.image, contents[rank]);
        runtime::set_up(machine, model.image, rounding);
        GpsimdCores(machine, *model.package, model.image.core).clear();
    }
    for (auto& [chip, registers] : std::exchange(writes_, {})) {
        tlm::collectives::CollectiveCores& cores = server_.server().chip(chip).collective_cores();
        cores.load(0, {{{{{}, registers}}}});
        cores.start(0);
    }
    const tlm::RunResult run = server_.run();
    if (run.outcome != Outcome::Done) throw Error(run.message, Status::Failure);
}

// Of the first rank that has stopped, whichever process has it.
Status ServerSession::status_of_stopped(const std::vector<bool>& stopped, bool uncorrected) {
    std::uint64_t own = 0;
    const auto first = std::ranges::find(stopped, true);
    if (first != stopped.end()) {
        const auto rank = static_cast<std::uint32_t>(first - stopped.begin());
        own = static_cast<std::uint64_t>(
            status_of_core_error(*machines_[rank], cores_[rank].core, uncorrected));
    }
    for (const std::uint64_t status : server_.numbers(own)) {
        if (status != 0) return static_cast<Status>(status);
    }
    return Status::ExecCompletedWithError;
}

Status ServerSession::status_of(const tlm::RunResult& run, std::uint64_t max_time,
                                const std::vector<RankResult>& ranks, const std::vector<bool>& stopped) {
    const auto any = [&](const auto& holds) {
        return server_.sum(static_cast<std::uint64_t>(std::ranges::count_if(ranks, holds))) != 0;
    };
    const bool uncorrected = any([](const RankResult& rank) { return hbm_uncorrected(rank.figures); });
    const bool numeric = any([](const RankResult& rank) { return rank.figures.numeric.engines != 0; });
    const bool lost = server_.sum(server_.network().reports().size()) != 0;  // a request between chips
    switch (run.outcome) {
        case Outcome::Done:
            return numeric ? Status::ExecCompletedWithNumericError : Status::Success;
        case Outcome::CoreError:
            return status_of_stopped(stopped, uncorrected);
        case Outcome::DmaError:
            return uncorrected ? Status::ExecHbmUncorrectable
                   : lost      ? Status::ExecCollectives
                               : Status::ExecDmaAbort;
        case Outcome::Hang:
            return lost ? Status::ExecCollectives : Status::Timeout;
        case Outcome::TimeLimit:
            return is_stopped(run, max_time) ? Status::Failure : Status::Timeout;
    }
    return Status::Failure;
}

// What is wrong with a rank of this process; empty: nothing.
std::string ServerSession::diagnose(Outcome outcome, std::uint32_t rank, bool stopped) {
    Core& machine = *machines_[rank];
    const Model& model = *models_[rank];
    const bool hangs = outcome != Outcome::CoreError && outcome != Outcome::DmaError;
    if (hangs) return diagnose_hang(machine, *model.package, model.image, cores_[rank]);
    if (!stopped) return "";
    return outcome == Outcome::CoreError
               ? diagnose_core_error(machine, *model.package, cores_[rank])
               : diagnose_dma_error(machine, *model.package, model.image, cores_[rank]);
}

// What stopped the first rank that was stopped, or a line for each that waits: processes have ranks in the order of their
// numbers.
std::string ServerSession::diagnose(const tlm::RunResult& run, std::uint64_t max_time,
                                    const std::vector<bool>& stopped) {
    if (run.outcome == Outcome::Done) return "";
    if (is_stopped(run, max_time)) return "stopped before the end";
    std::string own;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        const std::string one = here(rank) ? diagnose(run.outcome, rank, stopped[rank]) : "";
        if (!one.empty()) own += fmt::format("{}rank {}: {}", own.empty() ? "" : "\n", rank, one);
    }
    std::string text;
    for (const std::string& part : server_.texts(own)) {
        if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
    }
    if (run.outcome == Outcome::CoreError || run.outcome == Outcome::DmaError) {
        if (text.empty()) return run.message;  // a collective core or a DMA engine that belongs to no rank
        const auto others = std::ranges::count(text, '\n');
        text.resize(std::min(text.find('\n'), text.size()));
        if (others != 0) text += fmt::format("; {} other ranks stopped as well", others);
        return text + server_.first_report();
    }
    const std::string first = run.outcome == Outcome::Hang
                                  ? "hang: " + run.message
                                  : fmt::format("not done after {} of simulated time",
                                                config::format_quantity(max_time, config::Quantity::Time));
    return with_lines(first, text);
}

}  // namespace trnsim::runtime
