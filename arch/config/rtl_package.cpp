#include <fmt/format.h>

#include <array>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::config {
namespace {

struct Parameter {
    std::string name;
    std::uint64_t value;
    const char* what;
};

std::vector<Parameter> parameters(const Config& c) {
    const Core& core = c.core;
    std::vector<Parameter> list{
        {"Rows", core.array.rows, "systolic array, partitions read"},
        {"Cols", core.array.columns, "systolic array, partitions written"},
        {"Lanes", core.partitions, "partitions"},
        {"SbufBytes", core.sbuf_partition, "SBUF bytes a partition"},
        {"PsumBytes", core.psum_partition, "PSUM bytes a partition"},
        {"PsumBanks", core.psum_banks, "PSUM banks of a partition"},
        {"PsumStrict", core.psum_strict, "adding to what no matmul has written is an error"},
        {"Ecc", core.ecc, "error correction of SBUF and PSUM"},
        {"AxiPorts", core.bus.ports, "subordinate ports"},
        {"AxiDataWidth", core.bus.data_bits, "bits of a subordinate port"},
        {"Prefetch", core.fetch.prefetch, "instructions a sequencer holds"},
        {"FetchBurst", core.fetch.burst, "instructions of one fetch"},
        {"SemaphoreLatency", core.semaphore_latency,
         "bus cycles from issue to completion of an event_semaphore"},
        {"TensorIssueLatency", core.tensor.issue_latency, "Tensor cycles from issue to the first element"},
        {"TensorUtilisation", core.tensor.utilisation,
         "moving elements that enter a tile of the array in 1000 Tensor cycles, at most"},
        {"VectorIssueLatency", core.vector.issue_latency, "Vector cycles from issue to the first element"},
        {"ScalarIssueLatency", core.scalar.issue_latency, "Scalar cycles from issue to the first element"},
        {"VectorDependentLatency", core.vector.dependent_latency,
         "Vector cycles of access start-up after a dependence"},
        {"VectorReciprocalNum", core.vector.reciprocal_rate.numerator,
         "elements of a reciprocal in VectorReciprocalDen Vector cycles, at most"},
        {"VectorReciprocalDen", core.vector.reciprocal_rate.denominator, "Vector cycles"},
        {"ScalarDependentLatency", core.scalar.dependent_latency,
         "Scalar cycles of access start-up after a dependence"},
        {"GpsimdIssueLatency", core.gpsimd.issue_latency,
         "GpSimd cycles from a command to its cores' interrupt"},
        {"GpsimdVlen", core.gpsimd.vlen, "bits of a vector register of a GpSimd core"},
    };
    const std::array<std::pair<const char*, Ratio>, 6> clocks{{{"Tensor", core.clock_ratio.tensor},
                                                               {"Vector", core.clock_ratio.vector},
                                                               {"Scalar", core.clock_ratio.scalar},
                                                               {"Gpsimd", core.clock_ratio.gpsimd},
                                                               {"Sync", core.clock_ratio.sync},
                                                               {"Bus", core.clock_ratio.bus}}};
    for (const auto& [name, ratio] : clocks) {
        list.push_back({fmt::format("{}ClkNum", name), ratio.numerator,
                        "ticks of this clock in every ClkDen core cycles"});
        list.push_back({fmt::format("{}ClkDen", name), ratio.denominator, "core cycles"});
    }
    return list;
}

}  // namespace

std::string rtl_parameters(const Config& config) {
    std::string text;
    for (const Parameter& parameter : parameters(config))
        text += fmt::format("{}={}\n", parameter.name, parameter.value);
    return text;
}

std::string rtl_package(const Config& config) {
    std::string text =
        "// Made by trnsim-rtl-package from a YAML configuration.\n/* verilator lint_off UNUSEDPARAM "
        "*/\npackage cfg_pkg;\n";
    for (const Parameter& parameter : parameters(config)) {
        text += fmt::format("  localparam int unsigned {} = {};  // {}\n", parameter.name, parameter.value,
                            parameter.what);
    }
    return text + "endpackage\n";
}

std::string rtl_header(const Config& config) {
    std::string text =
        "// Made by trnsim-rtl-package from a YAML configuration.\n#pragma once\n\nnamespace trnsim::cfg {\n";
    for (const Parameter& parameter : parameters(config)) {
        text += fmt::format("inline constexpr unsigned {} = {};\n", parameter.name, parameter.value);
    }
    return text +
           fmt::format("inline constexpr const char* Parameters = R\"({})\";\n}}  // namespace trnsim::cfg\n",
                       rtl_parameters(config));
}

}  // namespace trnsim::config
