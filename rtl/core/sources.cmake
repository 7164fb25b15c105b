set(RTL_CORE
    ${RTL_DIR}/core/engine_bridge.sv
    ${RTL_DIR}/core/neuron_core.sv)
