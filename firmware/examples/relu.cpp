// Computes max(x, 0), a row at a time through TCM.
#include <riscv_vector.h>

#include "trnsim/custom_op.hpp"

static void relu(trnsim::Tensor in) {
    const trnsim::Tensor out = trnsim::get_dst_tensor();
    constexpr uint32_t Block = 1024;
    auto* block = static_cast<float*>(trnsim::tcm_malloc(Block * sizeof(float)));
    if (block == nullptr || in.elements() != out.elements()) return trnsim::fail();
    const auto reader = in.tcm_accessor(), writer = out.tcm_accessor();
    for (uint32_t at = 0; at < in.elements(); at += Block) {
        const uint32_t count = in.elements() - at < Block ? in.elements() - at : Block;
        reader.tensor_to_tcm(block, at, count);
        for (uint32_t k = 0; k < count;) {
            const size_t vl = __riscv_vsetvl_e32m8(count - k);
            const vfloat32m8_t x = __riscv_vle32_v_f32m8(block + k, vl);
            __riscv_vse32(block + k, __riscv_vfmax(x, 0.0F, vl), vl);
            k += static_cast<uint32_t>(vl);
        }
        writer.tcm_to_tensor(block, at, count);
    }
    trnsim::tcm_free(block);
}
TRNSIM_CUSTOM_OP(relu)
