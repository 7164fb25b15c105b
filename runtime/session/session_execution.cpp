// Executions of a session.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/session/bound_tensors.hpp"
#include "runtime/session/core_observers.hpp"
#include "runtime/session/execution.hpp"
#include "runtime/session/server_device.hpp"
#include "runtime/session/session_model.hpp"
#include "runtime/session/set_up.hpp"

namespace trnsim::runtime {
namespace {

// A waveform of an execution; it is closed, too, if an exception ends the execution.
class Recording {
  public:
    Recording(Device& device, const WaveRequest& request) : device_(&device) { device.record_wave(request); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording() {
        if (device_ != nullptr) device_->close_wave();
    }
    // Throws Error when the file is incomplete.
    void end() {
        const std::string failure = std::exchange(device_, nullptr)->close_wave();
        if (!failure.empty()) throw Error(failure, Status::Failure);
    }

  private:
    Device* device_;
};

IsBound is_bound(const std::vector<std::optional<TensorId>>& bound) {
    return [&bound](std::size_t i) { return bound[i].has_value(); };
}

}  // namespace

Session::Bound Session::resolve(const neff::Package& package, std::uint32_t rank, const Bindings& always,
                                const Bindings& now) const {
    Bound bound(package.tensors.size());
    for (const Bindings* bindings : {&always, &now}) {
        for (const auto& [name, id] : *bindings) {
            const std::size_t index = find_outside(package, name);
            const DeviceTensor& given = tensor(id);
            check_fits(package, package.tensors[index], given);
            if (core(given.rank).chip != core(rank).chip)
                throw Error(
                    fmt::format("kernel '{}', '{}' bound to tensor '{}': in the memory of chip {}, expected "
                                "that of chip {}",
                                package.name, name, given.name, core(given.rank).chip, core(rank).chip),
                    Status::ExecBadInput);
            bound[index] = id;
        }
    }
    check_distinct(package, bound);
    return bound;
}

std::vector<Session::Bound> Session::resolve(const Model& model, const Run& run) const {
    check_count(run.bindings.size(), "bindings");
    std::vector<Bound> bound;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        of_rank(rank, [&] {
            const Model::Rank& one = model.ranks[rank];
            bound.push_back(resolve(*one.package, rank, of(model.bindings, rank), of(run.bindings, rank)));
            if (model.collectives)
                check_collectives(*one.package, one.placed, addresses_of(one.placed, bound.back()));
        });
    }
    return bound;
}

Contents Session::contents_of(ModelId id, const Arrays& inputs, const Bindings& bindings,
                              std::uint32_t rank) const {
    return contents_of(id, loader::borrowed(inputs), bindings, rank);
}

Contents Session::contents_of(ModelId id, const Inputs& inputs, const Bindings& bindings,
                              std::uint32_t rank) const {
    const Model& model = find(id);
    const neff::Package& package = *model.ranks.at(rank).package;
    const Bound bound = resolve(package, rank, of(model.bindings, rank), bindings);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const std::string& name = package.tensors[i].name;
        if (!bound[i] || !neff::is_input(package.tensors[i].kind) || !inputs.contains(name)) continue;
        throw Error(fmt::format("input '{}' of kernel '{}' is given and bound to tensor '{}'", name,
                                package.name, tensors_.at(*bound[i]).name),
                    Status::ExecBadInput);
    }
    return loader::contents_of(package, inputs, is_bound(bound));
}

// Returns the addresses of this execution, indexed as Package::tensors.
std::vector<std::uint64_t> Session::addresses_of(std::vector<std::uint64_t> addresses,
                                                 const Bound& bound) const {
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (bound[i]) addresses[i] = tensors_.at(*bound[i]).address;
    }
    return addresses;
}

// Puts the images into memory, with descriptors for the tensors of this execution.
void Session::place(Model& model, const std::vector<Bound>& bound) {
    const bool written = std::exchange(model.written, true);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        Model::Rank& one = model.ranks[rank];
        std::vector<std::uint64_t> addresses = addresses_of(one.placed, bound[rank]);
        const bool moved = addresses != one.image.tensor_address;
        if (moved) loader::point_rings(*one.package, one.image, std::move(addresses));
        if (!device().here(rank)) continue;
        if (!written)
            write_image(device().core(rank), one.image);
        else if (moved)
            write_descriptors(device().core(rank), one.image);
    }
    if (!written && model.collectives) model.collectives->write();
}

Result Session::execute(ModelId model, const Arrays& inputs, const Run& run) {
    return execute_ranks(model, {&inputs, 1}, run).of(0);
}

Results Session::execute_ranks(ModelId id, std::span<const Arrays> inputs, const Run& run) {
    std::vector<Inputs> borrowed;
    for (const Arrays& arrays : inputs) borrowed.push_back(loader::borrowed(arrays));
    return execute_ranks(id, borrowed, run);
}

Results Session::execute_ranks(ModelId id, std::span<const Inputs> inputs, const Run& run) {
    std::vector<Contents> contents;
    if (run.checkpoints.resume == nullptr) {
        find(id);  // throws for a model that is not loaded
        if (inputs.size() != ranks())
            throw Error(fmt::format("inputs of {} ranks, expected {}", inputs.size(), ranks()),
                        Status::ExecBadInput);
        check_count(run.bindings.size(), "bindings");
        for (std::uint32_t rank = 0; rank < ranks(); ++rank)
            contents.push_back(
                of_rank(rank, [&] { return contents_of(id, inputs[rank], of(run.bindings, rank), rank); }));
    }
    return execute(find(id), contents, run, nullptr);
}

