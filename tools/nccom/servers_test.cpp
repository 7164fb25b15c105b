#include "tools/nccom/servers_test.hpp"

#include <algorithm>
#include <optional>
#include <random>

#include "compiler/collectives/execute.hpp"
#include "isa/element_type.hpp"
#include "runtime/cluster/between.hpp"
#include "runtime/cluster/phases.hpp"
#include "runtime/communicator/communicator.hpp"
#include "tools/nccom/values.hpp"

namespace trnsim::nccom {
namespace {

using collectives::Operation;
using collectives::Request;
using Bytes = std::vector<std::uint8_t>;
using OfRanks = std::vector<Bytes>;  // one for each rank of a server

double seconds_of(tlm::Time time) {
    return static_cast<double>(time) / static_cast<double>(FsPerSecond);
}

// The simulated server, which runs one phase after the other.
class Within {
  public:
    Within(const Test& test, std::uint32_t ranks, tlm::processes::Exchange* exchange)
        : test_(test),
          server_(test.server, {.collectives = true, .perturb = test.perturb, .exchange = exchange}),
          communicator_(server_, communicator::first_cores(test.server, ranks)) {}

    void prepare(const Request& request) {
        const std::uint64_t input = request.count * isa::element_size(request.dtype) *
                                    (request.operation == Operation::ReduceScatter ? request.ranks : 1);
        buffers_ = {};
        for (std::uint32_t rank = 0; rank < request.ranks; ++rank) {
            const std::uint64_t base = communicator_.region(rank).base;
            buffers_.input.push_back(base);
            buffers_.output.push_back(base + (input + Alignment - 1) / Alignment * Alignment);
        }
        communicator_.prepare(request, buffers_);
    }

    // Computes the outputs of the prepared phase from inputs, on the host.
    OfRanks on_host(const OfRanks& inputs) const {
        auto memories = collectives::make_memories(communicator_.schedule(), 0);
        for (std::size_t rank = 0; rank < memories.size(); ++rank) memories[rank][In] = inputs.at(rank);
        collectives::execute(communicator_.schedule(), memories, {});
        OfRanks outputs;
        outputs.reserve(memories.size());
        for (collectives::Memory& memory : memories) outputs.push_back(std::move(memory[Out]));
        return outputs;
    }

    // Appends the times of the iterations.
    void run(std::vector<double>& seconds) {
        for (std::uint32_t i = 0; i < test_.warmup; ++i) communicator_.run();
        for (double& time : seconds) time += seconds_of(communicator_.run());
    }

    void write(const OfRanks& inputs) {
        for (std::uint32_t rank = 0; rank < inputs.size(); ++rank)
            communicator_.write(rank, buffers_.input[rank], inputs[rank]);
    }
    // Counts the elements that differ, in all processes.
    std::uint64_t errors(const OfRanks& expected) {
        std::uint64_t count = 0;
        for (std::uint32_t rank = 0; rank < expected.size(); ++rank) {
            if (!communicator_.here(rank)) continue;
            count += differences(communicator_.read(rank, buffers_.output[rank], expected[rank].size()),
                                 expected[rank], isa::element_size(test_.dtype));
        }
        return server_.sum(count);
    }

  private:
    const Test& test_;
    tlm::LinkedServer server_;
    communicator::Communicator communicator_;
    communicator::Buffers buffers_;
};

class Measurement {
  public:
    Measurement(const Test& test, std::uint64_t bytes)
        : test_(test), shape_{test.servers, test.ranks / test.servers}, random_(test.seed) {
        const std::uint64_t size = isa::element_size(test.dtype);
        parts_ = has_parts(test.operation) ? test.ranks : 1;
        count_ = (bytes + size * parts_ - 1) / (size * parts_);
        if (test.operation == Operation::AllReduce)
            count_ = (count_ + shape_.ranks - 1) / shape_.ranks * shape_.ranks;
        phases_ = cluster::phases_of(test.operation, test.dtype, count_, shape_);
        between_ =
            cluster::time_between(phases_.between, shape_.ranks, test.server, test.network, test.algorithm);
        row_.bytes = count_ * parts_ * size;
        row_.elements = count_ * parts_;
        row_.input_bytes = test.operation == Operation::AllGather ? count_ * size : row_.bytes;
        row_.output_bytes = test.operation == Operation::ReduceScatter ? count_ * size : row_.bytes;
        row_.algorithm = std::string(name(between_.algorithm));
        row_.seconds.assign(test.iterations, seconds_of(between_.time));
        const auto& link = between_.busiest;
        row_.network = {seconds_of(between_.time), between_.waiting.slowdown(), std::string(name(link.kind)),
                        link.bytes / link.capacity / std::max(seconds_of(between_.time), 1e-15)};
    }

    Row run(tlm::processes::Exchange* exchange) {
        if (shape_.ranks == 1) return row_;
        Within within(test_, shape_.ranks, exchange);
        std::vector<OfRanks> parts(test_.servers);  // of each server, before the network
        if (phases_.before) before(within, parts);
        if (phases_.after) after(within, parts);
        return row_;
    }

  private:
    bool checks() const { return test_.check != Check::None; }

    OfRanks random_inputs(std::uint64_t elements) {
        OfRanks inputs(shape_.ranks, Bytes(elements * isa::element_size(test_.dtype)));
        for (Bytes& bytes : inputs) fill(bytes, test_, random_);
        return inputs;
    }

    void before(Within& within, std::vector<OfRanks>& parts) {
        within.prepare(*phases_.before);
        if (checks()) {
            for (OfRanks& part : parts) {
                const OfRanks inputs = random_inputs(phases_.before->count * shape_.ranks);
                if (&part == parts.data()) within.write(inputs);
                part = within.on_host(inputs);
            }
        }
        within.run(row_.seconds);
        if (checks()) row_.errors += within.errors(parts[0]);
    }

    void after(Within& within, std::vector<OfRanks>& parts) {
        within.prepare(*phases_.after);
        OfRanks results;
        if (checks()) {
            if (!phases_.before)
                for (OfRanks& part : parts) part = random_inputs(phases_.between.count);
            results = of_first_server(parts);
            within.write(results);
        }
        within.run(row_.seconds);
        if (checks()) row_.errors += within.errors(within.on_host(results));
    }

    // Returns the data of the first server's ranks after the network.
    OfRanks of_first_server(const std::vector<OfRanks>& parts) const {
        OfRanks results;
        results.reserve(shape_.ranks);
        for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
            std::vector<Bytes> vectors;
            vectors.reserve(parts.size());
            for (const OfRanks& part : parts) vectors.push_back(part[rank]);
            results.push_back(cluster::values_between(phases_.between, between_.algorithm, vectors).at(0));
        }
        return results;
    }

    const Test& test_;
    cluster::Shape shape_;
    std::mt19937_64 random_;
    std::uint64_t parts_ = 1, count_ = 0;
    cluster::Phases phases_;
    cluster::Between between_;
    Row row_;
};

}  // namespace

Row measure_servers(const Test& test, std::uint64_t bytes, tlm::processes::Exchange* exchange) {
    return Measurement(test, bytes).run(exchange);
}

}  // namespace trnsim::nccom
