// A session with a device, the cores of a chip or of a server: packages are loaded once and executed many times with other
// inputs, tensors stay in the device's memory between executions.
//
//     runtime::Session one(config::load("trn1"), runtime::chip_of_process);
//     runtime::Session many(tlm::load_server("trn1-4"), 8);
//     const runtime::ModelId model = many.load(package);                       // one for all ranks, or one for each
//     const runtime::Results results = many.execute_ranks(model, inputs);      // by rank
//
// Rank r is the r-th core of a server: of the slots that its file does not leave empty, chip by chip. Slots behind the last
// rank stay empty. A chip by itself has one core, of rank 0.
//
// Its calls are those of libnrt (docs/session.md). Every execution starts from the same state of cores and DMA
// engines, so the same inputs give the same bits and cycles whatever was executed before; memory keeps what
// it holds. A call that cannot be served throws Error with a Status and changes nothing. An execution that
// goes wrong is a result with its Status, and the session goes on; only a simulation that breaks off (a
// failed assertion in the RTL) ends it: tlm::SimulationError, and Error (ExecUnitUnrecoverable) from then on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "model/simulation/simulation.hpp"
#include "runtime/loader/allocator.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/contents.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/for_ranks.hpp"
#include "runtime/session/machine_factory.hpp"
#include "runtime/session/observer.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::tlm {
class LinkedServer;
}

