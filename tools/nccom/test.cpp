#include "tools/nccom/test.hpp"

#include <algorithm>
#include <random>

#include "compiler/collectives/execute.hpp"
#include "isa/element_type.hpp"
#include "model/core/fast/fast_core.hpp"
#include "runtime/communicator/communicator.hpp"
#include "runtime/communicator/server_statistics.hpp"
#include "tools/nccom/values.hpp"

namespace trnsim::nccom {
namespace {

using collectives::Operation;
using communicator::Communicator;

collectives::Request request_of(const Test& test, std::uint64_t bytes) {
    const std::uint64_t part =
        isa::element_size(test.dtype) * (has_parts(test.operation) ? members(test) : 1);
    collectives::Request request{.operation = test.operation,
                                 .dtype = test.dtype,
                                 .count = (bytes + part - 1) / part,
                                 .ranks = test.ranks,
                                 .groups = test.groups,
                                 .pairs = test.pairs};
    if (request.pairs.empty() && test.operation == Operation::Permute) {
        for (std::uint32_t rank = 0; rank < test.ranks; ++rank)
            request.pairs.emplace_back(rank, (rank + 1) % test.ranks);
    }
    if (request.pairs.empty() && test.operation == Operation::SendReceive) {
        for (std::uint32_t rank = 0; rank + 1 < test.ranks; rank += 2)
            request.pairs.emplace_back(rank, rank + 1);
    }
    return request;
}

// Fills inputs in HBM and on the host, and computes the expected outputs on the host by the schedule.
class Values {
  public:
    Values(Communicator& communicator, const communicator::Buffers& buffers, const Test& test)
        : communicator_(communicator), buffers_(buffers), test_(test) {
        if (test_.check == Check::None) return;
        memories_ = collectives::make_memories(communicator_.schedule(), 0);
        std::mt19937_64 random(test_.seed);
        for (std::uint32_t rank = 0; rank < test_.ranks; ++rank) {
            fill(memories_[rank][In], test_, random);
            if (!memories_[rank][In].empty())
                communicator_.write(rank, buffers_.input[rank], memories_[rank][In]);
        }
        collectives::execute(communicator_.schedule(), memories_, {});
    }

    // Counts the errors of the ranks of this process.
    std::uint64_t errors() {
        std::uint64_t count = 0;
        for (std::uint32_t rank = 0; rank < memories_.size(); ++rank) {
            const auto& expected = memories_[rank][Out];
            if (!expected.empty() && communicator_.here(rank))
                count += differences(communicator_.read(rank, buffers_.output[rank], expected.size()),
                                     expected, isa::element_size(test_.dtype));
        }
        return count;
    }

  private:
    Communicator& communicator_;
    const communicator::Buffers& buffers_;
    const Test& test_;
    std::vector<collectives::Memory> memories_;
};

}  // namespace

bool has_parts(Operation operation) {
    return operation == Operation::AllGather || operation == Operation::ReduceScatter ||
           operation == Operation::AllToAll;
}

const std::vector<OperationName>& operation_names() {
    static const std::vector<OperationName> names{
        {"allr", Operation::AllReduce},       {"allg", Operation::AllGather},
        {"redsct", Operation::ReduceScatter}, {"sendrecv", Operation::SendReceive},
        {"alltoall", Operation::AllToAll},    {"permute", Operation::Permute}};
    return names;
}

const std::vector<TypeName>& type_names() {
    using enum isa::Dtype;
    static const std::vector<TypeName> names{{"uint8", U8},  {"int8", I8},    {"uint16", U16},
                                             {"int16", I16}, {"uint32", U32}, {"int32", I32},
                                             {"fp16", Fp16}, {"bf16", Bf16},  {"fp32", Fp32}};
    return names;
}

std::size_t members(const Test& test) {
    std::size_t most = test.groups.empty() ? test.ranks : 0;
    for (const auto& group : test.groups) most = std::max(most, group.size());
    return most;
}

Row measure(const Test& test, std::uint64_t bytes, tlm::processes::Exchange* exchange) {
    waves::ServerRecording recording(test.recording);
    tlm::LinkedServer server(test.server, {.fast = tlm::core_fast::make_core(test.server.chip),
                                           .collectives = true,
                                           .perturb = test.perturb,
                                           .sink = recording.sink(),
                                           .exchange = exchange});
    Communicator communicator(server, communicator::first_cores(test.server, test.ranks));
    const collectives::Request request = request_of(test, bytes);
    const std::uint64_t parts = has_parts(test.operation) ? members(test) : 1;
    const std::uint64_t most = request.count * parts * isa::element_size(test.dtype);
    communicator::Buffers buffers;
    for (std::uint32_t rank = 0; rank < test.ranks; ++rank) {
        const std::uint64_t base = communicator.region(rank).base;
        buffers.input.push_back(base);
        buffers.output.push_back(base + (most + Alignment - 1) / Alignment * Alignment);
    }
    communicator.prepare(request, buffers, {.algorithm = test.algorithm});
    Values values(communicator, buffers, test);
    Row row{.bytes = most,
            .elements = request.count * parts,
            .algorithm = std::string(name(communicator.algorithm()))};
    for (std::uint32_t rank = 0; rank < test.ranks; ++rank) {
        row.input_bytes = std::max(row.input_bytes, communicator.schedule().buffer_bytes[In][rank]);
        row.output_bytes = std::max(row.output_bytes, communicator.schedule().buffer_bytes[Out][rank]);
    }
    recording.begin(server);
    for (std::uint32_t i = 0; i < test.warmup + test.iterations; ++i) {
        const tlm::Time start = tlm::now(), time = communicator.run();
        recording.execution(row.algorithm, start, time);
        if (i >= test.warmup)
            row.seconds.push_back(static_cast<double>(time) / static_cast<double>(FsPerSecond));
    }
    row.errors = server.sum(values.errors());
    if (test.statistics) row.statistics = communicator::server_statistics(server);
    recording.write(server);
    return row;
}

}  // namespace trnsim::nccom
