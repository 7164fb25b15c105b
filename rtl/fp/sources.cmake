# Floating-point lane functions, in order of dependence.
set(RTL_FP
    ${RTL_DIR}/fp/tensor_lane_pkg.sv)
