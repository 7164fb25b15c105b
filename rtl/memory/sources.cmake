set(RTL_MEMORY
    ${RTL_DIR}/memory/ecc_pkg.sv
    ${RTL_DIR}/memory/memory_pkg.sv
    ${RTL_DIR}/memory/sbuf.sv
    ${RTL_DIR}/memory/psum.sv
    ${RTL_DIR}/memory/shared_port.sv)
set(RTL_MEMORIES  # these need RTL_BUS as well
    ${RTL_DIR}/memory/slice_arbiter.sv
    ${RTL_DIR}/memory/sum_marks.sv
    ${RTL_DIR}/memory/upset_list.sv
    ${RTL_DIR}/memory/read_watch.sv
    ${RTL_DIR}/memory/memories.sv)
