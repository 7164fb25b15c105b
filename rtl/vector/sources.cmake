# The engine; it needs RTL_COMMON, RTL_FP, RTL_ROUNDING and RTL_ELEMENTWISE. First come those of its units
# that need no others.
set(RTL_VECTOR_SPECIAL
    ${RTL_DIR}/vector/vector_special_pkg.sv
    ${RTL_DIR}/vector/vector_random_pkg.sv
    ${RTL_DIR}/vector/vector_search_pkg.sv
    ${RTL_DIR}/vector/vector_unit_properties.sv
    ${RTL_DIR}/vector/vector_random.sv
    ${RTL_DIR}/vector/vector_max8.sv
    ${RTL_DIR}/vector/vector_match8.sv
    ${RTL_DIR}/vector/vector_shuffle.sv
    ${RTL_DIR}/vector/vector_transpose.sv
    ${RTL_DIR}/vector/vector_special.sv)

set(RTL_VECTOR
    ${RTL_VECTOR_SPECIAL}
    ${RTL_DIR}/vector/vector_pkg.sv
    ${RTL_DIR}/vector/vector_decode_pkg.sv
    ${RTL_DIR}/vector/vector_check_pkg.sv
    ${RTL_DIR}/vector/vector_alu_pkg.sv
    ${RTL_DIR}/vector/vector_dividers.sv
    ${RTL_DIR}/vector/vector_lanes.sv
    ${RTL_DIR}/vector/vector_bn_stats.sv
    ${RTL_DIR}/vector/vector_bn_aggr.sv
    ${RTL_DIR}/vector/vector_units.sv
    ${RTL_DIR}/vector/vector_sequence.sv
    ${RTL_DIR}/vector/vector_execute.sv
    ${RTL_DIR}/vector/vector_engine.sv)
