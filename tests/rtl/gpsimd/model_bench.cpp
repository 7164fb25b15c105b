#include "tests/rtl/gpsimd/model_bench.hpp"

#include <algorithm>
#include <cstring>

namespace trnsim::test {

namespace {

constexpr std::uint64_t Latency = 4;

}  // namespace

ModelBench::ModelBench(unsigned cores, std::uint64_t seed, bool stalls)
    : cores_(context_, "cores", cores, 1),
      slices_(cores, {std::vector<std::uint32_t>(SliceBytes / 4), {}}),
      random_(seed),
      stalls_(stalls) {}

void ModelBench::load(unsigned core, const std::vector<std::uint32_t>& words) {
    std::memcpy(cores_.memory(core).data(), words.data(), words.size() * sizeof words[0]);
}

void ModelBench::serve(unsigned core, tlm::GpsimdCores::Inputs& in) {
    Vgpsimd_core& model = cores_.model(core);
    Slice& slice = slices_[core];
    in.read_ready = !stalls_ || random_() % 4 != 0;
    in.write_ready = !stalls_ || random_() % 4 != 0;
    in.read_rvalid = !slice.reads.empty() && slice.reads.front().due <= cycle_;
    if (in.read_rvalid) {
        std::ranges::copy(slice.reads.front().data, &model.read_rdata_i[0]);
        slice.reads.pop_front();
    }
    if (model.read_valid_o && in.read_ready) {
        Read read{cycle_ + Latency + (stalls_ ? random_() % 8 : 0), {}};
        std::copy_n(&slice.words[std::size_t{model.read_beat_o} * read.data.size()], read.data.size(),
                    read.data.begin());
        slice.reads.push_back(read);
    }
    if (model.write_valid_o && in.write_ready) {
        auto* bytes = reinterpret_cast<std::uint8_t*>(&slice.words[std::size_t{model.write_beat_o} * 16]);
        const auto* data = reinterpret_cast<const std::uint8_t*>(&model.write_wdata_o[0]);
        for (unsigned k = 0; k < 64; ++k)
            if (model.write_strobe_o >> k & 1) bytes[k] = data[k];
    }
}

void ModelBench::step(unsigned run, unsigned irq) {
    cores_.serve_debugger();
    for (unsigned core = 0; core < slices_.size(); ++core) {
        tlm::GpsimdCores::Inputs in{
            .run = (run >> core & 1) != 0, .irq = (irq >> core & 1) != 0, .boot = TcmBase};
        serve(core, in);
        cores_.enter(core, in);
    }
    cores_.edge();
    ++cycle_;
}

bool ModelBench::run(unsigned mask, std::uint64_t most_cycles) {
    for (const std::uint64_t end = cycle_ + most_cycles; cycle_ != end;) {
        step(mask);
        bool all = true;
        for (unsigned core = 0; core < slices_.size(); ++core)
            all = all && ((mask >> core & 1) == 0 || waiting(core));
        if (all) return true;
    }
    return false;
}

}  // namespace trnsim::test
