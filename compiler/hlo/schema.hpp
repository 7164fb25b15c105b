// The fields of each message by number, for reading and writing: hlo.proto and xla_data.proto of openxla/xla.
// Numbers rise in each function.
#pragma once

#include "compiler/hlo/literal_fields.hpp"
#include "compiler/hlo/module.hpp"
#include "compiler/hlo/wire.hpp"

namespace trnsim::hlo {

// A message begins with its unknown fields when it is written and ends with them when it is read.
template <typename Archive, typename Message, typename Fields>
void with_unknown(Archive& archive, Message& message, const Fields& fields) {
    if constexpr (!Archive::Reads) archive.unknown(message.unknown);
    fields();
    if constexpr (Archive::Reads) archive.unknown(message.unknown);
}

template <typename Archive>
void transfer(Archive& a, Layout& m) {
    with_unknown(a, m, [&] { a.numbers(1, m.minor_to_major); });
}

// Throws Error for a type without a name in element_type.hpp.
template <typename Archive>
void transfer(Archive& a, Shape& m) {
    with_unknown(a, m, [&] {
        auto type = static_cast<std::int64_t>(m.type);
        a.number(2, type);
        if constexpr (Archive::Reads) m.type = type_of(type);
        a.numbers(3, m.dimensions);
        a.messages(4, m.tuple);
        a.message(5, m.layout);
        a.flags(6, m.dynamic);
    });
}

template <typename Archive>
void transfer(Archive& a, ProgramShape& m) {
    with_unknown(a, m, [&] {
        a.messages(1, m.parameters);
        a.message(2, m.result);
        a.texts(3, m.parameter_names);
    });
}

// Fields 1 and 10 with the fields of elements between and after them: literal_fields.cpp.
void transfer(wire::MessageReader& a, Literal& m);
void transfer(wire::MessageWriter& a, Literal& m);

template <typename Archive>
void transfer(Archive& a, WindowDimension& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.size);
        a.number(2, m.stride);
        a.number(3, m.padding_low);
        a.number(4, m.padding_high);
        a.number(5, m.window_dilation);
        a.number(6, m.base_dilation);
        a.flag(7, m.reversal);
    });
}

template <typename Archive>
void transfer(Archive& a, Window& m) {
    with_unknown(a, m, [&] { a.messages(1, m.dimensions); });
}

template <typename Archive>
void transfer(Archive& a, ConvolutionDimensions& m) {
    with_unknown(a, m, [&] {
        a.number(3, m.kernel_input_feature);
        a.number(4, m.kernel_output_feature);
        a.numbers(6, m.kernel_spatial);
        a.number(7, m.input_batch);
        a.number(8, m.input_feature);
        a.number(9, m.output_batch);
        a.number(10, m.output_feature);
        a.numbers(11, m.input_spatial);
        a.numbers(12, m.output_spatial);
    });
}

template <typename Archive>
void transfer(Archive& a, DotDimensions& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.lhs_contracting);
        a.numbers(2, m.rhs_contracting);
        a.numbers(3, m.lhs_batch);
        a.numbers(4, m.rhs_batch);
    });
}

template <typename Archive>
void transfer(Archive& a, RaggedDotDimensions& m) {
    with_unknown(a, m, [&] {
        a.message(1, m.dot);
        a.numbers(2, m.lhs_ragged);
        a.numbers(3, m.rhs_group);
    });
}

template <typename Archive>
void transfer(Archive& a, GatherDimensions& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.offset);
        a.numbers(2, m.collapsed_slice);
        a.numbers(3, m.start_index_map);
        a.number(4, m.index_vector);
        a.numbers(5, m.operand_batching);
        a.numbers(6, m.start_indices_batching);
    });
}

template <typename Archive>
void transfer(Archive& a, ScatterDimensions& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.update_window);
        a.numbers(2, m.inserted_window);
        a.numbers(3, m.scatter_to_operand);
        a.number(4, m.index_vector);
        a.numbers(5, m.input_batching);
        a.numbers(6, m.scatter_indices_batching);
    });
}

template <typename Archive>
void transfer(Archive& a, SliceDimension& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.start);
        a.number(2, m.limit);
        a.number(3, m.stride);
    });
}

template <typename Archive>
void transfer(Archive& a, PaddingDimension& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.low);
        a.number(2, m.high);
        a.number(3, m.interior);
    });
}

template <typename Archive>
void transfer(Archive& a, Padding& m) {
    with_unknown(a, m, [&] { a.messages(1, m.dimensions); });
}

template <typename Archive>
void transfer(Archive& a, Precision& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.operands);
        a.number(2, m.algorithm);
    });
}

