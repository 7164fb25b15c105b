// Draws random numbers, a vector of lanes at a time.
#include "model/values/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/values/kernels/draws.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "model/values/kernels/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

HWY_ATTR void draw_on_target(Generators& generators, std::uint32_t* draws, std::size_t count) {
    auto& state = generators.state;
    const VU weyl = hn::Set(U(), 362437);
    for (std::size_t lane = 0; lane < Lanes; lane += hn::Lanes(U())) {
        VU x = hn::LoadU(U(), state[0] + lane), y = hn::LoadU(U(), state[1] + lane),
           z = hn::LoadU(U(), state[2] + lane);
        VU w = hn::LoadU(U(), state[3] + lane), v = hn::LoadU(U(), state[4] + lane),
           d = hn::LoadU(U(), state[5] + lane);
        for (std::size_t i = 0; i < count; ++i) {
            const VU t = hn::Xor(x, hn::ShiftRight<2>(x));
            x = y;
            y = z;
            z = w;
            w = v;
            v = hn::Xor(hn::Xor(v, hn::ShiftLeft<4>(v)), hn::Xor(t, hn::ShiftLeft<1>(t)));
            d = hn::Add(d, weyl);
            hn::StoreU(hn::Add(d, v), U(), draws + i * Lanes + lane);
        }
        hn::StoreU(x, U(), state[0] + lane);
        hn::StoreU(y, U(), state[1] + lane);
        hn::StoreU(z, U(), state[2] + lane);
        hn::StoreU(w, U(), state[3] + lane);
        hn::StoreU(v, U(), state[4] + lane);
        hn::StoreU(d, U(), state[5] + lane);
    }
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trnsim::fast::kernels {

HWY_EXPORT(draw_on_target);

void draw(Generators& generators, std::uint32_t* draws, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(draw_on_target)(generators, draws, count);
}

}  // namespace trnsim::fast::kernels
#endif
