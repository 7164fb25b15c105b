#include "runtime/session/session.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>

#include "model/estimates/tables.hpp"
#include "model/system/load_server.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/names.hpp"
#include "python/src/recordings.hpp"
#include "python/src/whole.hpp"
#include "runtime/communicator/server_statistics.hpp"
#include "runtime/session/chip_of_process.hpp"
#include "runtime/session/collectives.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/session/unwritten.hpp"
#include "testbench/trial/ranks.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using runtime::ModelId;
using runtime::TensorId;

using WaveCycles = std::pair<Whole<"wave_cycles", std::uint64_t>, Whole<"wave_cycles", std::uint64_t>>;
using Ids = std::map<std::string, std::uint64_t>;  // of tensors, by name

// What an execution gave, by rank where it is a list.
struct Execution {
    int status = 0;
    std::string message;
    std::uint64_t time = 0;               // fs
    std::vector<std::string> statistics;  // JSON
    std::vector<std::uint64_t> cycles;
    std::vector<std::vector<std::string>> printed;
    std::vector<std::string> unwritten;  // runtime::unwritten_reads()
    nb::list outputs;
};

// `inputs` must outlive the result.
std::vector<loader::Inputs> inputs_of(const std::vector<nb::dict>& inputs) {
    std::vector<loader::Inputs> all;
    for (const nb::dict& one : inputs) all.push_back(to_inputs(one));
    return all;
}

std::vector<runtime::Bindings> to_bindings(const std::vector<Ids>& ranks) {
    std::vector<runtime::Bindings> all;
    for (const Ids& ids : ranks) {
        runtime::Bindings& bindings = all.emplace_back();
        for (const auto& [name, id] : ids) bindings.emplace(name, TensorId{id});
    }
    return all;
}

runtime::Fidelity parse_fidelity(const std::string& name) {
    const auto fidelity = runtime::fidelity_of(name);
    if (!fidelity) throw runtime::Error(fmt::format("fidelity '{}': expected rtl or fast", name));
    return *fidelity;
}

// A Session whose calls let other Python threads run and come one after the other.
class Session {
    template <typename Work>
    auto call(Work work) {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        return work();
    }

  public:
    Session(const config::Config& config, const runtime::MachineOptions& options)
        : session_(config, runtime::chip_of_process, options), tables_(estimates::load_tables()) {
        session_.open();
    }
    Session(const config::Server& server, const runtime::MachineOptions& options)
        : session_(server, {}, options), tables_(estimates::load_tables()), is_server_(true) {
        session_.open();
    }

    std::uint32_t ranks() const { return session_.ranks(); }

    std::uint64_t load(const std::vector<const neff::Package*>& packages, const std::vector<Ids>& bindings,
                       const Whole<"notifications">& notifications) {
        runtime::Packages copies;
        for (const neff::Package* package : packages) {
            if (copies.empty() || package != packages.front())
                copies.push_back(std::make_shared<const neff::Package>(*package));
            else
                copies.push_back(copies.front());
        }
        const runtime::LoadOptions options{to_bindings(bindings), notifications};
        return call([&] { return static_cast<std::uint64_t>(session_.load(copies, options)); });
    }
    void unload(std::uint64_t model) {
        call([&] { session_.unload(ModelId{model}); });
    }
    std::uint64_t allocate(const std::string& name, const Name<isa::Dtype>& dtype,
                           const std::vector<Whole<"shape", std::uint64_t>>& shape,
                           const std::optional<Whole<"stack", std::uint64_t>>& stack,
                           const Whole<"rank">& rank) {
        const neff::Tensor type{name, neff::TensorKind::Input, dtype, plain(shape)};
        const std::uint32_t whose = rank;
        return call([&] { return static_cast<std::uint64_t>(session_.allocate(type, stack, whose)); });
    }
    void free(std::uint64_t tensor) {
        call([&] { session_.free(TensorId{tensor}); });
    }
    void write(std::uint64_t tensor, const nb::handle& handle) {
        const npy::Array array = to_array(handle);
        call([&] { session_.write(TensorId{tensor}, array); });
    }
    nb::tuple read(std::uint64_t tensor) {
        return to_python(call([&] { return session_.read(TensorId{tensor}); }));
    }
    std::uint64_t address(std::uint64_t tensor) {
        return call([&] { return session_.tensor(TensorId{tensor}).address; });
    }
    void close() {
        call([&] { session_.close(); });
    }

