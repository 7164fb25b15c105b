// Finds the k largest elements of every row, the largest first, and their places. Among equal elements the
// first comes first.
#include "trnsim/custom_op.hpp"

static void topk(trnsim::Tensor in, trnsim::Tensor places) {
    const trnsim::Tensor out = trnsim::get_dst_tensor();
    const uint32_t count = in.row_elements(), k = out.row_elements();
    if (k > count || places.row_elements() != k || in.rows() != out.rows() || in.rows() != places.rows())
        return trnsim::fail();
    auto* row = static_cast<float*>(trnsim::tcm_malloc(count * sizeof(float)));
    auto* best = static_cast<float*>(trnsim::tcm_malloc(k * sizeof(float)));
    auto* place = static_cast<int32_t*>(trnsim::tcm_malloc(k * sizeof(int32_t)));
    if (row == nullptr || best == nullptr || place == nullptr) {
        trnsim::printf("topk: %u elements a row and %u kept do not fit into TCM\n", count, k);
        trnsim::fail();
    } else {
        for (uint32_t r = 0; r < in.rows(); ++r) {
            in.tcm_accessor().tensor_to_tcm(row, r * count, count);
            uint32_t kept = 0;
            for (uint32_t i = 0; i < count; ++i) {
                if (kept == k && !(row[i] > best[k - 1])) continue;
                uint32_t at = kept < k ? kept++ : k - 1;
                for (; at != 0 && row[i] > best[at - 1]; --at) {
                    best[at] = best[at - 1];
                    place[at] = place[at - 1];
                }
                best[at] = row[i];
                place[at] = static_cast<int32_t>(i);
            }
            out.tcm_accessor().tcm_to_tensor(best, r * k, k);
            places.tcm_accessor().tcm_to_tensor(place, r * k, k);
        }
    }
    trnsim::tcm_free(row);
    trnsim::tcm_free(best);
    trnsim::tcm_free(place);
}
TRNSIM_CUSTOM_OP(topk)
