#include "runtime/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "arch/addresses/addresses.hpp"
#include "base/time/time.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::uint64_t TensorAlign = 4096;

bool is_outside(neff::TensorKind kind) {
    return neff::is_input(kind) || neff::is_output(kind);
}

// Index of the tensor that may be bound as `name`.
std::size_t find_outside(const neff::Package& package, std::string_view name) {
    const auto tensor = std::ranges::find(package.tensors, name, &neff::Tensor::name);
    if (tensor == package.tensors.end() || !is_outside(tensor->kind)) {
        throw Error(fmt::format("kernel '{}' has no input or output '{}'; its inputs: {}; its outputs: {}",
                                package.name, name, loader::names_of(package, neff::is_input),
                                loader::names_of(package, neff::is_output)),
                    Status::ExecBadInput);
    }
    return static_cast<std::size_t>(tensor - package.tensors.begin());
}

void check_fits(const neff::Package& package, const neff::Tensor& wanted, const DeviceTensor& given) {
    const std::string place =
        fmt::format("kernel '{}', '{}' bound to tensor '{}': ", package.name, wanted.name, given.name);
    if (given.type && (given.type->dtype != wanted.dtype || given.type->shape != wanted.shape)) {
        throw Error(
            place + fmt::format("{}, expected {}", loader::type_text(*given.type), loader::type_text(wanted)),
            Status::ExecBadInput);
    }
    if (given.bytes != neff::tensor_bytes(wanted)) {
        throw Error(place + fmt::format("{} bytes, expected {} ({})", given.bytes, neff::tensor_bytes(wanted),
                                        loader::type_text(wanted)),
                    Status::ExecBadInput);
    }
}

// One place for two names is a race, unless both are read only.
void check_distinct(const neff::Package& package, const std::vector<std::optional<TensorId>>& bound) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
        for (std::size_t k = i + 1; k < bound.size(); ++k) {
            if (!bound[i] || bound[i] != bound[k]) continue;
            const neff::Tensor &a = package.tensors[i], &b = package.tensors[k];
            if (!neff::is_output(a.kind) && !neff::is_output(b.kind)) continue;
            throw Error(fmt::format("kernel '{}': '{}' and '{}' are bound to the same tensor, which the "
                                    "kernel writes",
                                    package.name, a.name, b.name),
                        Status::ExecBadInput);
        }
    }
}

// A waveform of an execution, closed also when that is left by an exception.
class Recording {
  public:
    Recording(Machine& machine, const WaveRequest& request) : machine_(&machine) {
        machine.record_wave(request);
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording() {
        if (machine_ != nullptr) machine_->close_wave();
    }
    // Throws Error when the file is not whole.
    void end() {
        const std::string failure = std::exchange(machine_, nullptr)->close_wave();
        if (!failure.empty()) throw Error(failure, Status::Failure);
    }

  private:
    Machine* machine_;
};

}  // namespace

struct Session::Model {
    std::shared_ptr<const neff::Package> package;
    Bindings bindings;
    loader::Blocks blocks;
    Image image;
    std::vector<std::uint64_t> own_address;  // of tensors with memory of the model; others are not meant
    bool written = false;                    // the image is in memory
};

Session::Session(config::Config config, MachineFactory factory, const MachineOptions& options)
    : config_(std::move(config)), factory_(std::move(factory)), options_(options), hbm_(config_.hbm) {}

Session::Session(config::Config config) : Session(std::move(config), {}, {}) {}

Session::~Session() {
    close();
}

void Session::attach(Machine& machine) {
    if (machine_ == &machine) return;
    machine_ = &machine;
    for (auto& [id, model] : models_) model->written = false;
}

void Session::close() {
    models_.clear();
    for (const auto& [id, tensor] : tensors_) hbm_.free(tensor.address);
    tensors_.clear();
    machine_ = nullptr;
    own_.reset();
    closed_ = true;
}

void Session::check_open() const {
    if (closed_) throw Error("the session is closed", Status::Closed);
    if (broken_) {
        throw Error("the simulation of this device broke off, expected a new process",
                    Status::ExecUnitUnrecoverable);
    }
}

Machine& Session::machine() {
    if (machine_ == nullptr) {
        if (!factory_) throw std::logic_error("a session without a device");
        MachineOptions options = options_;
        options.sink = &relay_;
        own_ = factory_(config_, options);
        machine_ = own_.get();
    }
    return *machine_;
}

// A read of nothing ends the elaboration: from then on no other system can be made in this process.
void Session::open() {
    machine().read(addresses::HbmBase, {});
}

