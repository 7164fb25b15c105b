#include "session.hpp"

#include <sstream>

#include "base/npy/npy.hpp"
#include "common/sample_package.hpp"
#include "compiler/neff/neff.hpp"
#include "small_recording.hpp"
#include "tools/cli/app.hpp"

namespace trnsim::test {

int Session::operator()(const std::vector<std::string>& arguments) {
    std::ostringstream out_stream, err_stream;
    const auto make_machine =
        [this](const config::Config&,
               const runtime::MachineOptions& options) -> std::unique_ptr<runtime::Machine> {
        auto machine = std::make_unique<FakeMachine>(options);
        if (prepare) prepare(*machine);
        if (options.wave) write_recording(options.wave->path);
        wave_request = options.wave;
        threads = options.threads;
        return machine;
    };
    const int status = cli::run(arguments, {out_stream, err_stream, terminal, make_machine,
                                            [this](const std::filesystem::path& folder,
                                                   const std::vector<std::string>& viewer_arguments) {
                                                viewer_folder = folder;
                                                viewer = viewer_arguments;
                                                return obstacle;
                                            },
                                            [this](const std::vector<std::string>& arguments_again) {
                                                again = arguments_again;
                                                Session quiet;
                                                quiet.prepare = prepare;
                                                return quiet(arguments_again);
                                            }});
    out = out_stream.str();
    err = err_stream.str();
    return status;
}

std::vector<std::string> Session::sample_run() {
    neff::write(directory / "k.neff", sample_package());
    npy::Array array{npy::Type::F4, {4, 8}, std::vector<std::uint8_t>(128)};
    for (std::size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::uint8_t>(3 * i);
    npy::write(directory / "a.npy", array);
    return {"run", path("k.neff"), "--input", "a=" + path("a.npy"), "--output", "y=" + path("y.npy")};
}

}  // namespace trnsim::test
