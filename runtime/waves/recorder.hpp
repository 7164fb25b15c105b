// The waveform of a run: the signals of the core's model, those of DMA engines and HBM, and the files that
// GTKWave needs beside it.
#pragma once

#include <optional>
#include <string>

#include "base/files/files.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/session/device.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/waves/dma_log.hpp"
#include "runtime/waves/hbm_log.hpp"
#include "runtime/waves/run.hpp"

namespace trnsim::waves {

class Recorder {
  public:
    // `request.path` is the output file, `package` runs on `core`; it must outlive the recorder. `clock`, Hz, is for a
    // recording that is never finished, as its program is killed; 0: not known. Throws
    // std::runtime_error for a name that does not end in .fst, an unknown scope and an empty range of cycles;
    // throws files::Error.
    Recorder(const runtime::WaveRequest& request, const neff::Package& package, addresses::CoreId core = {},
             std::uint64_t clock = 0);

    // Returns the request for the device.
    const runtime::WaveRequest& request() const { return request_; }
    // Returns the listener for the reports of the models; nullptr if none is needed.
    tlm::trace::Sink* listener() { return dma_ || hbm_ ? &logs_ : nullptr; }

    // Call it after the run, with the result of Device::close_wave(). It completes the file, gives it its
    // name and writes the files beside it, including a view: "core" unless the requested scopes have another
    // one. Returns the view's path. Throws files::Error when the file is incomplete.
    std::filesystem::path commit(const std::string& failure, const Run& run);
    // Does the same without a view.
    void commit_recording(const std::string& failure, const Run& run);

  private:
    std::filesystem::path path_;
    std::vector<std::string> scopes_;
    const neff::Package& package_;
    files::ForeignFile file_;
    runtime::WaveRequest request_;
    std::optional<DmaLog> dma_;
    std::optional<HbmLog> hbm_;
    runtime::Relay logs_;
};

}  // namespace trnsim::waves
