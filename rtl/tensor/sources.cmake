set(RTL_TENSOR
    ${RTL_DIR}/tensor/tensor_pkg.sv
    ${RTL_DIR}/tensor/tensor_tile_pkg.sv
    ${RTL_DIR}/tensor/pe_block.sv
    ${RTL_DIR}/tensor/pe_rows.sv
    ${RTL_DIR}/tensor/pe_lower.sv
    ${RTL_DIR}/tensor/pe_lower_border.sv
    ${RTL_DIR}/tensor/pe_array.sv
    ${RTL_DIR}/tensor/tensor_decode.sv
    ${RTL_DIR}/tensor/tensor_stream.sv
    ${RTL_DIR}/tensor/tensor_loader.sv
    ${RTL_DIR}/tensor/tensor_engine.sv)

# Sources that the lower blocks of the array need by themselves
set(RTL_PE_LOWER
    ${RTL_DIR}/common/core_pkg.sv
    ${RTL_DIR}/fp/fp32_lane_pkg.sv
    ${RTL_DIR}/fp/widen_lane_pkg.sv
    ${RTL_DIR}/fp/tensor_lane_pkg.sv
    ${RTL_DIR}/tensor/tensor_pkg.sv
    ${RTL_DIR}/tensor/tensor_tile_pkg.sv
    ${RTL_DIR}/tensor/pe_block.sv
    ${RTL_DIR}/tensor/pe_rows.sv
    ${RTL_DIR}/tensor/pe_lower.sv)
