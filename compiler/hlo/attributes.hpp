// The attributes of an instruction. Names and meanings are those of hlo.proto and xla_data.proto.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/hlo/box.hpp"
#include "compiler/hlo/literal.hpp"
#include "compiler/hlo/shape.hpp"

namespace trnsim::hlo {

struct WindowDimension {
    std::int64_t size = 0, stride = 0, padding_low = 0, padding_high = 0, window_dilation = 0,
                 base_dilation = 0;
    bool reversal = false;
    Unknown unknown;
};

struct Window {
    std::vector<WindowDimension> dimensions;
    Unknown unknown;
};

struct ConvolutionDimensions {
    std::int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0,
                 output_batch = 0, output_feature = 0;
    Integers input_spatial, kernel_spatial, output_spatial;
    Unknown unknown;
};

struct DotDimensions {
    Integers lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
    Unknown unknown;
};

struct RaggedDotDimensions {
    DotDimensions dot;
    Integers lhs_ragged, rhs_group;
    Unknown unknown;
};

struct GatherDimensions {
    Integers offset, collapsed_slice, start_index_map;
    std::int64_t index_vector = 0;
    Integers operand_batching, start_indices_batching;
    Unknown unknown;
};

struct ScatterDimensions {
    Integers update_window, inserted_window, scatter_to_operand;
    std::int64_t index_vector = 0;
    Integers input_batching, scatter_indices_batching;
    Unknown unknown;
};

struct SliceDimension {
    std::int64_t start = 0, limit = 0, stride = 0;
    Unknown unknown;
};

struct PaddingDimension {
    std::int64_t low = 0, high = 0, interior = 0;
    Unknown unknown;
};

struct Padding {
    std::vector<PaddingDimension> dimensions;
    Unknown unknown;
};

struct Precision {
    Integers operands;  // 0 default, 1 high, 2 highest, 3 packed nibble
    std::int64_t algorithm = 0;
    Unknown unknown;
};

struct TriangularSolve {
    bool left_side = false, lower = false, unit_diagonal = false;
    std::int64_t transpose = 0;  // 1 none, 2 transpose, 3 adjoint
    Unknown unknown;
};

struct Cholesky {
    bool lower = false;
    Unknown unknown;
};

struct Attribute {
    std::string key, value;
    Unknown unknown;
};

struct FrontendAttributes {
    std::vector<Attribute> map;
    Unknown unknown;
};

// Where an instruction comes from in the program of the framework.
struct Metadata {
    std::string op_type, op_name, source_file;
    std::int64_t source_line = 0, stack_frame = 0, source_end_line = 0, source_column = 0,
                 source_end_column = 0;
    Unknown unknown;
};

// Replica groups as the rows of a reshaped and transposed iota: [groups, size] <= [reshape] transposed.
struct IotaGroups {
    std::int64_t groups = 0, size = 0;
    Integers reshape, permutation;
    Unknown unknown;
};

// The devices of a mesh: an iota of this shape, transposed.
struct DeviceOrder {
    Integers reshape, permutation;
    Unknown unknown;
};

struct MeshAxis {
    std::string name;
    std::int64_t size = 0;
    Unknown unknown;
};

// A part of an axis: `size` devices after the axis is split as [pre_size, size, rest].
struct SubAxis {
    std::int64_t pre_size = 0, size = 0;
    Unknown unknown;
};

struct AxisReference {
    std::int64_t axis = 0;  // position in the mesh
    Box<SubAxis> sub_axis;  // absent: the whole axis
    Unknown unknown;
};

struct Mesh {
    std::vector<MeshAxis> axes;
    Box<DeviceOrder> order;  // absent: the devices are an iota
    Unknown unknown;
};

struct MeshGroups {
    Box<Mesh> mesh;
    std::vector<AxisReference> axes;
    Unknown unknown;
};

struct ReplicaGroup {
    Integers ids;
    Unknown unknown;
};

struct DeviceList {
    std::vector<ReplicaGroup> groups;
    Box<IotaGroups> iota;
    Unknown unknown;
};

struct SourceTarget {
    std::int64_t source = 0, target = 0;
    Unknown unknown;
};

struct Sharding {
    // The kinds of OpSharding: 0 replicated, 1 maximal, 2 tuple, 3 tiled, 4 manual, 5 unknown, 6 unreduced.
    std::int64_t kind = 0;
    Box<Shape> tile_shape;
    Integers tile_dimensions, tile_devices;
    std::vector<Sharding> tuple;
    bool replicate_on_last_tile = false;
    std::vector<Metadata> metadata;
    Integers last_tile_kinds, iota_reshape, iota_permutation;
    Unknown unknown;
};

// A fusion's results and operands that share memory.
struct OutputOperandAlias {
    Integers output_index;
    std::int64_t operand = 0;
    Integers operand_index;
    std::int64_t kind = 0;
    Unknown unknown;
};

struct Attributes {
    std::int64_t parameter_number = 0, tuple_index = 0, exponent_bits = 0, mantissa_bits = 0,
                 distribution = 0, feature_index = 0, channel = 0, feature_group_count = 0,
                 batch_group_count = 0, random_algorithm = 0, custom_call_schedule = 0, custom_call_api = 0,
                 k = 0, carries = 0, fft_type = 0, delta = 0, padding_type = 0;
    float epsilon = 0;
    bool constrain_layout = false, is_stable = false, indices_are_sorted = false, unique_indices = false,
         use_global_device_ids = false, has_side_effect = false, largest = false, is_composite = false,
         is_reverse = false, is_host_transfer = false;
    Integers dimensions, dynamic_slice_sizes, gather_slice_sizes, fft_length;
    std::vector<SliceDimension> slice;
    std::vector<SourceTarget> source_target_pairs;
    std::vector<ReplicaGroup> replica_groups;
    std::vector<Shape> operand_shapes_with_layout;
    std::vector<OutputOperandAlias> output_operand_aliases;
    std::string fusion_kind, custom_call_target, backend_config, comparison_direction, comparison_type;
    Box<Literal> literal;
    Box<Window> window;
    Box<ConvolutionDimensions> convolution;
    Box<Padding> padding;
    Box<DotDimensions> dot;
    Box<RaggedDotDimensions> ragged_dot;
    Box<GatherDimensions> gather;
    Box<ScatterDimensions> scatter;
    Box<Precision> precision;
    Box<TriangularSolve> triangular_solve;
    Box<Cholesky> cholesky;
    Box<Sharding> sharding;
    Box<FrontendAttributes> frontend;
    Box<DeviceList> device_list;
    Box<IotaGroups> iota_groups;
    Box<MeshGroups> mesh_groups;
};

}  // namespace trnsim::hlo
