set(RTL_BUS
    ${RTL_DIR}/bus/bus_pkg.sv
    ${RTL_DIR}/bus/axi_port.sv
    ${RTL_DIR}/bus/system_arbiter.sv
    ${RTL_DIR}/bus/window_ports.sv
    ${RTL_DIR}/bus/gpsimd_window.sv)
