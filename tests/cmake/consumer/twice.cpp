#include "factor.hpp"
#include "trnsim/custom_op.hpp"

static void twice(trnsim::Tensor in) {
    trnsim::Tensor out = trnsim::get_dst_tensor();
    auto reader = in.read_stream_accessor<float>();
    auto writer = out.write_stream_accessor<float>();
    for (uint32_t i = 0; i < in.elements(); ++i) writer.write(Factor * reader.read());
    writer.close();
}
TRNSIM_CUSTOM_OP(twice)
