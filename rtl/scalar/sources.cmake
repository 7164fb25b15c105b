# Generated from arch/activation/tables.txt.
set(RTL_ACTIVATION_TABLES ${PROJECT_BINARY_DIR}/generated/activation/activation_table_pkg.sv)
set(RTL_SCALAR
    ${RTL_ACTIVATION_TABLES}
    ${RTL_DIR}/scalar/scalar_table_pkg.sv
    ${RTL_DIR}/scalar/activation_lane_pkg.sv
    ${RTL_DIR}/scalar/direct_lane_pkg.sv
    ${RTL_DIR}/scalar/scalar_pkg.sv
    ${RTL_DIR}/scalar/scalar_check_pkg.sv
    ${RTL_DIR}/scalar/scalar_lanes.sv
    ${RTL_DIR}/scalar/scalar_execute.sv
    ${RTL_DIR}/scalar/scalar_engine.sv
    ${RTL_DIR}/scalar/table_loader.sv)
