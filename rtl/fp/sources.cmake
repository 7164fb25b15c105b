# Floating-point lane functions, in the order of their dependences.
set(RTL_FP
    ${RTL_DIR}/fp/fp32_lane_pkg.sv
    ${RTL_DIR}/fp/widen_lane_pkg.sv
    ${RTL_DIR}/fp/narrow_lane_pkg.sv
    ${RTL_DIR}/fp/xorwow_lane_pkg.sv
    ${RTL_DIR}/fp/fma32_lane_pkg.sv
    ${RTL_DIR}/fp/tensor_lane_pkg.sv
    ${RTL_DIR}/fp/psum_lane_pkg.sv
    ${RTL_DIR}/fp/nan_lane_pkg.sv
    ${RTL_DIR}/fp/vector_lane_pkg.sv
    ${RTL_DIR}/fp/bit_lane_pkg.sv
    ${RTL_DIR}/fp/logic_lane_pkg.sv
    ${RTL_DIR}/fp/reciprocal_lane_pkg.sv
    ${RTL_DIR}/fp/bn_lane_pkg.sv)
