# Sources that the engines that work element by element share; they need RTL_COMMON and RTL_FP.
set(RTL_ELEMENTWISE
    ${RTL_DIR}/elementwise/elementwise_pkg.sv
    ${RTL_DIR}/elementwise/elementwise_bank_queue.sv
    ${RTL_DIR}/elementwise/elementwise_read_port.sv
    ${RTL_DIR}/elementwise/elementwise_source.sv
    ${RTL_DIR}/elementwise/elementwise_immediates.sv
    ${RTL_DIR}/elementwise/elementwise_issue.sv
    ${RTL_DIR}/elementwise/elementwise_write.sv
    ${RTL_DIR}/elementwise/elementwise_front.sv)
