// Depths of queues and pipelines, rates and intervals of the RTL that are not in the configuration. The
// closed forms of this folder and the timing of the fast core use them. Every figure stands here once, with
// the file of the RTL that has it; a test compares the rows with that file.
//
// Cycles are those of the clock of the block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trnsim::cost {

enum class Figure : std::uint8_t {
    // Sequencers
    Outstanding,
    FetchPageInstructions,
    // Notification queue
    EngineEvents,
    CoreEvents,
    RecordsUnderWay,
    // Elementwise engines: issue and sources
    StartInterval,
    Banks,
    SetupAccept,
    SourceDepth,
    FarBytes,
    // Vector
    Dividers,
    DivisionDigits,
    BnStatsStages,
    BnStatsResults,
    BnAggrLastStep,
    BnAggrElements,
    BnAggrResults,
    Max8Results,
    Match8Values,
    // Scalar
    ScalarStages,
    TableBeatBytes,
    TableBurstBytes,
    // Tensor
    TensorQueue,
    PassInterval,
    LoadColumns,
    LoadPairBytes,
    ArrayRest,
    // GpSimd
    GpsimdWakeLimit,
    GpsimdTurn,
    GpsimdGap,
    GpsimdLinger,
    GpsimdLines,
    GpsimdLoads,
    GpsimdMultiplyStages,
    GpsimdFloatStages,
    GpsimdDivideSteps,
    GpsimdFloatDivideSteps,
    GpsimdVectorStages,
    GpsimdVectorFloatStages,
    Count
};

struct FigureRow {
    Figure figure;
    std::string_view name;
    std::uint32_t value;
    std::string_view source;    // file below rtl/
    std::string_view constant;  // its text there; if it ends in a number, `times` that is the value
    std::string_view what;
    std::uint32_t times = 1;
};