Session::Model& Session::find(ModelId model) {
    return const_cast<Model&>(std::as_const(*this).find(model));
}

const Session::Model& Session::find(ModelId model) const {
    check_open();
    const auto found = models_.find(model);
    if (found == models_.end()) throw Error("no such model is loaded", Status::InvalidHandle);
    return *found->second;
}

const DeviceTensor& Session::tensor(TensorId tensor) const {
    check_open();
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end()) throw Error("no such tensor is allocated", Status::InvalidHandle);
    return found->second;
}

ModelId Session::load(neff::Package package, const LoadOptions& options) {
    return load(std::make_shared<const neff::Package>(std::move(package)), options);
}

ModelId Session::load(std::shared_ptr<const neff::Package> package, const LoadOptions& options) {
    check_open();
    const auto bound = resolve(*package, options.bindings, {});
    loader::Placed placed(package->tensors.size());
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (bound[i]) placed[i] = tensors_.at(*bound[i]).address;
    }
    auto model =
        std::make_unique<Model>(Model{std::move(package), options.bindings, loader::Blocks(hbm_), {}, {}});
    model->image =
        loader::plan(*model->package, config_, model->blocks, placed, options.notifications, options_.core);
    model->own_address = model->image.tensor_address;
    const ModelId id{next_id_++};
    models_.emplace(id, std::move(model));
    return id;
}

void Session::unload(ModelId model) {
    find(model);
    models_.erase(model);
}

const neff::Package& Session::package(ModelId model) const {
    return *find(model).package;
}

TensorId Session::allocate(std::uint64_t bytes, const std::string& name, std::optional<std::size_t> stack) {
    check_open();
    if (bytes == 0) throw Error(fmt::format("tensor '{}' of 0 bytes, expected at least 1", name));
    if (stack && *stack >= config_.hbm.stacks) {
        throw Error(fmt::format("tensor '{}' in HBM stack {}, expected one below {}", name, *stack,
                                config_.hbm.stacks));
    }
    DeviceTensor tensor{name, 0, bytes, {}};
    tensor.address = hbm_.allocate(bytes, TensorAlign, fmt::format("tensor '{}'", name), stack);
    const TensorId id{next_id_++};
    tensors_.emplace(id, std::move(tensor));
    return id;
}

TensorId Session::allocate(const neff::Tensor& type, std::optional<std::size_t> stack) {
    const TensorId id = allocate(neff::tensor_bytes(type), type.name, stack);
    tensors_.at(id).type = type;
    return id;
}

void Session::free(TensorId tensor) {
    const DeviceTensor& there = this->tensor(tensor);
    for (const auto& [id, model] : models_) {
        for (const auto& [name, bound] : model->bindings) {
            if (bound != tensor) continue;
            throw Error(fmt::format("tensor '{}' is '{}' of kernel '{}', expected that to be unloaded first",
                                    there.name, name, model->package->name));
        }
    }
    hbm_.free(there.address);
    tensors_.erase(tensor);
}

void Session::check_range(const DeviceTensor& tensor, std::uint64_t offset, std::uint64_t bytes) const {
    if (offset <= tensor.bytes && bytes <= tensor.bytes - offset) return;
    throw Error(fmt::format("{} bytes at offset {} of tensor '{}', which has {}", bytes, offset, tensor.name,
                            tensor.bytes));
}

void Session::write(TensorId tensor, std::uint64_t offset, std::span<const std::uint8_t> data) {
    const DeviceTensor& there = this->tensor(tensor);
    check_range(there, offset, data.size());
    machine().write(there.address + offset, data);
}

void Session::read(TensorId tensor, std::uint64_t offset, std::span<std::uint8_t> data) {
    const DeviceTensor& there = this->tensor(tensor);
    check_range(there, offset, data.size());
    machine().read(there.address + offset, data);
}

void Session::write(TensorId tensor, const npy::Array& array) {
    const DeviceTensor& there = this->tensor(tensor);
    if (!there.type) throw Error(fmt::format("tensor '{}' has bytes only, no type", there.name));
    write(tensor, 0, loader::to_device(*there.type, array));
}

npy::Array Session::read(TensorId tensor) {
    const DeviceTensor& there = this->tensor(tensor);
    if (!there.type) throw Error(fmt::format("tensor '{}' has bytes only, no type", there.name));
    std::vector<std::uint8_t> bytes(there.bytes);
    read(tensor, 0, bytes);
    return loader::from_device(*there.type, std::move(bytes));
}

