#include <gtest/gtest.h>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/sweep/executor.hpp"

namespace trnsim::sweep {
namespace {

TEST(SlurmExecutor, SubmitsAnArray) {
    const test::TemporaryDirectory folder;
    Sweep sweep;
    sweep.name = "mine";
    sweep.file = folder / "my sweep.yaml";
    const Plan plan;
    const Store store(folder / "o'ut");
    const std::string out = (folder / "o'ut").string(), quoted = (folder / "o").string() + "'\\''ut";
    const std::vector<std::string> expected{"sbatch",
                                            "--parsable",
                                            "--job-name=trnsim-mine",
                                            "--array=0-6",
                                            "--ntasks=1",
                                            "--cpus-per-task=1",
                                            "--output=" + out + "/slurm/%a.log",
                                            "--wrap=exec /opt/bin/trnsim sweep '" +
                                                (folder / "my sweep.yaml").string() + "' -o '" + quoted +
                                                "' --tasks 7 --task \"$SLURM_ARRAY_TASK_ID\""};
    EXPECT_EQ(sbatch_command({sweep, plan, store, {}}, "/opt/bin/trnsim", 7), expected);
}

TEST(SlurmExecutor, TasksShareThePendingPoints) {
    const test::TemporaryDirectory folder;
    const Store store(folder / "out");
    std::filesystem::create_directories(folder / "out/slurm");
    files::write(folder / "out/slurm/pending", "2\n5\n6\n9\n11\n");
    using Share = std::vector<std::size_t>;
    EXPECT_EQ(share_of_task(store, 0, 2), (Share{2, 6, 11}));
    EXPECT_EQ(share_of_task(store, 1, 2), (Share{5, 9}));
    EXPECT_EQ(share_of_task(store, 6, 7), Share{});
}

}  // namespace
}  // namespace trnsim::sweep
