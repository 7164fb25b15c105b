#include "runtime/communicator/communicator.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "compiler/collectives/generate.hpp"
#include "isa/element_type.hpp"
#include "model/system/load_server.hpp"
#include "python/src/bindings.hpp"
#include "python/src/collective_names.hpp"
#include "python/src/names.hpp"
#include "python/src/whole.hpp"
#include "runtime/communicator/server_statistics.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using collectives::Buffer;
using collectives::Request;

struct Collective {
    std::vector<std::optional<nb::bytes>> outputs;  // by rank; none: the rank has no output
    std::uint64_t time = 0;                         // fs
    std::string algorithm;
};

// The ranks of a simulated server, with calls that let other Python threads run and come one after the other.
class Communicator {
  public:
    Communicator(const std::string& server, std::optional<std::uint32_t> ranks,
                 std::optional<std::uint32_t> perturb, const std::vector<std::string>& settings)
        : server_(tlm::load_server(server, settings), {.collectives = true, .perturb = perturb}),
          communicator_(server_, communicator::first_cores(server_.description(),
                                                           ranks.value_or(server_.description().cores()))) {
        server_.server().advance(0);  // from now on no other system can be made in this process
    }

    std::uint32_t ranks() const { return communicator_.ranks(); }
    std::string server() const { return server_.description().name; }

    // `inputs`: of each rank, as bytes; `count`: elements as in collectives::Request.
    Collective run(const std::string& operation, const Name<isa::Dtype>& dtype, std::uint64_t count,
                   const std::vector<nb::bytes>& inputs, const std::string& reduction,
                   const std::optional<std::string>& algorithm, bool stochastic, const Whole<"seed">& seed,
                   const Whole<"root">& root,
                   const std::vector<std::pair<Whole<"pairs">, Whole<"pairs">>>& pairs,
                   const std::vector<std::vector<Whole<"groups">>>& groups) {
        Request request{.operation = named("operation", operation, Operations),
                        .reduction = named("reduction", reduction, Reductions),
                        .dtype = dtype,
                        .count = count,
                        .ranks = ranks(),
                        .groups = plain(groups),
                        .pairs = plain(pairs),
                        .root = root,
                        .stochastic = stochastic};
        communicator::Options options{.rounding_seed = seed};
        if (algorithm)
            options.algorithm = named("algorithm", *algorithm, collectives::algorithms(request.operation));
        const auto lock = turn();
        const communicator::Buffers buffers = place(inputs);
        communicator_.prepare(request, buffers, options);
        Collective result;
        {
            const nb::gil_scoped_release release;
            result.time = communicator_.run();
        }
        result.algorithm = name(communicator_.algorithm());
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            const std::uint64_t bytes =
                communicator_.schedule().buffer_bytes[static_cast<std::size_t>(Buffer::Output)][rank];
            if (bytes == 0) {
                result.outputs.emplace_back();
                continue;
            }
            const auto data = communicator_.read(rank, buffers.output[rank], bytes);
            result.outputs.emplace_back(nb::bytes(data.data(), data.size()));
        }
        return result;
    }

    std::string statistics() {
        const auto lock = turn();
        return communicator::server_statistics(server_);
    }

  private:
    // Who waits for it lets other Python threads run: the one at work needs the interpreter to end.
    std::unique_lock<std::mutex> turn() {
        const nb::gil_scoped_release release;
        return std::unique_lock(mutex_);
    }

    // Inputs into HBM; outputs behind the largest of them, as many times as there are ranks.
    communicator::Buffers place(const std::vector<nb::bytes>& inputs) {
        constexpr std::uint64_t Alignment = 4096;
        communicator::Buffers buffers;
        std::uint64_t most = 0;
        for (const nb::bytes& input : inputs) most = std::max<std::uint64_t>(most, input.size());
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            const std::uint64_t base = communicator_.region(rank).base;
            buffers.input.push_back(base);
            buffers.output.push_back(base + (most + Alignment - 1) / Alignment * Alignment);
            const nb::bytes& input = inputs.at(rank);
            if (most > communicator_.region(rank).bytes / 2)
                throw communicator::Error(fmt::format("rank {}: an input of {} bytes, expected at most {}",
                                                      rank, most, communicator_.region(rank).bytes / 2));
            if (input.size() != 0)
                communicator_.write(rank, base,
                                    {static_cast<const std::uint8_t*>(input.data()), input.size()});
        }
        return buffers;
    }

    std::mutex mutex_;
    tlm::LinkedServer server_;
    communicator::Communicator communicator_;
};

}  // namespace

void bind_communicator(nb::module_& module) {
    nb::class_<Collective>(module, "Collective")
        .def_ro("outputs", &Collective::outputs)
        .def_ro("time", &Collective::time)
        .def_ro("algorithm", &Collective::algorithm);
    nb::class_<Communicator>(module, "Communicator")
        .def(
            "__init__",
            [](Communicator* communicator, const std::string& server,
               const std::optional<Whole<"ranks">>& ranks, const std::optional<Whole<"perturb">>& perturb,
               const std::vector<std::string>& settings) {
                new (communicator) Communicator(server, ranks, perturb, settings);
            },
            nb::arg("server"), nb::arg("ranks").none(), nb::arg("perturb").none(), nb::arg("settings"))
        .def_prop_ro("ranks", &Communicator::ranks)
        .def_prop_ro("server", &Communicator::server)
        .def("statistics", &Communicator::statistics)
        .def("run", &Communicator::run, nb::arg("operation"), nb::arg("dtype"), nb::arg("count"),
             nb::arg("inputs"), nb::arg("reduction"), nb::arg("algorithm").none(), nb::arg("stochastic"),
             nb::arg("seed"), nb::arg("root"), nb::arg("pairs"), nb::arg("groups"));
}

}  // namespace trnsim::python
