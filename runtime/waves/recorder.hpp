// The waveform of a run: what the core's model records, with what DMA engines and HBM do and what GTKWave needs
// beside it.
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
    // `request.path` is the file that is to appear, `package` what runs on `core`; it must outlive the recorder. Throws
    // std::runtime_error for another name than .fst, a scope that there is not and cycles of which there are none,
    // files::Error.
    Recorder(const runtime::WaveRequest& request, const neff::Package& package, addresses::CoreId core = {});

    // For the device.
    const runtime::WaveRequest& request() const { return request_; }
    // Is to get what the models report; null where it does not matter.
    tlm::trace::Sink* listener() { return dma_ || hbm_ ? &logs_ : nullptr; }

    // After the run, with what Device::close_wave() says: completes the file, gives it its name and writes
    // what lies beside it, a view among it: "core" unless the scopes that were asked for have another one.
    // Returns the view's path. Throws files::Error when the file is not whole.
    std::filesystem::path commit(const std::string& failure, const Run& run);
    // Without a view.
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
