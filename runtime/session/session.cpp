#include "runtime/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "compiler/neff/sizes.hpp"
#include "runtime/session/server_device.hpp"
#include "runtime/session/session_model.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::uint64_t TensorAlign = 4096;

}  // namespace

Session::Session(config::Config config, MachineFactory factory, const MachineOptions& options)
    : config_(std::move(config)),
      cores_{{0, options.core}},
      factory_(std::move(factory)),
      options_(options),
      hbm_(1, loader::Allocator(config_.hbm)) {}

Session::Session(config::Config config) : Session(std::move(config), {}, {}) {}

Session::Session(const config::Server& server, std::optional<std::uint32_t> ranks,
                 const MachineOptions& options)
    : config_(server.chip),
      cores_(cores_of(server, ranks)),
      options_(options),
      hbm_(server.chips(), loader::Allocator(config_.hbm)) {
    options_.sink = &relay_;
    auto device = std::make_unique<ServerDevice>(server, cores_, options_);
    server_ = device->server().description();
    linked_ = device.get();
    device_ = device.get();
    own_ = std::move(device);
}

Session::~Session() {
    close();
}

void Session::attach(Machine& machine) {
    if (device_ == &machine) return;
    device_ = &machine;
    for (auto& [id, model] : models_) model->written = false;
}

void Session::close() {
    models_.clear();
    for (const auto& [id, tensor] : tensors_) hbm_[core(tensor.rank).chip].free(tensor.address);
    tensors_.clear();
    device_ = nullptr;
    linked_ = nullptr;
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

void Session::check_rank(std::uint32_t rank) const {
    if (rank >= ranks()) throw Error(fmt::format("rank {}, expected one below {}", rank, ranks()));
}

Device& Session::device() {
    if (device_ == nullptr) {
        if (!factory_) throw std::logic_error("a session without a device");
        MachineOptions options = options_;
        options.sink = &relay_;
        own_ = factory_(config_, options);
        device_ = own_.get();
    }
    return *device_;
}

// A read of no bytes ends the elaboration: from then on no other system can be made in this process.
void Session::open() {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (!device().here(rank)) continue;
        device().core(rank).read(addresses::HbmBase, {});
        return;
    }
}

bool Session::here(std::uint32_t rank) const {
    check_rank(rank);
    return device_ == nullptr || device_->here(rank);
}

std::vector<std::string> Session::texts(const std::string& own) {
    return device().texts(own);
}

const config::Server& Session::server() const {
    if (!server_) throw std::logic_error("the server of a session with a chip");
    return *server_;
}

tlm::LinkedServer& Session::linked_server() {
    if (linked_ == nullptr) throw std::logic_error("the server of a session with a chip");
    return linked_->server();
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

ModelId Session::load(const std::shared_ptr<const neff::Package>& package, const LoadOptions& options) {
    return load(Packages(ranks(), package), options);
}

ModelId Session::load(Packages packages, const LoadOptions& options) {
    check_open();
    if (packages.size() != ranks())
        throw Error(fmt::format("{} packages, expected {}, one for each rank", packages.size(), ranks()));
    check_count(options.bindings.size(), "bindings");
    if (options.notifications != 0 && device_ != nullptr && !device_->whole())
        throw Error("notification queues of a server in several processes, expected one");
    auto model = std::make_unique<Model>();
    model->bindings = options.bindings;
    if (linked_ != nullptr)
        model->collectives = std::make_unique<Collectives>(linked_->server(), cores_, packages);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        of_rank(rank, [&] {
            const neff::Package& package = *packages[rank];
            const Bound bound = resolve(package, rank, of(options.bindings, rank), {});
            loader::Placed placed(package.tensors.size());
            for (std::size_t i = 0; i < bound.size(); ++i) {
                if (bound[i]) placed[i] = tensors_.at(*bound[i]).address;
            }
            Model::Rank& one =
                model->ranks.emplace_back(packages[rank], loader::Blocks(hbm_[core(rank).chip]));
            one.image =
                loader::plan(package, config_, one.blocks, placed, options.notifications, core(rank).core,
                             model->collectives ? model->collectives->begins(rank) : loader::Begins{});
            one.placed = one.image.tensor_address;
        });
    }
    model->place_collectives();
    const ModelId id{next_id_++};
    models_.emplace(id, std::move(model));
    return id;
}

void Session::unload(ModelId model) {
    find(model);
    models_.erase(model);
}

const neff::Package& Session::package(ModelId model, std::uint32_t rank) const {
    return *find(model).ranks.at(rank).package;
}

const Collectives& Session::collectives(ModelId model) const {
    const Model& found = find(model);
    if (!found.collectives) throw std::logic_error("collectives of a session with a chip");
    return *found.collectives;
}

TensorId Session::allocate(std::uint64_t bytes, const std::string& name, std::optional<std::size_t> stack,
                           std::uint32_t rank) {
    check_open();
    check_rank(rank);
    if (bytes == 0) throw Error(fmt::format("tensor '{}' of 0 bytes, expected at least 1", name));
    if (stack && *stack >= config_.hbm.stacks) {
        throw Error(fmt::format("tensor '{}' in HBM stack {}, expected one below {}", name, *stack,
                                config_.hbm.stacks));
    }
    DeviceTensor tensor{name, rank, 0, bytes};
    tensor.address =
        hbm_[core(rank).chip].allocate(bytes, TensorAlign, fmt::format("tensor '{}'", name), stack);
    const TensorId id{next_id_++};
    tensors_.emplace(id, std::move(tensor));
    return id;
}

TensorId Session::allocate(const neff::Tensor& type, std::optional<std::size_t> stack, std::uint32_t rank) {
    const TensorId id = allocate(neff::tensor_bytes(type), type.name, stack, rank);
    tensors_.at(id).type = type;
    return id;
}

void Session::free(TensorId tensor) {
    const DeviceTensor& there = this->tensor(tensor);
    for (const auto& [id, model] : models_) {
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            for (const auto& [name, bound] : of(model->bindings, rank)) {
                if (bound != tensor) continue;
                throw Error(
                    fmt::format("tensor '{}' is '{}' of kernel '{}', expected that to be unloaded first",
                                there.name, name, model->ranks[rank].package->name));
            }
        }
    }
    hbm_[core(there.rank).chip].free(there.address);
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
    if (device().here(there.rank)) device().core(there.rank).write(there.address + offset, data);
}

void Session::read(TensorId tensor, std::uint64_t offset, std::span<std::uint8_t> data) {
    const DeviceTensor& there = this->tensor(tensor);
    check_range(there, offset, data.size());
    if (!device().here(there.rank))
        throw Error(
            fmt::format("tensor '{}' is of rank {}, which another process has", there.name, there.rank));
    device().core(there.rank).read(there.address + offset, data);
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

}  // namespace trnsim::runtime
