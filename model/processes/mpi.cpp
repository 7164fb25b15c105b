#include "model/processes/mpi.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "base/places/places.hpp"
#include "model/processes/forwarded.hpp"
#include "model/processes/mpi_library.hpp"
#include "model/processes/sockets.hpp"

namespace trnsim::tlm::processes {
namespace {

namespace fs = std::filesystem;

// Returns a number that mpirun puts into a process's environment; 0: there is none.
unsigned number_in(const char* variable) {
    const char* const value = std::getenv(variable);
    unsigned number = 0;
    if (value != nullptr) std::from_chars(value, value + std::string_view(value).size(), number);
    return number;
}

constexpr const char* Count = "OMPI_COMM_WORLD_SIZE";
constexpr const char* Rank = "OMPI_COMM_WORLD_RANK";
constexpr const char* OtherCounts[] = {"PMI_SIZE", "MPI_LOCALNRANKS",
                                       "SLURM_STEP_NUM_TASKS"};  // the last one: srun

fs::path library() {
    for (const fs::path& folder : places::program_folders()) {
        for (const char* const libraries : {"../lib", "../lib/trnsim"}) {
            const fs::path path = (folder / libraries / MpiLibrary).lexically_normal();
            if (fs::exists(path)) return path;
        }
    }
    throw std::runtime_error(fmt::format(
        "{} is {}, but this program was built without MPI: expected libopenmpi-dev when it is built, or "
        "one process, which starts others with --processes",
        Count, number_in(Count)));
}

std::unique_ptr<Exchange> begin_mpi(const fs::path& path) {
    // The library is loaded for all, because Open MPI looks there for its own components.
    void* const loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const function = loaded != nullptr ? ::dlsym(loaded, MpiFunction) : nullptr;
    if (function == nullptr) throw std::runtime_error(fmt::format("MPI: {}", ::dlerror()));
    std::unique_ptr<Exchange> mpi(reinterpret_cast<MakeMpiExchange>(function)());
    if (!mpi) throw std::runtime_error("MPI: cannot begin");
    return mpi;
}

// Serves the link until its other end is closed.
void serve(Exchange& mpi, Exchange& link) {
    try {
        while (true) answer(link, mpi.all_to_all(take_request(link)));
    } catch (const Ended&) {
    }
}

// An exchange that says why when MPI has ended.
class Served : public Exchange {
  public:
    Served(Exchange& link, jobs::Process& process, unsigned rank, unsigned size)
        : forwarded_(link, rank, size), process_(process) {}

    unsigned rank() const override { return forwarded_.rank(); }
    unsigned size() const override { return forwarded_.size(); }
    std::vector<Message> all_to_all(std::vector<Message> messages) override {
        try {
            return forwarded_.all_to_all(std::move(messages));
        } catch (const Ended&) {
            while (!process_.poll()) ::poll(nullptr, 0, 1);
            const jobs::Outcome& outcome = process_.outcome();
            throw std::runtime_error(
                outcome.kind == jobs::Outcome::Kind::Threw
                    ? outcome.text
                    : fmt::format("MPI of process {} of {}: {}", rank(), size(), outcome.explanation()));
        }
    }

  private:
    Forwarded forwarded_;
    jobs::Process& process_;
};

}  // namespace

unsigned mpi_processes() {
    const unsigned count = number_in(Count);
    if (count != 0) return count;
    for (const char* const other : OtherCounts) {
        if (number_in(other) > 1)
            throw std::runtime_error(
                fmt::format("{} is {}: expected Open MPI's mpirun, or one process, which starts "
                            "others with --processes",
                            other, number_in(other)));
    }
    return 1;
}

unsigned mpi_rank() {
    return number_in(Rank);
}

Mpi::Mpi() {
    const fs::path path = library();
    Mesh mesh(2);
    process_ = std::make_unique<jobs::Process>(jobs::Job{.work = [&] {
        const auto link = mesh.join(1);
        const auto mpi = begin_mpi(path);
        if (mpi->size() != mpi_processes())
            throw std::runtime_error(
                fmt::format("{} is {}, but MPI has {}: expected a start by mpirun, or the variable unset",
                            Count, mpi_processes(), mpi->size()));
        serve(*mpi, *link);
        return std::string();
    }});
    link_ = mesh.join(0);
    exchange_ = std::make_unique<Served>(*link_, *process_, mpi_rank(), mpi_processes());
}

Mpi::~Mpi() {
    link_.reset();
    while (!process_->poll()) ::poll(nullptr, 0, 1);
}

}  // namespace trnsim::tlm::processes
