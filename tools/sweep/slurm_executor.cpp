#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/files/files.hpp"
#include "base/text/shell.hpp"
#include "tools/sweep/executor.hpp"

namespace trnsim::sweep {
namespace {

namespace fs = std::filesystem;

struct Answer {
    int status;
    std::string output;
};

// The output includes the program's standard error.
Answer ask(const std::vector<std::string>& arguments) {
    std::string command;
    for (const std::string& argument : arguments) command += text::shell_word(argument) + " ";
    FILE* pipe = ::popen((command + "2>&1").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error(fmt::format("{}: cannot be started", arguments[0]));
    Answer answer;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        answer.output.append(buffer.data(), n);
    answer.status = ::pclose(pipe);
    while (answer.output.ends_with('\n')) answer.output.pop_back();
    return answer;
}

fs::path pending_file(const Store& store) {
    return store.folder() / "slurm/pending";
}

void write_pending(const Batch& work) {
    std::string text;
    for (const Pending& pending : work.pending) text += fmt::format("{}\n", pending.index);
    files::write(pending_file(work.store), text);
}

class Slurm final : public Executor {
  public:
    explicit Slurm(std::size_t tasks) : tasks_(std::max<std::size_t>(tasks, 1)) {}

    bool run(const Batch& work, const Done& done, const std::function<bool()>& tick) override {
        if (work.pending.empty()) return true;
        fs::create_directories(work.store.folder() / "slurm");
        forget(work);
        write_pending(work);
        const std::size_t tasks = std::min(tasks_, work.pending.size());
        const std::string job =
            submit(sbatch_command(work, fs::read_symlink("/proc/self/exe").string(), tasks));
        std::set<std::size_t> open;  // indices in `pending`
        for (std::size_t i = 0; i < work.pending.size(); ++i) open.insert(i);
        for (bool active = true; active && !open.empty();) {
            for (int i = 0; i < TicksAPoll; ++i) {
                if (!tick()) {
                    ask({"scancel", job});
                    return false;
                }
                std::this_thread::sleep_for(Tick);
            }
            active = is_active(job);  // before the last look, so that no result is missed
            gather(work, open, done);
        }
        for (const std::size_t i : open) {
            PointResult result;
            result.reason = "the Slurm job ended without a result, its output is in the folder slurm";
            done(work.pending[i].index, result);
        }
        return true;
    }

  private:
    static constexpr std::chrono::milliseconds Tick{250};
    static constexpr int TicksAPoll = 4;

    // Removes earlier results of the points, which must not be taken for new ones.
    static void forget(const Batch& work) {
        for (const Pending& pending : work.pending) work.store.remove(pending.identity);
    }
    static std::string submit(const std::vector<std::string>& command) {
        const Answer answer = ask(command);
        if (answer.status != 0)
            throw std::runtime_error(answer.output.empty() ? "sbatch: failed" : answer.output);
        return answer.output.substr(0, answer.output.find(';'));  // JOB[;CLUSTER]
    }
    // squeue fails for a job that it has forgotten, so a failure means that the job is not active.
    static bool is_active(const std::string& job) {
        const Answer answer = ask({"squeue", "--noheader", "--jobs", job, "--format", "%T"});
        return answer.status == 0 && !answer.output.empty();
    }
    static void gather(const Batch& work, std::set<std::size_t>& open, const Done& done) {
        for (auto at = open.begin(); at != open.end();) {
            const Pending& pending = work.pending[*at];
            const auto result = work.store.find(pending.identity, true);
            if (result) done(pending.index, *result);
            at = result ? open.erase(at) : std::next(at);
        }
    }

    std::size_t tasks_;
};

}  // namespace

std::vector<std::size_t> share_of_task(const Store& store, std::size_t task, std::size_t tasks) {
    const auto bytes = files::read(pending_file(store));
    std::istringstream stream(std::string(bytes.begin(), bytes.end()));
    std::vector<std::size_t> share;
    std::size_t position = 0;
    for (std::size_t index = 0; stream >> index; ++position)
        if (position % tasks == task) share.push_back(index);
    return share;
}

std::vector<std::string> sbatch_command(const Batch& work, const std::string& program, std::size_t tasks) {
    const std::string folder = fs::absolute(work.store.folder()).string();
    return {"sbatch",
            "--parsable",
            fmt::format("--job-name=trnsim-{}", work.sweep.name),
            fmt::format("--array=0-{}", tasks - 1),
            "--ntasks=1",
            "--cpus-per-task=1",
            fmt::format("--output={}/slurm/%a.log", folder),
            fmt::format("--wrap=exec {} sweep {} -o {} --tasks {} --task \"$SLURM_ARRAY_TASK_ID\"",
                        text::shell_word(program), text::shell_word(fs::absolute(work.sweep.file).string()),
                        text::shell_word(folder), tasks)};
}

std::unique_ptr<Executor> slurm_executor(std::size_t tasks) {
    return std::make_unique<Slurm>(tasks);
}

}  // namespace trnsim::sweep
