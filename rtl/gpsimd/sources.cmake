# A GpSimd core, and all cores. The packages with their sizes come first: cfg_pkg and gpsimd_cfg_pkg, or
# RTL_GPSIMD_VLEN128 and so on.
set(RTL_GPSIMD_PACKAGES
    ${RTL_DIR}/gpsimd/gpsimd_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_fp_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_estimate_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_alu_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_decode_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_vdecode_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_vlegal_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_vint_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_vfp_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_vmask_pkg.sv)
set(RTL_GPSIMD_CORE
    ${RTL_GPSIMD_PACKAGES}
    ${RTL_DIR}/common/clock_gate.sv
    ${RTL_DIR}/common/handshake_properties.sv
    ${RTL_DIR}/gpsimd/gpsimd_fetch.sv
    ${RTL_DIR}/gpsimd/gpsimd_tcm.sv
    ${RTL_DIR}/gpsimd/gpsimd_lsu.sv
    ${RTL_DIR}/gpsimd/gpsimd_csr.sv
    ${RTL_DIR}/gpsimd/gpsimd_registers.sv
    ${RTL_DIR}/gpsimd/gpsimd_result_pipe.sv
    ${RTL_DIR}/gpsimd/gpsimd_divider.sv
    ${RTL_DIR}/gpsimd/gpsimd_units.sv
    ${RTL_DIR}/gpsimd/gpsimd_vrf.sv
    ${RTL_DIR}/gpsimd/gpsimd_vdivider.sv
    ${RTL_DIR}/gpsimd/gpsimd_vmem.sv
    ${RTL_DIR}/gpsimd/gpsimd_vbeat.sv
    ${RTL_DIR}/gpsimd/gpsimd_velement.sv
    ${RTL_DIR}/gpsimd/gpsimd_voperands.sv
    ${RTL_DIR}/gpsimd/gpsimd_vector.sv
    ${RTL_DIR}/gpsimd/gpsimd_execute.sv
    ${RTL_DIR}/gpsimd/gpsimd_core_probe.sv
    ${RTL_DIR}/gpsimd/gpsimd_core.sv)
set(RTL_GPSIMD ${RTL_GPSIMD_CORE} ${RTL_DIR}/gpsimd/gpsimd_cores.sv)
# The engine around the cores; it needs RTL_COMMON and RTL_BUS.
set(RTL_GPSIMD_ENGINE
    ${RTL_DIR}/gpsimd/gpsimd_engine_pkg.sv
    ${RTL_DIR}/gpsimd/gpsimd_dispatch.sv
    ${RTL_DIR}/gpsimd/gpsimd_access.sv
    ${RTL_DIR}/gpsimd/gpsimd_slices.sv
    ${RTL_DIR}/gpsimd/gpsimd_engine.sv)
