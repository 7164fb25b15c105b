// A session with a device, the cores of a chip or of a server: packages are loaded once and executed many
// times with other inputs, tensors stay in the device's memory between executions.
//
//     runtime::Session one(config::load("trn1"), runtime::chip_of_process);
//     runtime::Session many(tlm::load_server("trn1-4"), 8);
//     const runtime::ModelId model = many.load(package);                    // for all ranks, or one for each
//     const runtime::Results results = many.execute_ranks(model, inputs);   // by rank
//
// Rank r is the r-th core of a server, counting the slots that its file does not leave empty, chip by chip.
// Slots after the last rank stay empty. A single chip has one core, of rank 0.
//
// Its calls are those of libnrt (docs/session.md). Every execution starts from the same state of cores and
// DMA engines, so the same inputs give the same bits and cycles independently of earlier executions; memory
// keeps its contents. A call that cannot be served throws Error with a Status and changes nothing. A failed
// execution is a result with its Status, and the session continues; only a simulation that breaks off (a
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
    // By rank, or none: inputs and outputs that are these tensors in every execution. They need no memory of
    // the package.
    std::vector<Bindings> bindings{};
    // Records of the notification queue's buffer of each rank, a power of two; 0: no queue.
    std::uint32_t notifications = 0;
};

// A tensor in HBM.
struct DeviceTensor {
    std::string name;
    std::uint32_t rank = 0;  // rank of the chip with the memory
    std::uint64_t address = 0, bytes = 0;
    std::optional<neff::Tensor> type{};  // element type and shape, if it has them
};

class Session {
  public:
    // Makes a session with one core of a chip. The device is made when it is first needed.
    Session(config::Config config, MachineFactory factory, const MachineOptions& options = {});
    // Makes a session for a device that the caller makes. The caller also passes its observer to execute(),
    // and calls attach() before the first call that needs the device.
    explicit Session(config::Config config);
    // Makes a session with cores of a server, which is made now; a process can have one. `ranks` is by
    // default the number of the server's cores. With MachineOptions::exchange there are other processes, each
    // of which makes the same session, calls the same functions of it with the same arguments, and has the
    // ranks of some of the chips; they execute once. Throws Error when the server has fewer cores than ranks,
    // and as ServerDevice does.
    explicit Session(const config::Server& server, std::optional<std::uint32_t> ranks = {},
                     const MachineOptions& options = {});
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();
    void attach(Machine& machine);
    // Makes the device now, so that a process that cannot have it fails before anything else.
    void open();

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores_.size()); }
    addresses::CoreId core(std::uint32_t rank) const { return cores_.at(rank); }
    // Returns whether the rank is in this process.
    bool here(std::uint32_t rank) const;
    // Returns the text of each process, by process.
    std::vector<std::string> texts(const std::string& own);
    // Returns the configuration of a chip, also for a server.
    const config::Config& config() const { return config_; }
    // These need a session with cores of a server; they throw std::logic_error for another one.
    const config::Server& server() const;
    tlm::LinkedServer& linked_server();

    // Checks the packages, one for each rank or one for all of them, and takes memory for their tensors,
    // rings, tables and programs. Their collectives are those of all ranks: all packages have the same ones
    // in the same order.
    ModelId load(Packages packages, const LoadOptions& options = {});
    ModelId load(const std::shared_ptr<const neff::Package>& package, const LoadOptions& options = {});
    ModelId load(neff::Package package, const LoadOptions& options = {});
    void unload(ModelId model);
    const neff::Package& package(ModelId model, std::uint32_t rank = 0) const;
    // Returns the collectives of the kernels of a model, in a session with cores of a server.
    const Collectives& collectives(ModelId model) const;

    // Takes memory of a rank's chip; its initial content is undefined. `stack` is the HBM stack to use.
    TensorId allocate(std::uint64_t bytes, const std::string& name, std::optional<std::size_t> stack = {},
                      std::uint32_t rank = 0);
    // Does the same with element type and shape, which bindings then check; its kind does not matter.
    TensorId allocate(const neff::Tensor& type, std::optional<std::size_t> stack = {},
                      std::uint32_t rank = 0);
    void free(TensorId tensor);  // refused while a loaded package has it bound
    const DeviceTensor& tensor(TensorId tensor) const;
    // In several processes, the one that has the rank writes, and it alone can read.
    void write(TensorId tensor, std::uint64_t offset, std::span<const std::uint8_t> data);
    void read(TensorId tensor, std::uint64_t offset, std::span<std::uint8_t> data);
    // Access whole tensors that have a type.
    void write(TensorId tensor, const npy::Array& array);
    npy::Array read(TensorId tensor);

    // Returns the values that an execution would write for a rank: the inputs that are not bound, in storage
    // bytes, which are made when they are needed. Throws as it does. Arrays must outlive the contents.
    Contents contents_of(ModelId model, const Inputs& inputs, const Bindings& bindings = {},
                         std::uint32_t rank = 0) const;
    Contents contents_of(ModelId model, const Arrays& inputs, const Bindings& bindings = {},
                         std::uint32_t rank = 0) const;

    // `inputs` is by rank. It is ignored if the run continues from a checkpoint, which has the inputs.
    Results execute_ranks(ModelId model, std::span<const Arrays> inputs, const Run& run = {});
    Results execute_ranks(ModelId model, std::span<const Inputs> inputs, const Run& run = {});
    // `contents` are those of contents_of(), by rank.
    Results execute_ranks(ModelId model, std::span<const Contents> contents, const Run& run = {});
    // The session must have one rank.
    Result execute(ModelId model, const Arrays& inputs, const Run& run = {});
    // `observer` gets the reports of the device if the session has not made it.
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

    std::optional<config::Server> server_;  // nullopt: one core of a chip
    config::Config config_;                 // configuration of a chip
    std::vector<addresses::CoreId> cores_;  // by rank
    MachineFactory factory_;
    MachineOptions options_;
    Relay relay_;
    std::unique_ptr<Device> own_;
    Device* device_ = nullptr;
    ServerDevice* linked_ = nullptr;      // the same device if it is a server
    std::vector<loader::Allocator> hbm_;  // by chip
    std::map<ModelId, std::unique_ptr<Model>> models_;
    std::map<TensorId, DeviceTensor> tensors_;
    std::uint64_t next_id_ = 1;
    bool closed_ = false, broken_ = false;
};

}  // namespace trnsim::runtime
