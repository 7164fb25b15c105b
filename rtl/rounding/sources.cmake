# The write stage of engines that narrow fp32; it needs RTL_COMMON and RTL_FP.
set(RTL_ROUNDING
    ${RTL_DIR}/rounding/rounding_unit.sv
    ${RTL_DIR}/rounding/seed_bridge.sv)
