set(RTL_TENSOR
    ${RTL_DIR}/tensor/tensor_pkg.sv
    ${RTL_DIR}/tensor/pe_block.sv
    ${RTL_DIR}/tensor/pe_array.sv
    ${RTL_DIR}/tensor/tensor_decode.sv
    ${RTL_DIR}/tensor/tensor_stream.sv
    ${RTL_DIR}/tensor/tensor_loader.sv
    ${RTL_DIR}/tensor/tensor_engine.sv)