template <typename Archive>
void transfer(Archive& a, TriangularSolve& m) {
    with_unknown(a, m, [&] {
        a.flag(1, m.left_side);
        a.flag(2, m.lower);
        a.flag(3, m.unit_diagonal);
        a.number(4, m.transpose);
    });
}

template <typename Archive>
void transfer(Archive& a, Cholesky& m) {
    with_unknown(a, m, [&] { a.flag(1, m.lower); });
}

template <typename Archive>
void transfer(Archive& a, Attribute& m) {
    with_unknown(a, m, [&] {
        a.text(1, m.key);
        a.text(2, m.value);
    });
}

template <typename Archive>
void transfer(Archive& a, FrontendAttributes& m) {
    with_unknown(a, m, [&] { a.messages(1, m.map); });
}

template <typename Archive>
void transfer(Archive& a, Metadata& m) {
    with_unknown(a, m, [&] {
        a.text(1, m.op_type);
        a.text(2, m.op_name);
        a.text(3, m.source_file);
        a.number(4, m.source_line);
        a.number(15, m.stack_frame);
        a.number(17, m.source_end_line);
        a.number(18, m.source_column);
        a.number(19, m.source_end_column);
    });
}

template <typename Archive>
void transfer(Archive& a, IotaGroups& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.groups);
        a.number(2, m.size);
        a.numbers(3, m.reshape);
        a.numbers(4, m.permutation);
    });
}

template <typename Archive>
void transfer(Archive& a, DeviceOrder& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.reshape);
        a.numbers(2, m.permutation);
    });
}

template <typename Archive>
void transfer(Archive& a, MeshAxis& m) {
    with_unknown(a, m, [&] {
        a.text(1, m.name);
        a.number(2, m.size);
    });
}

template <typename Archive>
void transfer(Archive& a, SubAxis& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.pre_size);
        a.number(2, m.size);
    });
}

template <typename Archive>
void transfer(Archive& a, AxisReference& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.axis);
        a.message(2, m.sub_axis);
    });
}

template <typename Archive>
void transfer(Archive& a, Mesh& m) {
    with_unknown(a, m, [&] {
        a.messages(1, m.axes);
        a.message(3, m.order);
    });
}

template <typename Archive>
void transfer(Archive& a, MeshGroups& m) {
    with_unknown(a, m, [&] {
        a.message(1, m.mesh);
        a.messages(2, m.axes);
    });
}

template <typename Archive>
void transfer(Archive& a, ReplicaGroup& m) {
    with_unknown(a, m, [&] { a.numbers(1, m.ids); });
}

template <typename Archive>
void transfer(Archive& a, DeviceList& m) {
    with_unknown(a, m, [&] {
        a.messages(1, m.groups);
        a.message(2, m.iota);
    });
}

template <typename Archive>
void transfer(Archive& a, SourceTarget& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.source);
        a.number(2, m.target);
    });
}

template <typename Archive>
void transfer(Archive& a, Sharding& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.kind);
        a.message(2, m.tile_shape);
        a.numbers(3, m.tile_dimensions);
        a.numbers(4, m.tile_devices);
        a.messages(5, m.tuple);
        a.flag(6, m.replicate_on_last_tile);
        a.messages(7, m.metadata);
        a.numbers(8, m.last_tile_kinds);
        a.numbers(9, m.iota_reshape);
        a.numbers(10, m.iota_permutation);
    });
}

template <typename Archive>
void transfer(Archive& a, OutputOperandAlias& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.output_index);
        a.number(2, m.operand);
        a.numbers(3, m.operand_index);
        a.number(4, m.kind);
    });
}

template <typename Archive>
void transfer(Archive& a, Alias& m) {
    with_unknown(a, m, [&] {
        a.numbers(1, m.output_index);
        a.number(2, m.parameter);
        a.numbers(3, m.parameter_index);
        a.number(4, m.kind);
    });
}

template <typename Archive>
void transfer(Archive& a, AliasTable& m) {
    with_unknown(a, m, [&] { a.messages(1, m.entries); });
}

template <typename Archive>
void transfer(Archive& a, Donor& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.parameter);
        a.numbers(2, m.parameter_index);
    });
}

template <typename Archive>
void transfer(Archive& a, DonorTable& m) {
    with_unknown(a, m, [&] { a.messages(1, m.entries); });
}

template <typename Archive>
void transfer(Archive& a, FileLocation& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.file);
        a.number(2, m.function);
        a.number(3, m.line);
        a.number(4, m.column);
        a.number(5, m.end_line);
        a.number(6, m.end_column);
    });
}

template <typename Archive>
void transfer(Archive& a, StackFrame& m) {
    with_unknown(a, m, [&] {
        a.number(1, m.location);
        a.number(2, m.parent);
    });
}