    // Algorithm of each call of the kernels, in their order.
    std::vector<std::string> collectives(std::uint64_t model) {
        if (!is_server_) return {};
        return call([&] {
            std::vector<std::string> names;
            for (const runtime::Collectives::Call& call : session_.collectives(ModelId{model}).calls())
                names.emplace_back(collectives::name(call.algorithm));
            return names;
        });
    }

    std::string server_statistics() {
        if (!is_server_)
            throw runtime::Error("a session with a chip, expected one with a server, whose links count");
        return call([&] { return communicator::server_statistics(session_.linked_server()); });
    }

    Execution execute(std::uint64_t id, const std::vector<nb::dict>& inputs, const std::vector<Ids>& bindings,
                      runtime::Run run, const RecordingOptions& recordings) {
        const ModelId model{id};
        const std::vector<loader::Inputs> arrays = inputs_of(inputs);
        run.bindings = to_bindings(bindings);
        bool interrupted = false;
        run.progress = [&](const runtime::Progress&) {
            const nb::gil_scoped_acquire acquire;
            interrupted = interrupted || PyErr_CheckSignals() != 0;  // the exception is set then
            return !interrupted;
        };
        Execution execution;
        runtime::Results results = call([&] {
            runtime::Results all =
                record(session_, model, arrays, std::move(run), recordings, is_server_, interrupted);
            for (std::uint32_t rank = 0; !interrupted && rank < ranks(); ++rank)
                execution.statistics.push_back(runtime::to_json(all.of(rank), session_.package(model, rank),
                                                                session_.config(), tables_));
            return all;
        });
        if (interrupted) throw nb::python_error();
        execution.status = static_cast<int>(results.status);
        execution.message = results.message;
        execution.time = results.time;
        for (runtime::RankResult& rank : results.ranks) {
            execution.cycles.push_back(rank.figures.cycles);
            execution.printed.push_back(rank.printed);
            const auto number = static_cast<std::uint32_t>(execution.unwritten.size());
            execution.unwritten.push_back(
                runtime::unwritten_reads(rank.figures, session_.package(model, number)));
            execution.outputs.append(to_python(std::move(rank.outputs)));
        }
        return execution;
    }

    // What the interpreter gives for the outputs of a model's kernels, in storage bytes by rank and name.
    nb::list interpret(std::uint64_t id, const std::vector<nb::dict>& inputs, bool stochastic,
                       const Whole<"seed">& given_seed, const Whole<"order", std::uint64_t>& given_order) {
        const ModelId model{id};
        const std::uint32_t seed = given_seed;
        const std::uint64_t order = given_order;
        const std::vector<loader::Inputs> arrays = inputs_of(inputs);
        const std::vector<trial::Contents> outputs = call([&] {
            std::vector<trial::Trial> trials;
            std::vector<addresses::CoreId> cores;
            for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
                const neff::Package& package = session_.package(model, rank);
                trials.push_back({session_.config(), package, bytes_of(package, arrays.at(rank))});
                cores.push_back(session_.core(rank));
            }
            const functional::Options options = functional::in_order(order, {stochastic, seed});
            if (!is_server_) return std::vector{trial::interpret(trials.front(), options)};
            return trial::interpret_ranks(trials, trial::carry_out_on(session_.server(), cores, seed),
                                          options);
        });
        nb::list list;
        for (const trial::Contents& one : outputs) {
            nb::dict dict;
            for (const auto& [name, bytes] : one) dict[name.c_str()] = nb::bytes(bytes.data(), bytes.size());
            list.append(dict);
        }
        return list;
    }

  private:
    std::mutex mutex_;
    runtime::Session session_;
    estimates::Tables tables_;
    bool is_server_ = false;
};

void bind_execution(nb::module_& module) {
    nb::class_<Execution>(module, "Execution")
        .def_ro("status", &Execution::status)
        .def_ro("message", &Execution::message)
        .def_ro("time", &Execution::time)
        .def_ro("statistics", &Execution::statistics)
        .def_ro("cycles", &Execution::cycles)
        .def_ro("printed", &Execution::printed)
        .def_ro("unwritten", &Execution::unwritten)
        .def_ro("outputs", &Execution::outputs);
}