inline constexpr auto Figures = std::to_array<FigureRow>({
    {Figure::Outstanding, "outstanding", 64, "control/control_pkg.sv", "Outstanding = 64",
     "instructions of an engine between hand-over and completion"},
    {Figure::FetchPageInstructions, "fetch_page", 64, "control/prefetch_buffer.sv", "page_beats    = 7'd64 -",
     "instructions of a page of 4 KiB, which no fetch crosses"},
    {Figure::EngineEvents, "engine_events", 16, "control/notifications.sv", ".Depth(s < Engines ? 16",
     "events of an engine that wait for the notification queue"},
    {Figure::CoreEvents, "core_events", 8, "control/notifications.sv", ".Depth(s < Engines ? 16 : 8",
     "faults and numeric errors that wait for it"},
    {Figure::RecordsUnderWay, "records_under_way", 48, "control/notifications.sv", "MaxOutstanding = 48",
     "records written without an answer"},
    {Figure::StartInterval, "start_interval", 64, "elementwise/elementwise_pkg.sv", "MinInterval = 64",
     "cycles between the starts of two elementwise instructions"},
    {Figure::Banks, "banks", 2, "elementwise/elementwise_pkg.sv", "Banks = 2",
     "elementwise instructions between first read and last write"},
    {Figure::SetupAccept, "setup_accept", 2, "elementwise/elementwise_issue.sv",
     "IssueLatency > 2 ? IssueLatency - 2", "cycles of the issue latency that acceptance and start take"},
    {Figure::SourceDepth, "source_depth", 4, "elementwise/elementwise_source.sv", "Depth = 4",
     "elements that a source is ahead"},
    {Figure::FarBytes, "far_bytes", 16, "common/operand_shape_pkg.sv", "bytes > 32'd16",
     "innermost steps above this take a port for two cycles"},
    {Figure::Dividers, "dividers", 8, "vector/vector_dividers.sv", "Dividers = Digits",
     "reciprocals of a stage under way"},
    {Figure::DivisionDigits, "division_digits", 8, "fp/reciprocal_lane_pkg.sv", "Digits = 8",
     "cycles of a division"},
    {Figure::BnStatsStages, "bn_stats_stages", 4, "vector/vector_bn_stats.sv", "Stages = 4",
     "stages of bn_stats after the first"},
    {Figure::BnStatsResults, "bn_stats_results", 6, "vector/vector_bn_stats.sv", "Results = 6",
     "results of bn_stats"},
    {Figure::BnAggrLastStep, "bn_aggr_last_step", 12, "vector/vector_bn_aggr.sv",
     "StepEnd = StepRounding + 4'd3;", "the last step of a triple: 1 + 8 + 3"},
    {Figure::BnAggrElements, "bn_aggr_elements", 3, "vector/vector_bn_aggr.sv", "StepM2 = 4'd2;",
     "first steps of a triple, which take an element each"},
    {Figure::BnAggrResults, "bn_aggr_results", 2, "vector/vector_bn_aggr.sv", "left_q <= 2'd2",
     "results of bn_aggr"},
    {Figure::Max8Results, "max8_results", 8, "vector/vector_max8.sv", "Results = 8", "results of max8"},
    {Figure::Match8Values, "match8_values", 8, "vector/vector_match8.sv", "Values = 8",
     "values and indices of find_index8, values of match_replace8"},
    {Figure::ScalarStages, "scalar_stages", 12, "scalar/scalar_pkg.sv", "StageWrite = StageLeave + 3;",
     "stages of the Scalar pipeline: 3, 5 of Horner's rule, 4"},
    {Figure::TableBeatBytes, "table_beat", 512, "scalar/scalar_table_pkg.sv", "TableBeatBytes",
     "bytes of a beat of activation tables"},
    {Figure::TableBurstBytes, "table_burst", 4096, "scalar/table_loader.sv", "PageBeatBits = 12 - BeatBits",
     "bytes of a burst of activation tables, which ends at a page"},
    {Figure::TensorQueue, "tensor_queue", 16, "tensor/tensor_engine.sv", "Depth     = 16",
     "commands waiting, and commands started and not completed"},
    {Figure::PassInterval, "pass_interval", 64, "tensor/tensor_pkg.sv", "MinInterval  = 64",
     "cycles of a pass with at least as many columns"},
    {Figure::LoadColumns, "load_columns", 4, "tensor/tensor_pkg.sv", "LoadColumns  = 4",
     "columns of a stationary operand that enter the array in a cycle, at most"},
    {Figure::LoadPairBytes, "load_pair", 8, "tensor/tensor_pkg.sv", "LoadWords    = 2",
     "bytes of a partition that a read of the stationary operand gives, aligned", 4},
    {Figure::ArrayRest, "array_rest", 2, "tensor/pe_array.sv", "Flight = Rows + Cols + 2",
     "cycles until nothing of an element is left in the array, beside rows and columns"},
    {Figure::GpsimdWakeLimit, "gpsimd_wake_limit", 64, "gpsimd/gpsimd_dispatch.sv", "WakeLimit = 64",
     "cycles of the interrupt after which a core that is still in wfi has failed"},
    {Figure::GpsimdTurn, "gpsimd_turn", 64, "gpsimd/gpsimd_slices.sv", "Turn   = 64",
     "cycles of a turn at SBUF's port at whose end Vector gets it"},
    {Figure::GpsimdGap, "gpsimd_gap", 8, "gpsimd/gpsimd_slices.sv", "Gap    = 8",
     "cycles without an access after which Vector gets the port before"},
    {Figure::GpsimdLinger, "gpsimd_linger", 16, "gpsimd/gpsimd_slices.sv", "Linger = 16",
     "cycles without an access after which the port is given back"},
    {Figure::GpsimdLines, "gpsimd_lines", 128, "gpsimd/gpsimd_fetch.sv", "Lines = 128",
     "lines of 64 bytes in the buffer of instructions"},
    {Figure::GpsimdLoads, "gpsimd_loads", 8, "gpsimd/gpsimd_lsu.sv", "Depth = 8", "loads under way"},
    {Figure::GpsimdMultiplyStages, "gpsimd_multiply", 2, "gpsimd/gpsimd_units.sv", "MultiplyStages = 2",
     "stages of the multiplier"},
    {Figure::GpsimdFloatStages, "gpsimd_float", 4, "gpsimd/gpsimd_units.sv", "FpStages = 4",
     "stages of floating point"},
    {Figure::GpsimdDivideSteps, "gpsimd_divide", 32, "gpsimd/gpsimd_divider.sv", "FpSteps : 6'd32",
     "steps of a division of integers"},
    {Figure::GpsimdFloatDivideSteps, "gpsimd_float_divide", 27, "gpsimd/gpsimd_alu_pkg.sv", "FpSteps = 6'd27",
     "steps of a division or square root of floats, of vectors, too"},
    {Figure::GpsimdVectorStages, "gpsimd_vector", 3, "gpsimd/gpsimd_vector.sv", "IntStages = 3",
     "cycles until a result of the vector unit can be read"},
    {Figure::GpsimdVectorFloatStages, "gpsimd_vector_float", 5, "gpsimd/gpsimd_vector.sv", "FpStages = 5",
     "the same of floats, and cycles of an element of a reduction of them"},
});
static_assert(Figures.size() == static_cast<std::size_t>(Figure::Count));

constexpr std::uint32_t figure(Figure which) {
    return Figures[static_cast<std::size_t>(which)].value;
}

}  // namespace trnsim::cost
