#include <algorithm>

#include "base/npy/npy.hpp"
#include "fuzz/targets.hpp"

namespace trnsim::fuzz {

void npy(Bytes input) {
    npy::Array array;
    try {
        array = npy::parse(input, "input.npy");
    } catch (const npy::Error& error) {
        expect_line(error.what());
        return;
    }
    const npy::Array again = npy::parse(npy::serialise(array), "again.npy");
    expect(again.type == array.type && again.shape == array.shape && again.data == array.data,
           "what is written is read back as something else");
}

}  // namespace trnsim::fuzz
