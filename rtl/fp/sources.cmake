# Floating-point lane functions, in order of dependence.
set(RTL_FP
    ${RTL_DIR}/fp/fp32_lane_pkg.sv
    ${RTL_DIR}/fp/psum_lane_pkg.sv
    ${RTL_DIR}/fp/tensor_lane_pkg.sv)
