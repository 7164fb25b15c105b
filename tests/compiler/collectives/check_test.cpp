// Tests that the checker refuses wrong schedules, and its messages.
#include "compiler/collectives/check.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "common/random.hpp"
#include "compiler/collectives/cases.hpp"
#include "compiler/collectives/error.hpp"

namespace trnsim::collectives::test {
namespace {

std::string fault(const Schedule& schedule) {
    return fault_of_order(schedule).value_or("");
}

Request request_of(Operation operation, std::uint32_t ranks, std::uint64_t count) {
    Request request;
    request.operation = operation;
    request.dtype = isa::Dtype::Bf16;
    request.ranks = ranks;
    request.count = count;
    return request;
}

Schedule ring() {
    return make_schedule(request_of(Operation::AllReduce, 5, 20), {Algorithm::Ring});
}

// Makes a case of every operation and algorithm, in place and not.
std::vector<Case> samples(std::mt19937_64& random) {
    std::vector<Case> all;
    for (const Operation operation : Operations) {
        for (const Algorithm algorithm : algorithms(operation)) {
            for (const bool in_place : {false, true}) {
                for (const std::uint32_t ranks : {6u, 8u}) {
                    Case& test = all.emplace_back(Case{request_of(operation, ranks, 9), {algorithm, {}, 2}});
                    test.request.in_place = in_place;
                    fill_in(test.request, random);
                }
            }
        }
    }
    return all;
}

// Returns random steps of a schedule to spoil; long runs take all of them.
std::vector<std::size_t> some_steps(const Schedule& schedule, std::size_t count, std::mt19937_64& random) {
    std::vector<std::size_t> ids(schedule.steps.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    std::ranges::shuffle(ids, random);
    ids.resize(std::min<std::size_t>(ids.size(), count * trnsim::test::scale()));
    return ids;
}

bool comes_before(const Schedule& schedule, StepId early, StepId late) {
    const auto& waits = schedule.steps[late].waits;
    return std::ranges::any_of(
        waits, [&](StepId id) { return id == early || (id > early && comes_before(schedule, early, id)); });
}

// Every wait is needed unless others imply it.
TEST(Checker, FindsEveryWaitThatIsMissing) {
    std::mt19937_64 random = trnsim::test::generator();
    std::size_t removed = 0, implied = 0;
    for (const Case& test : samples(random)) {
        SCOPED_TRACE(test.text());
        Schedule schedule = make_schedule(test.request, test.plan);
        for (const std::size_t id : some_steps(schedule, 8, random)) {
            auto& waits = schedule.steps[id].waits;
            for (std::size_t w = 0; w < waits.size(); ++w) {
                const std::vector<StepId> all = waits;
                const StepId without = waits[w];
                waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(w));
                ++removed;
                if (comes_before(schedule, without, static_cast<StepId>(id))) {
                    ++implied;
                    EXPECT_EQ(fault(schedule), "");
                } else {
                    EXPECT_NE(fault(schedule), "") << "step " << id << " without its wait for " << without;
                }
                waits = all;
            }
        }
    }
    EXPECT_GT(removed, 300u);
    EXPECT_LT(implied, removed / 4);
}

// An operand in another place causes a race, an unwritten read, or wrong outputs.
TEST(Checker, FindsEveryOperandInAnotherPlace) {
    std::mt19937_64 random = trnsim::test::generator();
    for (const Case& test : samples(random)) {
        if (test.request.operation == Operation::Barrier) continue;
        SCOPED_TRACE(test.text());
        Schedule schedule = make_schedule(test.request, test.plan);
        for (const std::size_t id : some_steps(schedule, 2, random)) {
            Transfer& transfer = schedule.steps[id].transfer;
            for (auto* operands : {&transfer.sources, &transfer.destinations}) {
                for (ElementRun& operand : *operands) {
                    const ElementRun right = operand;
                    const std::uint64_t size = isa::element_size(operand.dtype);
                    for (const std::uint64_t shift :
                         {size, 0 - size, transfer.elements * size, std::uint64_t{1}}) {
                        operand.place.offset = right.place.offset + shift;
                        if (operand.place.offset > right.place.offset + (1u << 20)) continue;  // below 0
                        const bool found =
                            fault_of_order(schedule) || fault_of_contents(schedule, test.request);
                        EXPECT_TRUE(found)
                            << "step " << id << ", moved by " << static_cast<std::int64_t>(shift);
                    }
                    operand = right;
                }
            }
        }
    }
}

// Swaps only destinations of combinations: copies of the same data may be swapped, and so may results that
// every rank computes for itself.
TEST(Checker, FindsSwappedRanges) {
    std::mt19937_64 random = trnsim::test::generator();
    std::size_t swapped = 0;
    for (const Case& test : samples(random)) {
        if (!reduces(test.request.operation) || test.plan.algorithm == Algorithm::SingleStepMesh) continue;
        SCOPED_TRACE(test.text());
        Schedule schedule = make_schedule(test.request, test.plan);
        for (const std::size_t id : some_steps(schedule, 8, random)) {
            Transfer& one = schedule.steps[id].transfer;
            Transfer& other = schedule.steps[random() % schedule.steps.size()].transfer;
            if (one.destinations == other.destinations || one.combine == Combine::Copy ||
                other.combine == Combine::Copy)
                continue;
            ++swapped;
            std::swap(one.destinations, other.destinations);
            EXPECT_TRUE(fault_of_order(schedule) || fault_of_contents(schedule, test.request))
                << "step " << id;
            std::swap(one.destinations, other.destinations);
        }
    }
    EXPECT_GT(swapped, 60u);
}

TEST(Checker, SaysWhatIsWrong) {
    struct Row {
        const char* what;
        void (*spoil)(Schedule&);
    };
    const Row rows[] = {
        {"steps 0 and 1 write in no order: scratch of rank 1, byte 0",
         [](Schedule& s) {
             s.steps.resize(2);
             s.lists = {{0}, {1}, {}, {}, {}};
             s.outputs.clear();
             s.steps[1].transfer.destinations = s.steps[0].transfer.destinations;
         }},
        {"step 5 reads what may not be written yet: scratch of rank 0, byte 0",
         [](Schedule& s) { s.steps[5].waits.clear(); }},
        {"step 2: in 0 lists, expected 1", [](Schedule& s) { s.lists[2].erase(s.lists[2].begin()); }},
        {"list of rank 0: step 1 is none of this rank's",
         [](Schedule& s) { std::swap(s.lists[0], s.lists[1]); }},
        {"45 of 45 steps wait for each other",
         [](Schedule& s) {
             for (auto& list : s.lists) std::ranges::reverse(list);
         }},
        {"step 5: waits for step 5, expected an earlier one",
         [](Schedule& s) { s.steps[5].waits.push_back(5); }},
        {"step 0: no elements", [](Schedule& s) { s.steps[0].transfer.elements = 0; }},
        {"step 0: rank 5, expected one below 5",
         [](Schedule& s) { s.steps[0].transfer.sources[0].place.rank = 5; }},
        {"step 0: input of rank 0, byte 32 to 48, expected at most 40 bytes",
         [](Schedule& s) { s.steps[0].transfer.elements = 8; }},
        {"step 0: a copy of several sources",
         [](Schedule& s) { s.steps[0].transfer.sources.push_back(s.steps[0].transfer.sources[0]); }},
        {"step 0: a copy from one type to another",
         [](Schedule& s) { s.steps[0].transfer.destinations[0].dtype = isa::Dtype::Fp16; }},
        {"step 0: expected 1 to 16 sources", [](Schedule& s) { s.steps[0].transfer.sources.clear(); }},
        {"step 0: expected 1 or 2 destinations",
         [](Schedule& s) { s.steps[0].transfer.destinations.clear(); }},
        {"step 0: two destinations have bytes in common",
         [](Schedule& s) {
             auto& destinations = s.steps[0].transfer.destinations;
             destinations.push_back(destinations[0]);
         }},
        {"step 0: a source and a destination have bytes in common",
         [](Schedule& s) {
             auto& [combine, sources, destinations, elements, rounding, first] = s.steps[0].transfer;
             destinations[0] = sources[0];
             destinations[0].place.offset -= 2;
         }},
        {"step 0: expected rounding to nearest or stochastic",
         [](Schedule& s) { s.steps[0].transfer.rounding = isa::Rounding::Core; }},
        {"output of rank 4, byte 40: an output that no step writes",
         [](Schedule& s) {
             s.buffer_bytes[1][4] += 2;
             s.outputs.push_back({{4, Buffer::Output, 40}, 2});
         }},
    };
    EXPECT_EQ(fault(ring()), "");
    for (const Row& row : rows) {
        Schedule schedule = ring();
        row.spoil(schedule);
        EXPECT_EQ(fault(schedule), row.what);
    }
}

// A barrier completes on no rank before all ranks have begun.
TEST(Checker, FindsABarrierThatLetsSomebodyPass) {
    const Request request = request_of(Operation::Barrier, 6, 0);
    Schedule schedule = make_schedule(request, {Algorithm::Direct});
    EXPECT_EQ(fault_of_contents(schedule, request), std::nullopt);
    // Removes the last round of what the last step of rank 0 waits for.
    Step& last = schedule.steps[schedule.lists[0].back()];
    last.transfer.sources.pop_back();
    last.waits.pop_back();
    EXPECT_NE(fault_of_contents(schedule, request), std::nullopt);
}

TEST(Execute, RefusesWhatCannotRun) {
    const auto message = [](const Schedule& schedule, std::vector<Memory> memories) -> std::string {
        try {
            execute(schedule, memories, {});
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    Schedule schedule = ring();
    std::vector<Memory> memories = make_memories(schedule, 0);
    EXPECT_EQ(message(schedule, memories), "");
    memories[3][1].pop_back();
    EXPECT_EQ(message(schedule, memories), "memory of rank 3: buffer 1 has 39 bytes, expected 40");
    memories.pop_back();
    EXPECT_EQ(message(schedule, memories), "memories: found 4, expected 5, one of each rank");
    memories = make_memories(schedule, 0);
    schedule.steps[0].waits = {6};
    EXPECT_EQ(message(schedule, memories), "schedule: 22 of 45 steps wait for each other");
}

}  // namespace
}  // namespace trnsim::collectives::test
