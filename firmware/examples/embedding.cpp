// Embedding lookup by int32 keys: every row has its own hash table with open addressing and linear probing. A
// key that is not in the table gives zeros; the key `empty` marks free slots.
#include "trnsim/custom_op.hpp"

static uint32_t slot_of(int32_t key, uint32_t slots) {
    return static_cast<uint32_t>(key) * 0x9e3779b1U % slots;
}

// keys: [rows, slots]; vectors: [rows, slots, width]; queries: [rows, count]; result: [rows, count, width]
static void embedding(trnsim::Tensor keys, trnsim::Tensor vectors, trnsim::Tensor queries, int32_t empty) {
    const trnsim::Tensor out = trnsim::get_dst_tensor();
    const uint32_t slots = keys.row_elements(), count = queries.row_elements(),
                   width = vectors.row_elements() / slots;
    if (vectors.row_elements() != slots * width || out.row_elements() != count * width ||
        out.rows() != keys.rows()) {
        return trnsim::fail();
    }
    auto* table = static_cast<int32_t*>(trnsim::tcm_malloc(slots * sizeof(int32_t)));
    auto* vector = static_cast<float*>(trnsim::tcm_malloc(width * sizeof(float)));
    if (table == nullptr || vector == nullptr) return trnsim::fail();
    auto query = queries.read_stream_accessor<int32_t>();
    for (uint32_t row = 0; row < keys.rows(); ++row) {
        keys.tcm_accessor().tensor_to_tcm(table, row * slots, slots);
        for (uint32_t q = 0; q < count; ++q) {
            const int32_t key = query.read();
            uint32_t slot = slot_of(key, slots), tried = 0;
            for (; tried < slots && table[slot] != key && table[slot] != empty; ++tried)
                slot = slot + 1 == slots ? 0 : slot + 1;
            if (tried < slots && table[slot] == key && key != empty) {
                vectors.tcm_accessor().tensor_to_tcm(vector, (row * slots + slot) * width, width);
            } else {
                for (uint32_t k = 0; k < width; ++k) vector[k] = 0.0F;
            }
            out.tcm_accessor().tcm_to_tensor(vector, (row * count + q) * width, width);
        }
    }
    trnsim::tcm_free(table);
    trnsim::tcm_free(vector);
}
TRNSIM_CUSTOM_OP(embedding)
