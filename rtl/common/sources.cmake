set(RTL_COMMON
    ${RTL_DIR}/common/core_pkg.sv
    ${RTL_DIR}/common/row_port_pkg.sv
    ${RTL_DIR}/common/row_pkg.sv
    ${RTL_DIR}/common/operand_shape_pkg.sv
    ${RTL_DIR}/common/handshake_properties.sv
    ${RTL_DIR}/common/clock_gate.sv
    ${RTL_DIR}/common/ap_iterator.sv)
