#include "runtime/session/session.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "model/estimates/tables.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/names.hpp"
#include "python/src/whole.hpp"
#include "runtime/session/chip_of_process.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/recorder.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using runtime::ModelId;
using runtime::TensorId;

using WaveCycles = std::pair<Whole<"wave_cycles", std::uint64_t>, Whole<"wave_cycles", std::uint64_t>>;

struct Execution {
    int status = 0;
    std::string message, statistics;
    std::uint64_t cycles = 0;
    std::vector<std::string> printed;
    nb::dict outputs;
};

// A Session whose calls let other Python threads run and come one after the other.
class Session {
    template <typename Work>
    auto call(Work work) {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        return work();
    }

  public:
    Session(const config::Config& config, const std::string& fidelity, const Whole<"threads">& threads,
            const std::optional<Whole<"perturb">>& perturb,
            const std::optional<Whole<"random_memory">>& random_memory)
        : session_(config, runtime::chip_of_process,
                   {.perturb = perturb,
                    .random_memory = random_memory,
                    .fidelity = parse_fidelity(fidelity),
                    .threads = threads}),
          tables_(estimates::load_tables()) {
        session_.open();
    }

    std::uint64_t load(const neff::Package& package, const std::map<std::string, std::uint64_t>& bindings) {
        return call([&] {
            return static_cast<std::uint64_t>(session_.load(package, {.bindings = to_bindings(bindings)}));
        });
    }
    void unload(std::uint64_t model) {
        call([&] { session_.unload(ModelId{model}); });
    }
    std::uint64_t allocate(const std::string& name, const Name<isa::Dtype>& dtype,
                           const std::vector<Whole<"shape", std::uint64_t>>& shape,
                           const std::optional<Whole<"stack", std::uint64_t>>& stack) {
        const neff::Tensor type{name, neff::TensorKind::Input, dtype, plain(shape)};
        return call([&] { return static_cast<std::uint64_t>(session_.allocate(type, stack)); });
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

    struct Options {
        bool stochastic = false;
        std::uint32_t seed = 0;
        std::optional<std::string> max_time, trace, wave;
        std::vector<std::string> wave_scopes;
        std::optional<std::pair<std::uint64_t, std::uint64_t>> wave_cycles;
        bool read_outputs = true;
    };

    Execution execute(std::uint64_t model, const nb::dict& inputs,
                      const std::map<std::string, std::uint64_t>& bindings, const Options& options) {
        const runtime::Arrays arrays = to_arrays(inputs);
        runtime::Result result;
        std::string statistics;
        bool interrupted = false;
        call([&] {
            result = run(ModelId{model}, arrays, to_bindings(bindings), options, interrupted);
            if (!interrupted) {
                statistics =
                    runtime::to_json(result, session_.package(ModelId{model}), session_.config(), tables_);
            }
        });
        if (interrupted) throw nb::python_error();
        return {static_cast<int>(result.status), result.message, statistics,
                result.figures.cycles,           result.printed, to_python(result.outputs)};
    }

  private:
    static runtime::Fidelity parse_fidelity(const std::string& name) {
        const auto fidelity = runtime::fidelity_of(name);
        if (!fidelity) throw runtime::Error(fmt::format("fidelity '{}': expected rtl or fast", name));
        return *fidelity;
    }
    static runtime::Bindings to_bindings(const std::map<std::string, std::uint64_t>& ids) {
        runtime::Bindings bindings;
        for (const auto& [name, id] : ids) bindings.emplace(name, TensorId{id});
        return bindings;
    }

    // No file is written twice.
    static void check_files(const Options& options) {
        files::Roles roles;
        if (options.trace) roles.add_output("trace", *options.trace);
        if (!options.wave) return;
        roles.add_output("wave", *options.wave);
        waves::add_beside_core(roles, "wave", *options.wave, options.wave_scopes);
    }

    // Files appear when they are complete, also those of an execution that went wrong.
    runtime::Result run(ModelId model, const runtime::Arrays& inputs, const runtime::Bindings& bindings,
                        const Options& options, bool& interrupted) {
        runtime::ExecuteOptions execution;
        execution.bindings = bindings;
        execution.rounding = {options.stochastic, options.seed};
        execution.read_outputs = options.read_outputs;
        if (options.max_time) execution.max_time = to_time(*options.max_time);
        execution.progress = [&](const runtime::Progress&) {
            const nb::gil_scoped_acquire acquire;
            interrupted = interrupted || PyErr_CheckSignals() != 0;  // the exception is set then
            return !interrupted;
        };
        check_files(options);
        std::optional<files::OutputFile> trace_file;
        std::optional<runtime::TraceWriter> trace;
        if (options.trace) execution.trace = &trace.emplace(trace_file.emplace(*options.trace).stream());
        std::optional<waves::Recorder> wave;
        if (options.wave) {
            runtime::WaveRequest request{*options.wave, options.wave_scopes};
            if (options.wave_cycles) {
                std::tie(request.first_cycle, request.last_cycle) = *options.wave_cycles;
                request.from_start = true;
            }
            execution.wave = wave.emplace(request, session_.package(model)).request();
            execution.listener = wave->listener();
        }
        runtime::Result result = session_.execute(model, inputs, execution);
        if (interrupted) return result;
        if (trace) {
            trace->finish();
            trace_file->commit();
        }
        if (wave) wave->commit("", waves::run_of(result, session_.config()));
        return result;
    }

    std::mutex mutex_;
    runtime::Session session_;
    estimates::Tables tables_;
};

}  // namespace