template <typename Archive>
void transfer(Archive& a, StackFrames& m) {
    with_unknown(a, m, [&] {
        a.texts(1, m.files);
        a.texts(2, m.functions);
        a.messages(3, m.locations);
        a.messages(4, m.frames);
    });
}

// An instruction as a file has it: its references are ids.
struct InstructionFields {
    Instruction instruction;
    std::string opcode;
    Integers operands, control_predecessors, called;
};

template <typename Archive>
void transfer(Archive& a, InstructionFields& f) {
    Instruction& i = f.instruction;
    Attributes& m = i.attributes;
    with_unknown(a, i, [&] {
        a.text(1, i.name);
        a.text(2, f.opcode);
        a.message(3, i.shape);
        a.message(7, i.metadata);
        a.message(8, m.literal);
        a.number(9, m.parameter_number);
        a.text(11, m.fusion_kind);
        a.number(13, m.tuple_index);
        a.numbers(14, m.dimensions);
        a.message(15, m.window);
        a.message(16, m.convolution);
        a.messages(17, m.slice);
        a.number(18, m.exponent_bits);
        a.number(19, m.mantissa_bits);
        a.numbers(20, m.dynamic_slice_sizes);
        a.message(21, m.padding);
        a.number(23, m.distribution);
        a.real(24, m.epsilon);
        a.number(25, m.feature_index);
        a.number(26, m.channel);
        a.text(28, m.custom_call_target);
        a.message(30, m.dot);
        a.number(31, m.fft_type);
        a.numbers(32, m.fft_length);
        a.message(33, m.gather);
        a.numbers(34, m.gather_slice_sizes);
        a.number(35, i.id);
        a.numbers(36, f.operands);
        a.numbers(37, f.control_predecessors);
        a.numbers(38, f.called);
        a.message(40, m.sharding);
        a.text(43, m.backend_config);
        a.flag(47, m.is_host_transfer);
        a.message(48, m.scatter);
        a.messages(49, m.replica_groups);
        a.number(50, m.feature_group_count);
        a.message(51, m.precision);
        a.messages(52, m.source_target_pairs);
        a.flag(56, m.constrain_layout);
        a.messages(57, m.operand_shapes_with_layout);
        a.number(58, m.batch_group_count);
        a.message(59, m.triangular_solve);
        a.flag(60, m.is_stable);
        a.message(62, m.cholesky);
        a.text(63, m.comparison_direction);
        a.flag(65, m.has_side_effect);
        a.number(66, m.delta);
        a.flag(67, m.indices_are_sorted);
        a.message(68, m.frontend);
        a.flag(69, m.unique_indices);
        a.number(70, m.random_algorithm);
        a.flag(71, m.use_global_device_ids);
        a.text(72, m.comparison_type);
        a.messages(74, m.output_operand_aliases);
        a.number(75, m.padding_type);
        a.number(76, m.custom_call_schedule);
        a.number(77, m.custom_call_api);
        a.number(81, m.k);
        a.flag(85, m.largest);
        a.message(87, m.device_list);
        a.flag(89, m.is_composite);
        a.message(90, m.ragged_dot);
        a.message(92, m.iota_groups);
        a.message(93, m.mesh_groups);
        a.number(95, m.carries);
        a.flag(96, m.is_reverse);
    });
}

// A computation as a file has it.
struct ComputationFields {
    Computation computation;
    std::vector<InstructionFields> instructions;
    std::int64_t root = 0;
};

template <typename Archive>
void transfer(Archive& a, ComputationFields& f) {
    Computation& c = f.computation;
    with_unknown(a, c, [&] {
        a.text(1, c.name);
        a.messages(2, f.instructions);
        a.message(4, c.program_shape);
        a.number(5, c.id);
        a.number(6, f.root);
        a.flag(7, c.is_fusion);
        a.text(8, c.execution_thread);
    });
}

// A module as a file has it.
struct ModuleFields {
    Module module;
    std::vector<ComputationFields> computations;
    std::int64_t entry = 0;
};

template <typename Archive>
void transfer(Archive& a, ModuleFields& f) {
    Module& m = f.module;
    with_unknown(a, m, [&] {
        a.text(1, m.name);
        a.text(2, m.entry_name);
        a.messages(3, f.computations);
        a.message(4, m.program_shape);
        a.number(5, m.id);
        a.number(6, f.entry);
        a.message(8, m.aliases);
        a.message(12, m.output_sharding);
        a.messages(14, m.parameter_shardings);
        a.message(17, m.stack_frames);
        a.message(18, m.donors);
        a.message(19, m.frontend);
    });
}

}  // namespace trnsim::hlo
