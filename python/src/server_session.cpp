#include "runtime/session/server_session.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>

#include "model/estimates/tables.hpp"
#include "model/system/load_server.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/whole.hpp"
#include "runtime/communicator/server_statistics.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/waves/server_recording.hpp"
#include "testbench/trial/ranks.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;

struct ServerExecution {
    int status = 0;
    std::string message;
    std::uint64_t time = 0;               // fs
    std::vector<std::string> statistics;  // by rank, JSON
    std::vector<std::vector<std::string>> printed;
    nb::list outputs;  // by rank
};

// Kernels on the ranks of a simulated server, with calls that let other Python threads run and come one after the other.
class ServerSession {
    template <typename Work>
    auto call(Work work) {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        return work();
    }

  public:
    ServerSession(const config::Server& server, std::optional<std::uint32_t> ranks,
                  const std::vector<std::uint32_t>& rtl_ranks)
        : session_(runtime::for_ranks(server, ranks, rtl_ranks)), tables_(estimates::load_tables()) {
        // From now on no other system can be made in this process.
        session_.linked_server().server().advance(0);
    }

    std::uint32_t ranks() const { return session_.ranks(); }
    std::string server() const { return session_.server().name; }

    void load(const std::vector<const neff::Package*>& packages) {
        std::vector<std::shared_ptr<const neff::Package>> copies;
        for (const neff::Package* package : packages) {
            if (copies.empty() || package != packages.front())
                copies.push_back(std::make_shared<const neff::Package>(*package));
            else
                copies.push_back(copies.front());
        }
        call([&] { session_.load(copies); });
    }

    // Algorithm of each call of the kernels, in their order.
    std::vector<std::string> collectives() {
        return call([&] {
            std::vector<std::string> names;
            for (const runtime::Collectives::Call& call : session_.collectives().calls())
                names.emplace_back(collectives::name(call.algorithm));
            return names;
        });
    }

    ServerExecution execute(const std::vector<nb::dict>& inputs, bool stochastic, const Whole<"seed">& seed,
                            const std::optional<std::string>& max_time,
                            const std::optional<std::string>& trace, const std::optional<std::string>& wave) {
        std::vector<runtime::Arrays> arrays;
        for (const nb::dict& one : inputs) arrays.push_back(to_arrays(one));
        runtime::ServerExecuteOptions options{.rounding = {stochastic, seed}};
        if (max_time) options.max_time = to_time(*max_time);
        bool interrupted = false;
        options.progress = [&](const runtime::Progress&) {
            const nb::gil_scoped_acquire acquire;
            interrupted = interrupted || PyErr_CheckSignals() != 0;  // the exception is set then
            return !interrupted;
        };
        ServerExecution execution;
        const runtime::ServerResult result = call([&] {
            runtime::ServerResult all =
                run(arrays, options, trace.value_or(""), wave.value_or(""), interrupted);
            if (interrupted) return all;
            for (std::uint32_t rank = 0; rank < ranks(); ++rank)
                execution.statistics.push_back(
                    runtime::to_json(all.of(rank), session_.package(rank), session_.server().chip, tables_));
            return all;
        });
        if (interrupted) throw nb::python_error();
        execution.status = static_cast<int>(result.status);
        execution.message = result.message;
        execution.time = result.time;
        for (const runtime::RankResult& rank : result.ranks) {
            execution.printed.push_back(rank.printed);
            execution.outputs.append(to_python(rank.outputs));
        }
        return execution;
    }

    // What the interpreter gives for the outputs of the kernels that are loaded, in storage bytes by rank and name.
    nb::list interpret(const std::vector<nb::dict>& inputs, bool stochastic, const Whole<"seed">& given_seed,
                       const Whole<"order", std::uint64_t>& given_order) {
        const std::uint32_t seed = given_seed;
        const std::uint64_t order = given_order;
        std::vector<runtime::Arrays> arrays;
        for (const nb::dict& one : inputs) arrays.push_back(to_arrays(one));
        const std::vector<trial::Contents> outputs = call([&] {
            std::vector<trial::Trial> trials;
            std::vector<addresses::CoreId> cores;
            for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
                trials.push_back({session_.server().chip, session_.package(rank),
                                  bytes_of(session_.package(rank), arrays.at(rank))});
                cores.push_back(session_.core(rank));
            }
            return trial::interpret_ranks(trials, trial::carry_out_on(session_.server(), cores, seed),
                                          functional::in_order(order, {stochastic, seed}));
        });
        nb::list list;
        for (const trial::Contents& one : outputs) {
            nb::dict dict;
            for (const auto& [name, bytes] : one) dict[name.c_str()] = nb::bytes(bytes.data(), bytes.size());
            list.append(dict);
        }
        return list;
    }

    std::string server_statistics() {
        return call([&] { return communicator::server_statistics(session_.linked_server()); });
    }

  private:
    // Files appear when they are complete, also those of an execution that went wrong.
    runtime::ServerResult run(const std::vector<runtime::Arrays>& inputs,
                              const runtime::ServerExecuteOptions& options, const std::string& trace,
                              const std::string& wave, const bool& interrupted) {
        waves::ServerRecordingOutputs outputs(trace, wave);
        runtime::ServerResult result = waves::execute(session_, inputs, options, outputs.files());
        if (!interrupted) outputs.commit();
        return result;
    }

    std::mutex mutex_;
    runtime::ServerSession session_;
    estimates::Tables tables_;
};

}  // namespace

void bind_server_session(nb::module_& module) {
    nb::class_<ServerExecution>(module, "ServerExecution")
        .def_ro("status", &ServerExecution::status)
        .def_ro("message", &ServerExecution::message)
        .def_ro("time", &ServerExecution::time)
        .def_ro("statistics", &ServerExecution::statistics)
        .def_ro("printed", &ServerExecution::printed)
        .def_ro("outputs", &ServerExecution::outputs);
    nb::class_<ServerSession>(module, "ServerSession")
        .def(
            "__init__",
            [](ServerSession* session, const std::string& server, const std::optional<Whole<"ranks">>& ranks,
               const std::optional<config::Config>& chip, const std::vector<Whole<"rtl_ranks">>& rtl_ranks,
               const std::vector<std::string>& settings) {
                config::Server description = tlm::load_server(server, settings);
                if (chip) description.chip = *chip;
                const auto count = ranks ? std::optional<std::uint32_t>(*ranks) : std::nullopt;
                new (session) ServerSession(description, count, plain(rtl_ranks));
            },
            nb::arg("server"), nb::arg("ranks").none(), nb::arg("chip").none(), nb::arg("rtl_ranks"),
            nb::arg("settings"))
        .def_prop_ro("ranks", &ServerSession::ranks)
        .def_prop_ro("server", &ServerSession::server)
        .def("load", &ServerSession::load, nb::arg("packages"))
        .def("collectives", &ServerSession::collectives)
        .def("execute", &ServerSession::execute, nb::arg("inputs"), nb::arg("stochastic"), nb::arg("seed"),
             nb::arg("max_time").none(), nb::arg("trace").none(), nb::arg("wave").none())
        .def("interpret", &ServerSession::interpret, nb::arg("inputs"), nb::arg("stochastic"),
             nb::arg("seed"), nb::arg("order"))
        .def("statistics", &ServerSession::server_statistics);
}

}  // namespace trnsim::python
