# The ROM is made from testbench/activation/tables.txt.
set(RTL_ACTIVATION_ROM ${CMAKE_BINARY_DIR}/generated/activation/activation_rom_pkg.sv)
set(RTL_SCALAR
    ${RTL_ACTIVATION_ROM}
    ${RTL_DIR}/scalar/activation_lane_pkg.sv
    ${RTL_DIR}/scalar/direct_lane_pkg.sv
    ${RTL_DIR}/scalar/scalar_pkg.sv
    ${RTL_DIR}/scalar/scalar_check_pkg.sv
    ${RTL_DIR}/scalar/scalar_lanes.sv
    ${RTL_DIR}/scalar/scalar_execute.sv
    ${RTL_DIR}/scalar/scalar_engine.sv)