namespace trnsim::runtime {

class Collectives;
class ServerDevice;

using Packages = std::vector<std::shared_ptr<const neff::Package>>;  // by rank

struct LoadOptions {
    // By rank, or none: inputs and outputs that are these tensors in every execution. They need no memory of the package.
    std::vector<Bindings> bindings{};
    // Records of the notification queue's buffer of each rank, a power of two; 0: no queue.
    std::uint32_t notifications = 0;
};

// A tensor in HBM.
struct DeviceTensor {
    std::string name;
    std::uint32_t rank = 0;  // in the memory of whose chip it is
    std::uint64_t address = 0, bytes = 0;
    std::optional<neff::Tensor> type{};  // element type and shape, where it has them
};

class Session {
  public:
    // One core of a chip. The device is made when it is first needed.
    Session(config::Config config, MachineFactory factory, const MachineOptions& options = {});
    // On a device that somebody else has made, who also hands its observer to execute(); attach() before the
    // first call that needs the device.
    explicit Session(config::Config config);
    // Cores of a server, which is made now; one a process. `ranks`: as many as the server has cores unless it is given.
    // MachineOptions::exchange: with other processes, each of which makes the same session, calls the same functions of it with
    // the same arguments, and has the ranks of some of the chips; they execute once. Throws Error when the server has fewer
    // cores than ranks, and as ServerDevice does.
    explicit Session(const config::Server& server, std::optional<std::uint32_t> ranks = {},
                     const MachineOptions& options = {});
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();
    void attach(Machine& machine);
    // Makes the device now, so that a process that cannot have it hears so before anything else.
    void open();

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores_.size()); }
    addresses::CoreId core(std::uint32_t rank) const { return cores_.at(rank); }
    // The rank is in this process.
    bool here(std::uint32_t rank) const;
    // What each process gives, by process.
    std::vector<std::string> texts(const std::string& own);
    // This is the configuration of a chip, of the server as well.
    const config::Config& config() const { return config_; }
    // The session has cores of a server; these throw std::logic_error for another.
    const config::Server& server() const;
    tlm::LinkedServer& linked_server();

    // Checks the packages, one for each rank or one for all of them, takes memory for their tensors, rings, tables and
    // programs. Collectives of theirs are those of all ranks: all packages have the same ones in the same order.
    ModelId load(Packages packages, const LoadOptions& options = {});
    ModelId load(const std::shared_ptr<const neff::Package>& package, const LoadOptions& options = {});
    ModelId load(neff::Package package, const LoadOptions& options = {});
    void unload(ModelId model);
    const neff::Package& package(ModelId model, std::uint32_t rank = 0) const;
    // Of the kernels of a model, in a session with cores of a server.
    const Collectives& collectives(ModelId model) const;

    // Memory of a rank's chip; what it holds at first is not defined. `stack`: the HBM stack to be in.
    TensorId allocate(std::uint64_t bytes, const std::string& name, std::optional<std::size_t> stack = {},
                      std::uint32_t rank = 0);
    // With element type and shape, which bindings then check; its kind does not matter.
    TensorId allocate(const neff::Tensor& type, std::optional<std::size_t> stack = {},
                      std::uint32_t rank = 0);
    void free(TensorId tensor);  // refused while a loaded package has it bound
    const DeviceTensor& tensor(TensorId tensor) const;
    // Of several processes that which has the rank writes, and it alone can read.
    void write(TensorId tensor, std::uint64_t offset, std::span<const std::uint8_t> data);
    void read(TensorId tensor, std::uint64_t offset, std::span<std::uint8_t> data);
    // Whole tensors that have a type.
    void write(TensorId tensor, const npy::Array& array);
    npy::Array read(TensorId tensor);

    // What an execution would write for a rank: the inputs that are not bound, in storage bytes. Throws as it does.
    Contents contents_of(ModelId model, const Arrays& inputs, const Bindings& bindings = {},
                         std::uint32_t rank = 0) const;

    // `inputs`: by rank. Not looked at where the run goes on from a checkpoint, which has them.
    Results execute_ranks(ModelId model, std::span<const Arrays> inputs, const Run& run = {});
    // The session has one rank.
    Result execute(ModelId model, const Arrays& inputs, const Run& run = {});
    // `observer`: what the device reports to, where the session has not made it.
    Result execute(ModelId model, const Contents& contents, const Run& run = {},
                   const Observer* observer = nullptr);

    const loader::Allocator& memory(std::uint32_t rank = 0) const { return hbm_.at(core(rank).chip); }

    // Unloads and frees everything and gives the device back. Every later call throws Error (Closed).
    void close();

  private:
    struct Model;
    using Bound = std::vector<std::optional<TensorId>>;  // by Package::tensors

    Model& find(ModelId model);
    const Model& find(ModelId model) const;
    Device& device();
    void check_open() const;
    void check_rank(std::uint32_t rank) const;
    void check_range(const DeviceTensor& tensor, std::uint64_t offset, std::uint64_t bytes) const;
    template <typename Work>
    auto of_rank(std::uint32_t rank, Work work) const;
    Bound resolve(const neff::Package& package, std::uint32_t rank, const Bindings& always,
                  const Bindings& now) const;
    std::vector<Bound> resolve(const Model& model, const Run& run) const;
    std::vector<std::uint64_t> addresses_of(std::vector<std::uint64_t> addresses, const Bound& bound) const;
    void check_count(std::size_t given, const char* what) const;
    void place(Model& model, const std::vector<Bound>& bound);
    Results execute(Model& model, std::span<const Contents> contents, const Run& run,
                    const Observer* observer);
    Results simulate(Model& model, const std::vector<Bound>& bound, const Run& run, const Observer* observer);
    void begin(Model& model, const Run& run);
    Checkpoints with_identity(const Model& model, const Checkpoints& checkpoints);

    std::optional<config::Server> server_;  // none: one core of a chip
    config::Config config_;                 // of a chip
    std::vector<addresses::CoreId> cores_;  // by rank
    MachineFactory factory_;
    MachineOptions options_;
    Relay relay_;
    std::unique_ptr<Device> own_;
    Device* device_ = nullptr;
    ServerDevice* linked_ = nullptr;      // of a server, the same
    std::vector<loader::Allocator> hbm_;  // of each chip
    std::map<ModelId, std::unique_ptr<Model>> models_;
    std::map<TensorId, DeviceTensor> tensors_;
    std::uint64_t next_id_ = 1;
    bool closed_ = false, broken_ = false;
};

}  // namespace trnsim::runtime