void bind_session(nb::module_& module) {
    nb::class_<Execution>(module, "Execution")
        .def_ro("status", &Execution::status)
        .def_ro("message", &Execution::message)
        .def_ro("statistics", &Execution::statistics)
        .def_ro("cycles", &Execution::cycles)
        .def_ro("printed", &Execution::printed)
        .def_ro("outputs", &Execution::outputs);
    nb::class_<Session>(module, "Session")
        .def(nb::init<const config::Config&, const std::string&, const Whole<"threads">&,
                      const std::optional<Whole<"perturb">>&, const std::optional<Whole<"random_memory">>&>(),
             nb::arg("config"), nb::arg("fidelity"), nb::arg("threads"), nb::arg("perturb").none(),
             nb::arg("random_memory").none())
        .def("load", &Session::load, nb::arg("package"), nb::arg("bindings"))
        .def("unload", &Session::unload, nb::arg("model"))
        .def("allocate", &Session::allocate, nb::arg("name"), nb::arg("dtype"), nb::arg("shape"),
             nb::arg("stack").none())
        .def("free", &Session::free, nb::arg("tensor"))
        .def("write", &Session::write, nb::arg("tensor"), nb::arg("array"))
        .def("read", &Session::read, nb::arg("tensor"))
        .def("address", &Session::address, nb::arg("tensor"))
        .def("close", &Session::close)
        .def(
            "execute",
            [](Session& session, std::uint64_t model, const nb::dict& inputs,
               const std::map<std::string, std::uint64_t>& bindings, bool stochastic,
               const Whole<"seed">& seed, std::optional<std::string> max_time,
               std::optional<std::string> trace, std::optional<std::string> wave,
               std::vector<std::string> wave_scopes, const std::optional<WaveCycles>& wave_cycles,
               bool read_outputs) {
                return session.execute(model, inputs, bindings,
                                       {stochastic, seed, std::move(max_time), std::move(trace),
                                        std::move(wave), std::move(wave_scopes), wave_cycles, read_outputs});
            },
            nb::arg("model"), nb::arg("inputs"), nb::arg("bindings"), nb::arg("stochastic"), nb::arg("seed"),
            nb::arg("max_time").none(), nb::arg("trace").none(), nb::arg("wave").none(),
            nb::arg("wave_scopes"), nb::arg("wave_cycles").none(), nb::arg("read_outputs"));
}

}  // namespace trnsim::python
