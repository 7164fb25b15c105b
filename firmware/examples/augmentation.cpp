// Data augmentation: drops elements with a probability and adds noise from [-amplitude, amplitude) to the
// others. The random numbers are a hash of seed, row of the tensor and element, so they do not depend on the
// number of cores.
#include <riscv_vector.h>

#include "trnsim/custom_op.hpp"

// 32 well mixed bits of each lane (the finaliser of MurmurHash3).
static vuint32m4_t mix(vuint32m4_t v, size_t vl) {
    v = __riscv_vxor(v, __riscv_vsrl(v, 16, vl), vl);
    v = __riscv_vmul(v, 0x85ebca6bU, vl);
    v = __riscv_vxor(v, __riscv_vsrl(v, 13, vl), vl);
    v = __riscv_vmul(v, 0xc2b2ae35U, vl);
    return __riscv_vxor(v, __riscv_vsrl(v, 16, vl), vl);
}

static void augmentation(trnsim::Tensor in, uint32_t seed, float drop, float amplitude) {
    const trnsim::Tensor out = trnsim::get_dst_tensor();
    if (in.rows() != out.rows() || in.row_elements() != out.row_elements()) return trnsim::fail();
    constexpr uint32_t Block = 512;
    auto* block = static_cast<float*>(trnsim::tcm_malloc(Block * sizeof(float)));
    if (block == nullptr) return trnsim::fail();
    const auto threshold = static_cast<uint32_t>(drop * 0x1p32F);
    const uint32_t count = in.row_elements();
    for (uint32_t row = 0; row < in.rows(); ++row) {
        const uint32_t stream = seed + (in.first_row() + row) * 0x9e3779b9U;
        for (uint32_t at = 0; at < count; at += Block) {
            const uint32_t now = count - at < Block ? count - at : Block;
            in.tcm_accessor().tensor_to_tcm(block, row * count + at, now);
            for (uint32_t k = 0; k < now;) {
                const size_t vl = __riscv_vsetvl_e32m4(now - k);
                const vuint32m4_t element = __riscv_vadd(__riscv_vid_v_u32m4(vl), at + k, vl);
                const vuint32m4_t first = mix(__riscv_vxor(element, stream, vl), vl);
                const vuint32m4_t second = mix(__riscv_vadd(first, stream, vl), vl);
                // 24 bits, exact, in [-1, 1)
                const vfloat32m4_t unit = __riscv_vfsub(
                    __riscv_vfmul(__riscv_vfcvt_f(__riscv_vsrl(second, 8, vl), vl), 0x1p-23F, vl), 1.0F, vl);
                const vfloat32m4_t x = __riscv_vle32_v_f32m4(block + k, vl);
                const vfloat32m4_t noisy = __riscv_vfadd(x, __riscv_vfmul(unit, amplitude, vl), vl);
                const vbool8_t dropped = __riscv_vmsltu(first, threshold, vl);
                __riscv_vse32(block + k, __riscv_vfmerge(noisy, 0.0F, dropped, vl), vl);
                k += static_cast<uint32_t>(vl);
            }
            out.tcm_accessor().tcm_to_tensor(block, row * count + at, now);
        }
    }
    trnsim::tcm_free(block);
}
TRNSIM_CUSTOM_OP(augmentation)
