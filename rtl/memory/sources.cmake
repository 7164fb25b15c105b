set(RTL_MEMORY
    ${RTL_DIR}/memory/memory_pkg.sv
    ${RTL_DIR}/memory/sbuf.sv
    ${RTL_DIR}/memory/psum.sv
    ${RTL_DIR}/memory/shared_port.sv)
set(RTL_MEMORIES ${RTL_DIR}/memory/memories.sv)  # needs RTL_BUS as well