std::vector<std::optional<TensorId>> Session::resolve(const neff::Package& package, const Bindings& always,
                                                      const Bindings& now) const {
    std::vector<std::optional<TensorId>> bound(package.tensors.size());
    for (const Bindings* bindings : {&always, &now}) {
        for (const auto& [name, id] : *bindings) {
            const std::size_t index = find_outside(package, name);
            check_fits(package, package.tensors[index], tensor(id));
            bound[index] = id;
        }
    }
    check_distinct(package, bound);
    return bound;
}

Contents Session::contents_of(ModelId id, const Arrays& inputs, const Bindings& bindings) const {
    const Model& model = find(id);
    const neff::Package& package = *model.package;
    const auto bound = resolve(package, model.bindings, bindings);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const std::string& name = package.tensors[i].name;
        if (!bound[i] || !neff::is_input(package.tensors[i].kind) || !inputs.contains(name)) continue;
        throw Error(fmt::format("input '{}' of kernel '{}' is given and bound to tensor '{}'", name,
                                package.name, tensors_.at(*bound[i]).name),
                    Status::ExecBadInput);
    }
    return loader::contents_of(package, inputs, [&](std::size_t i) { return bound[i].has_value(); });
}

// Descriptors that lead to the tensors of this execution.
void Session::place(Model& model, const std::vector<std::optional<TensorId>>& bound) {
    std::vector<std::uint64_t> addresses = model.own_address;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (bound[i]) addresses[i] = tensors_.at(*bound[i]).address;
    }
    const bool moved = addresses != model.image.tensor_address;
    if (moved) point_rings(*model.package, model.image, std::move(addresses));
    if (!std::exchange(model.written, true)) {
        write_image(machine(), model.image);
    } else if (moved) {
        write_descriptors(machine(), model.image);
    }
}

Result Session::execute(ModelId model, const Arrays& inputs, const ExecuteOptions& options) {
    return execute(model, contents_of(model, inputs, options.bindings), options);
}

Result Session::execute(ModelId id, const Contents& contents, const ExecuteOptions& options,
                        const Observer* observer) {
    Model& model = find(id);
    if (model.image.notifications.records != 0 && options.notifications == nullptr)
        throw std::logic_error("a notification queue without a log");
    const auto bound = resolve(*model.package, model.bindings, options.bindings);
    try {
        machine().reset();
        place(model, bound);
        const IsBound is_bound = [&](std::size_t i) { return bound[i].has_value(); };
        if (options.checkpoints.resume == nullptr) {
            clear_outputs(machine(), *model.package, model.image, is_bound);
            write_contents(machine(), model.image, contents);
        }
        Result result = run(model, options, observer);
        if (!result.done() || !options.read_outputs) return result;
        result.outputs = read_outputs(machine(), *model.package, model.image, is_bound);
        return result;
    } catch (const tlm::SimulationError&) {
        broken_ = true;
        throw;
    }
}

// What is saved says whose it is, and what is resumed has to be of this execution.
Checkpoints Session::with_identity(const Model& model, const Checkpoints& checkpoints) {
    const checkpoint::Identity identity =
        identity_of(config_, {model.package.get(), &model.image}, machine().random_memory());
    if (checkpoints.resume != nullptr) check_identity(checkpoints.resume->identity, identity);
    Checkpoints result = checkpoints;
    if (result.request) result.request = runtime::with_identity(*std::move(result.request), identity);
    return result;
}

Result Session::run(Model& model, const ExecuteOptions& options, const Observer* observer) {
    const ExecutionLimits limits{
        options.max_time, config_.runtime.idle_instructions,
        // One record a core cycle at most.
        static_cast<std::uint64_t>(model.image.notifications.records / 2.0 *
                                   (FsPerSecond / static_cast<double>(config_.core.clock)))};
    std::optional<Observer> own;
    if (observer == nullptr)
        relay_.attach(&own.emplace(*model.package, options.trace, addresses::CoreId{0, options_.core}),
                      options.listener);
    struct Detach {
        Relay& relay;
        ~Detach() { relay.attach(nullptr); }
    };
    const Detach detach{relay_};
    std::optional<Recording> recording;
    if (options.wave) recording.emplace(machine(), *options.wave);
    Result result = run_image(machine(), *model.package, model.image, options.rounding, limits,
                              observer == nullptr ? *own : *observer, options.progress, options.notifications,
                              with_identity(model, options.checkpoints));
    if (recording) recording->end();
    return result;
}

}  // namespace trnsim::runtime
