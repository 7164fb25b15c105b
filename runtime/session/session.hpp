// A session with a device: packages are loaded once and executed many times with other inputs, tensors stay
// in the device's memory between executions.
//
// Its calls are those of libnrt (docs/session.md). Every execution starts from the same state of core and DMA
// engines, so the same inputs give the same bits and cycles whatever was executed before; memory keeps what
// it holds. A call that cannot be served throws Error with a Status and changes nothing. An execution that
// goes wrong is a Result with its Status, and the session goes on; only a simulation that breaks off (a
// failed assertion in the RTL) ends it: tlm::SimulationError, and Error (ExecUnitUnrecoverable) from then on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/loader/allocator.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/contents.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/execution.hpp"
#include "runtime/session/machine_factory.hpp"
#include "runtime/session/relay.hpp"

namespace trnsim::runtime {

// Handles; none is given twice.
enum class ModelId : std::uint64_t {};
enum class TensorId : std::uint64_t {};

// Tensors of the device by name of an input or output.
using Bindings = std::map<std::string, TensorId, std::less<>>;

struct LoadOptions {
    // Inputs and outputs that are these tensors in every execution. They need no memory of the package.
    Bindings bindings{};
    // Records of the notification queue's buffer, a power of two; 0: no queue.
    std::uint32_t notifications = 0;
};

struct ExecuteOptions {
    Bindings bindings{};  // of this execution, before those of load()
    Rounding rounding{};
    std::uint64_t max_time = 0;  // fs of simulated time after which it is stopped; 0: none
    ProgressFunction progress{};
    Tracks* trace = nullptr;
    std::optional<WaveRequest> wave{};         // of this execution
    tlm::trace::Sink* listener = nullptr;      // gets what the device reports, where the session has made it
    NotificationLog* notifications = nullptr;  // needed where load() asked for a queue
    // Throw Error where there is something that no checkpoint has, and for a state of another execution; not for packages whose tensors
    // are bound.
    Checkpoints checkpoints{};
    bool read_outputs = true;  // those that are not bound come back as arrays
};

// A tensor in HBM.
struct DeviceTensor {
    std::string name;
    std::uint64_t address = 0, bytes = 0;
    std::optional<neff::Tensor> type;  // element type and shape, where it has them
};

class Session {
  public:
    // The device is made when it is first needed.
    Session(config::Config config, MachineFactory factory, const MachineOptions& options = {});
    // On a device that somebody else has made, who also hands its observer to execute(); attach() before the
    // first call that needs the device.
    explicit Session(config::Config config);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();
    void attach(Machine& machine);
    // Makes the device now, so that a process that cannot have it hears so before anything else.
    void open();

    const config::Config& config() const { return config_; }

    // Checks the package, takes memory for its tensors, rings, tables and programs.
    ModelId load(std::shared_ptr<const neff::Package> package, const LoadOptions& options = {});
    ModelId load(neff::Package package, const LoadOptions& options = {});
    void unload(ModelId model);
    const neff::Package& package(ModelId model) const;

    // Memory of the device; what it holds at first is not defined. `stack`: the HBM stack to be in.
    TensorId allocate(std::uint64_t bytes, const std::string& name, std::optional<std::size_t> stack = {});
    // With element type and shape, which bindings then check; its kind does not matter.
    TensorId allocate(const neff::Tensor& type, std::optional<std::size_t> stack = {});
    void free(TensorId tensor);  // refused while a loaded package has it bound
    const DeviceTensor& tensor(TensorId tensor) const;
    void write(TensorId tensor, std::uint64_t offset, std::span<const std::uint8_t> data);
    void read(TensorId tensor, std::uint64_t offset, std::span<std::uint8_t> data);
    // Whole tensors that have a type.
    void write(TensorId tensor, const npy::Array& array);
    npy::Array read(TensorId tensor);

    // What execute() would write: the inputs that are not bound, in storage bytes. Throws as it does.
    Contents contents_of(ModelId model, const Arrays& inputs, const Bindings& bindings = {}) const;

    Result execute(ModelId model, const Arrays& inputs, const ExecuteOptions& options = {});
    // `observer`: what the device reports to, where the session has not made it.
    Result execute(ModelId model, const Contents& contents, const ExecuteOptions& options = {},
                   const Observer* observer = nullptr);

    const loader::Allocator& memory() const { return hbm_; }

    // Unloads and frees everything and gives the device back. Every later call throws Error (Closed).
    void close();

  private:
    struct Model;

    Model& find(ModelId model);
    const Model& find(ModelId model) const;
    Machine& machine();
    void check_open() const;
    void check_range(const DeviceTensor& tensor, std::uint64_t offset, std::uint64_t bytes) const;
    std::vector<std::optional<TensorId>> resolve(const neff::Package& package, const Bindings& always,
                                                 const Bindings& now) const;
    void place(Model& model, const std::vector<std::optional<TensorId>>& bound);
    Result run(Model& model, const ExecuteOptions& options, const Observer* observer);
    Checkpoints with_identity(const Model& model, const Checkpoints& checkpoints);

    config::Config config_;
    MachineFactory factory_;
    MachineOptions options_;
    Relay relay_;
    std::unique_ptr<Machine> own_;
    Machine* machine_ = nullptr;
    loader::Allocator hbm_;
    std::map<ModelId, std::unique_ptr<Model>> models_;
    std::map<TensorId, DeviceTensor> tensors_;
    std::uint64_t next_id_ = 1;
    bool closed_ = false, broken_ = false;
};

}  // namespace trnsim::runtime