Results Session::execute_ranks(ModelId id, std::span<const Contents> contents, const Run& run) {
    if (run.checkpoints.resume == nullptr && contents.size() != ranks())
        throw Error(fmt::format("inputs of {} ranks, expected {}", contents.size(), ranks()),
                    Status::ExecBadInput);
    return execute(find(id), contents, run, nullptr);
}

Result Session::execute(ModelId id, const Contents& contents, const Run& run, const Observer* observer) {
    return execute(find(id), {&contents, 1}, run, observer).of(0);
}

void Session::check_count(std::size_t given, const char* what) const {
    if (given != 0 && given != ranks())
        throw Error(fmt::format("{} of {} ranks, expected {}", what, given, ranks()), Status::ExecBadInput);
}

// Adds the identity to the saved state, and checks that a resumed state is of this execution.
Checkpoints Session::with_identity(const Model& model, const Checkpoints& checkpoints) {
    if (!checkpoints.request && checkpoints.resume == nullptr) return checkpoints;
    const bool kept = checkpoints.resume != nullptr || checkpoints.request->save;
    if (kept && server_ && server_->has_faults())
        throw Error(
            "a checkpoint of a server whose links have faults, which it does not hold, expected none");
    const std::vector<LoadedPackage> loaded = model.loaded();
    for (const LoadedPackage& one : loaded)
        check_possible(*one.package, *one.image, device().perturbed().has_value());
    const checkpoint::Identity identity =
        server_ ? identity_of(*server_, loaded, model.collectives->bytes(), device().random_memory())
                : identity_of(config_, loaded.front(), device().random_memory());
    if (checkpoints.resume != nullptr) check_identity(checkpoints.resume->identity, identity);
    Checkpoints result = checkpoints;
    if (!result.request) return result;
    result.request = runtime::with_identity(*std::move(result.request), identity);
    // All processes give their chips; only the first one has the state.
    if (result.request->save && !device().leads()) result.request->save = [](checkpoint::SystemState&) {};
    return result;
}

Results Session::execute(Model& model, std::span<const Contents> contents, const Run& run,
                         const Observer* observer) {
    const auto has_queue = [](const Model::Rank& rank) { return rank.image.notifications.records != 0; };
    if (std::ranges::any_of(model.ranks, has_queue) && run.notifications.size() != ranks())
        throw Error("notification queues, expected a log for each rank");
    const std::vector<Bound> bound = resolve(model, run);
    try {
        Run checked = run;
        checked.checkpoints = with_identity(model, run.checkpoints);
        device().reset();
        place(model, bound);
        for (std::uint32_t rank = 0; run.checkpoints.resume == nullptr && rank < ranks(); ++rank) {
            if (!device().here(rank)) continue;
            const Model::Rank& one = model.ranks[rank];
            CoreAccess& core = device().core(rank);
            if (!device().random_memory())
                clear_outputs(core, *one.package, one.image, is_bound(bound[rank]));
            write_contents(core, one.image, contents[rank]);
        }
        return simulate(model, bound, checked, observer);
    } catch (const tlm::SimulationError&) {
        broken_ = true;
        throw;
    }
}

Results Session::simulate(Model& model, const std::vector<Bound>& bound, const Run& run,
                          const Observer* observer) {
    Device& device = this->device();
    CoreObservers own;
    for (std::uint32_t rank = 0; observer == nullptr && rank < ranks(); ++rank) {
        if (device.here(rank)) own.add(core(rank), *model.ranks[rank].package, run.trace);
    }
    if (observer == nullptr) relay_.attach(&own, run.listener);
    if (linked_ != nullptr && run.listener != nullptr) linked_->server().network().report_standings();
    struct Detach {
        Relay& relay;
        ~Detach() { relay.attach(nullptr); }
    };
    const Detach detach{relay_};
    std::optional<Recording> recording;
    if (run.wave) recording.emplace(device, *run.wave);
    const std::vector<LoadedPackage> loaded = model.loaded();
    Execution execution(
        device, loaded, config_, run,
        [&](std::uint32_t rank) -> const Observer& { return observer ? *observer : own.of(core(rank)); },
        server_.has_value());
    const auto finished = [&](Results& results) {
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            RankResult& one = results.ranks[rank];
            one.core_id = core(rank);
            if (!results.done() || !run.read_outputs || !one.here) continue;
            one.outputs = read_outputs(device.core(rank), *model.ranks[rank].package, model.ranks[rank].image,
                                       is_bound(bound[rank]), run.takes_outputs);
        }
    };
    Results results = execution.run([&] { begin(model, run); }, finished);
    if (recording) recording->end();
    return results;
}

// The cores of a server are also started if the execution continues from a checkpoint, so that the collective
// cores have the same programs.
void Session::begin(Model& model, const Run& run) {
    const checkpoint::SystemState* resume = run.checkpoints.resume;
    const auto start_cores = [&] {
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            if (device().here(rank)) start(device().core(rank), model.ranks[rank].image);
        }
    };
    if (linked_ == nullptr) return resume == nullptr ? start_cores() : device().load(*resume);
    start_cores();
    if (resume == nullptr) return model.collectives->start(run.rounding.seed, linked_->take_writes());
    model.collectives->load(linked_->take_writes());
    device().load(*resume);
}

}  // namespace trnsim::runtime