// Of the ranks of a server where one is named, else of a chip's core.
void make(Session* session, const std::optional<config::Config>& config,
          const std::optional<std::string>& server, const std::optional<Whole<"ranks">>& ranks,
          const std::vector<Whole<"rtl_ranks">>& rtl_ranks, const std::vector<std::string>& settings,
          const std::string& fidelity, const Whole<"threads">& threads,
          const std::optional<Whole<"perturb">>& perturb,
          const std::optional<Whole<"random_memory">>& random_memory) {
    const runtime::MachineOptions options{.perturb = perturb,
                                          .random_memory = random_memory,
                                          .fidelity = parse_fidelity(fidelity),
                                          .threads = threads};
    if (!server) {
        new (session) Session(config.value(), options);
        return;
    }
    config::Server description = tlm::load_server(*server, settings);
    if (config) description.chip = *config;
    const auto count = ranks ? std::optional<std::uint32_t>(*ranks) : std::nullopt;
    new (session) Session(runtime::for_ranks(description, count, plain(rtl_ranks)), options);
}

}  // namespace

void bind_session(nb::module_& module) {
    bind_execution(module);
    nb::class_<Session>(module, "Session")
        .def("__init__", &make, nb::arg("config").none(), nb::arg("server").none(), nb::arg("ranks").none(),
             nb::arg("rtl_ranks"), nb::arg("settings"), nb::arg("fidelity"), nb::arg("threads"),
             nb::arg("perturb").none(), nb::arg("random_memory").none())
        .def_prop_ro("ranks", &Session::ranks)
        .def("load", &Session::load, nb::arg("packages"), nb::arg("bindings"), nb::arg("notifications"))
        .def("unload", &Session::unload, nb::arg("model"))
        .def("allocate", &Session::allocate, nb::arg("name"), nb::arg("dtype"), nb::arg("shape"),
             nb::arg("stack").none(), nb::arg("rank"))
        .def("free", &Session::free, nb::arg("tensor"))
        .def("write", &Session::write, nb::arg("tensor"), nb::arg("array"))
        .def("read", &Session::read, nb::arg("tensor"))
        .def("address", &Session::address, nb::arg("tensor"))
        .def("close", &Session::close)
        .def("collectives", &Session::collectives, nb::arg("model"))
        .def("statistics", &Session::server_statistics)
        .def("interpret", &Session::interpret, nb::arg("model"), nb::arg("inputs"), nb::arg("stochastic"),
             nb::arg("seed"), nb::arg("order"))
        .def(
            "execute",
            [](Session& session, std::uint64_t model, const std::vector<nb::dict>& inputs,
               const std::vector<Ids>& bindings, bool stochastic, const Whole<"seed">& seed,
               const std::optional<std::string>& max_time, std::optional<std::string> trace,
               std::optional<std::string> wave, std::vector<std::string> wave_scopes,
               const std::optional<WaveCycles>& wave_cycles,
               const std::optional<Whole<"wave_rank">>& wave_rank, std::optional<std::string> notifications,
               bool read_outputs) {
                runtime::Run run{.rounding = {stochastic, seed}, .read_outputs = read_outputs};
                if (max_time) run.max_time = to_time(*max_time);
                RecordingOptions recordings{
                    std::move(trace),        std::move(wave), std::move(wave_scopes), {}, {},
                    std::move(notifications)};
                if (wave_cycles) recordings.wave_cycles = *wave_cycles;
                if (wave_rank) recordings.wave_rank = *wave_rank;
                return session.execute(model, inputs, bindings, std::move(run), recordings);
            },
            nb::arg("model"), nb::arg("inputs"), nb::arg("bindings"), nb::arg("stochastic"), nb::arg("seed"),
            nb::arg("max_time").none(), nb::arg("trace").none(), nb::arg("wave").none(),
            nb::arg("wave_scopes"), nb::arg("wave_cycles").none(), nb::arg("wave_rank").none(),
            nb::arg("notifications").none(), nb::arg("read_outputs"));
}

}  // namespace trnsim::python
