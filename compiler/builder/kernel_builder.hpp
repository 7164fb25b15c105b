// The kernel-authoring interface: tensors, tiles, engine instructions and DMA transfers.
//
// A kernel is written as one sequence of calls with the meaning of sequential execution. On the core every
// engine and every queue runs its own calls, at the same time as the others: the builder makes each call wait
// for the earlier calls that write what it reads, or use what it overwrites, on the chip and in HBM. `After`
// adds events to these.
//
// An Error of a call names the line of the call first: "kernel.cpp:31: multiply_moving: ...".
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "arch/target/target.hpp"
#include "compiler/builder/allocator.hpp"
#include "compiler/builder/dependences.hpp"
#include "compiler/builder/gpsimd.hpp"
#include "compiler/builder/loop_body.hpp"
#include "compiler/builder/options.hpp"
#include "compiler/builder/program.hpp"
#include "compiler/builder/scalar.hpp"
#include "compiler/builder/step.hpp"
#include "compiler/builder/tensor_view.hpp"

namespace trnsim::builder {

class GpsimdCommand;
class LaneInstruction;

// The use of calls. Eager: each call becomes part of the program at once, so its tiles have places. Steps:
// calls are recorded, with tiles of buffers that have no place yet; schedule::compile() orders them and
// assigns places.
enum class Sink : std::uint8_t { Eager, Steps };

class KernelBuilder {
  public:
    // `arguments` is for people only. Throws Error for a target without partitions, rows, columns, banks or
    // DMA engines.
    KernelBuilder(std::string name, std::string arguments, const target::Chip& target,
                  Waits waits = Waits::Derived, Sink sink = Sink::Eager);

    const target::Core& target() const { return package_.target; }

    // Declares a tensor in HBM and returns a view of all of it. Throws Error for a repeated name, an empty
    // shape, and a tensor that does not fit the target's HBM beside those declared before.
    TensorView tensor(const std::string& name, neff::TensorKind kind, isa::Dtype dtype,
                      const std::vector<std::uint64_t>& shape, Where where = Where::current());

    // Return whether a tensor of that name is declared, and all tensors in the order of their declaration.
    bool has_tensor(const std::string& name) const;
    const std::vector<neff::Tensor>& tensors() const { return package_.tensors; }

    // Returns a packed tile from partition 0; in a recorded kernel, a buffer of its own.
    Tile sbuf(std::uint32_t partitions, isa::Dtype dtype, const std::vector<std::uint32_t>& shape,
              Where where = Where::current());
    std::uint64_t sbuf_left() const { return sbuf_.left(); }
    // Frees every tile made since `mark`, for kernels of several phases. Buffers do not need it.
    std::uint64_t sbuf_mark() const { return sbuf_.mark(); }
    void sbuf_release(std::uint64_t mark) { sbuf_.release(mark); }

    // Returns fp32 [partitions, columns] at the start of a bank. Banks are not reserved: the kernel plans
    // their use.
    Tile psum(Bank bank, std::uint32_t partitions, std::uint32_t columns,
              Where where = Where::current()) const;

    // Makes a buffer of a step, of partitions 0 to `partitions` - 1, as a tile of bytes. Any tile with its
    // number is a part of it. `name` is for people. Throws Error for a buffer that fits no memory.
    Tile buffer(target::Memory memory, std::uint32_t partitions, std::uint64_t bytes,
                const std::string& name = {}, Where where = Where::current());
    const std::vector<Buffer>& buffers() const { return buffers_; }

    // Makes a DMA queue that `owner` triggers. Throws Error beyond the target's rings.
    Queue queue(const std::string& name, isa::Engine owner = isa::Engine::Sync,
                Where where = Where::current());

    // DMA between HBM and SBUF or PSUM. The axes of the view are the partitions, then the free axes of the
    // tile, with equal counts and equal types. The event is the completion of the transfer.
    Event load(Queue queue, const Tile& to, const TensorView& from, const After& after = {},
               Where where = Where::current());
    Event store(Queue queue, const TensorView& to, const Tile& from, const After& after = {},
                Where where = Where::current());

    // DMA of rows in HBM at indices in SBUF, which the DMA engines read when they execute the transfer. Axis
    // 0 of the view is the indexed one. `index` is i32 [partitions, 1], one index a partition: to[p] =
    // from[index[p]]; or, if the view has an axis for the partitions, to[p] = from[index[p], p]. In that case
    // it may be [1, 1], one index for all. The other axes are those of load() and store(). If two indices of
    // a scatter name a row, the order of the writes is undefined; rows that are combined are combined one
    // after the other.
    Event gather(Queue queue, const Tile& to, const TensorView& from, const Tile& index,
                 const Indexed& options = {}, Where where = Where::current());
    Event scatter(Queue queue, const TensorView& to, const Tile& from, const Tile& index,
                  const Indexed& options = {}, Where where = Where::current());

    // DMA that combines elements with those at the destination: to = op(from, to) in fp32, rounded to nearest
    // even; op is add, multiply, min or max.
    Event combine(Queue queue, const TensorView& to, isa::AluOp op, const Tile& from, const After& after = {},
                  Where where = Where::current());

    // DMA that transposes: to[c, ..., r] = from[r, ..., c]. The first and the last dimension of the view and
    // the tile are exchanged; there are two to four. The DMA engines read rows and write columns, an element
    // a nanosecond each.
    Event load_transposed(Queue queue, const Tile& to, const TensorView& from, const After& after = {},
                          Where where = Where::current());
    Event store_transposed(Queue queue, const TensorView& to, const Tile& from, const After& after = {},
                           Where where = Where::current());

    // A collective of the ranks that run this kernel, or others with the same collectives in the same order
    // (docs/collectives.md). `input` and `output` are this rank's, as in collectives::Request, in HBM and
    // without gaps; one view for both means in place. All collectives of a kernel are in one queue, which has
    // nothing else. The event is its completion on this rank. Throws Error that names the line.
    Event collective(Queue queue, const TensorView& output, const TensorView& input,
                     neff::Collective collective, const After& after = {}, Where where = Where::current());

    // Tensor engine. `stationary` [K, M] is loaded into the other weight bank in the background; the next
    // multiply_moving uses the operand loaded last in its tile of the array; tiles work at the same time:
    // dst[M, ...] (+)= stationary.T @ moving[K, ...]. dst has the axes of `moving`. See target::multiplies()
    // for the two types.
    Event load_stationary(const Tile& stationary, const Stationary& options = {},
                          Where where = Where::current());
    Event multiply_moving(const Tile& dst, const Tile& moving, const Moving& options = {},
                          Where where = Where::current());

    // Vector and Scalar: docs/instruction-semantics.md defines the results of each instruction. Arithmetic is
    // in fp32.
    using Engine = isa::Engine;

    // On Vector, Scalar or GpSimd; Scalar has bypass, add and multiply, in order; docs/firmware.md defines
    // the results of GpSimd. dst = second(first(a)).
    Event tensor_copy(const Tile& dst, const Tile& source, const OnEngine& options = {},
                      Where where = Where::current());
    Event tensor_scalar(const Tile& dst, const Tile& a, const AluStep& first, const AluStep& second = {},
                        const OnEngine& options = {}, Where where = Where::current());

    // On Vector or GpSimd, element by element.
    Event memset(const Tile& dst, const Scalar& value, const OnEngine& options = {},
                 Where where = Where::current());
    Event tensor_tensor(const Tile& dst, const Tile& a, const AluOrder& op, const Tile& b,
                        const OnEngine& options = {}, Where where = Where::current());
    // Vector, element by element.
    // dst = first(a) second b.
    Event scalar_tensor_tensor(const Tile& dst, const Tile& a, const AluStep& first, const AluOrder& second,
                               const Tile& b, const Rounded& options = {}, Where where = Where::current());
    Event reciprocal(const Tile& dst, const Tile& a, const Rounded& options = {},
                     Where where = Where::current());
    // dst = source, or `value`, for elements whose integer `predicate` is not 0.
    Event tensor_copy_predicated(const Tile& dst, const Tile& predicate, const Tile& source,
                                 const Predicated& options = {}, Where where = Where::current());
    Event memset_predicated(const Tile& dst, const Tile& predicate, const Scalar& value,
                            const Predicated& options = {}, Where where = Where::current());
    // dst = a if `predicate` is not 0, else `otherwise`; max into the accumulators by `reduce`.
    Event select_reduce(const Tile& dst, const Tile& a, const Tile& predicate, const Scalar& otherwise,
                        const Selected& options = {}, Where where = Where::current());

    // Vector, reductions and scans. dst has the remaining axes of a, then axes of one element or none.
    Event tensor_reduce(const Tile& dst, const Tile& a, isa::AluOp op, const Reduced& options = {},
                        Where where = Where::current());
    // dst = first(a); the accumulators combine it by `op`.
    Event tensor_scalar_reduce(const Tile& dst, const Tile& a, const AluStep& first, isa::AluOp op,
                               const Accumulated& options = {}, Where where = Where::current());
    Event read_accumulator(const Tile& dst, const Rounded& options = {}, Where where = Where::current());
    // r[i] = (a[i] first r[i-1]) second b[i] from `initial`.
    Event tensor_tensor_scan(const Tile& dst, const Tile& a, const AluOrder& first, const AluOrder& second,
                             const Tile& b, const Scanned& options = {}, Where where = Where::current());
    // r[i] = r[i-1] second first(a[i]).
    Event tensor_scalar_cumulative(const Tile& dst, const Tile& a, const AluStep& first,
                                   const AluOrder& second, const Rounded& options = {},
                                   Where where = Where::current());
    // dst [partitions, 6] and [partitions, 2].
    Event bn_stats(const Tile& dst, const Tile& a, const Rounded& options = {},
                   Where where = Where::current());
    Event bn_aggr(const Tile& dst, const Tile& a, const Rounded& options = {},
                  Where where = Where::current());

    // Vector, search; `values` and the dst of max8 and find_index8 are [partitions, 8].
    Event max8(const Tile& dst, const Tile& a, const Rounded& options = {}, Where where = Where::current());
    Event find_index8(const Tile& dst, const Tile& a, const Tile& values, const After& after = {},
                      Where where = Where::current());
    Event match_replace8(const Tile& dst, const Tile& a, const Tile& values, const Scalar& replacement,
                         const Rounded& options = {}, Where where = Where::current());

    // Vector, between partitions. `mask` has as many entries as a quarter of the partitions.
    Event load_shuffle_mask(std::span<const std::uint8_t> mask, const After& after = {},
                            Where where = Where::current());
    Event stream_shuffle(const Tile& dst, const Tile& a, const After& after = {},
                         Where where = Where::current());
    // For whole blocks dst has the shape of a; for one block dst is [N, partitions].
    Event transpose_block(const Tile& dst, const Tile& a, const After& after = {},
                          Where where = Where::current());

    // Vector, random numbers.
    Event dropout(const Tile& dst, const Tile& a, const Scalar& probability, const Rounded& options = {},
                  Where where = Where::current());
    Event rng(const Tile& dst, const After& after = {}, Where where = Where::current());
    Event set_rng_seed(const Tile& seed, const After& after = {}, Where where = Where::current());

    // Scalar engine. A function that is not in the table set loaded last makes the builder load the first set
    // that has it: at its first use, or earlier if there is time. Steps load no set.
    Event activation(const Tile& dst, const Tile& a, isa::Activation function, const Activated& options = {},
                     Where where = Where::current());
    void load_table_of(isa::Activation function, Where where = Where::current());
    void act_table_load(isa::ActivationSet set, Where where = Where::current());
    Event act_read_accumulator(const Tile& dst, const Rounded& options = {}, Where where = Where::current());

    // GpSimd: images for its cores. gpsimd() loads one into all cores and starts them; the calls below do
    // that if the cores run another one. microcode() returns the image that is built with trnsim.
    GpsimdImage gpsimd_image(const std::filesystem::path& file, Where where = Where::current());
    GpsimdImage gpsimd_image(const std::string& name, std::vector<std::uint8_t> bytes,
                             Where where = Where::current());
    GpsimdImage microcode();
    // Returns the transfer that loads it into all cores.
    neff::Transfer image_load(GpsimdImage image) const;
    Event gpsimd(GpsimdImage image, const After& after = {}, Where where = Where::current());

    // GpSimd, commands of the microcode: docs/firmware.md defines their results. Tiles are in SBUF.
    Event iota(const Tile& dst, const Affine& affine, const After& after = {},
               Where where = Where::current());
    // dst = a if the affine value compares true with 0, else `otherwise`.
    Event affine_select(const Tile& dst, const Tile& a, const Affine& affine, isa::AluOp compare,
                        const Number& otherwise, const After& after = {}, Where where = Where::current());
    // dst [indices, elements] = a [groups, elements] at `index`, in the partitions of each core.
    Event local_gather(const Tile& dst, const Tile& a, const Tile& index, const After& after = {},
                       Where where = Where::current());
    // Within each core: dst is its first partition. A row in a partition of each core is a tile from that of
    // the first core to that of the last; the partitions between are not touched.
    Event partition_reduce(const Tile& dst, const Tile& a, isa::AluOp op,
                           const PartitionReduced& options = {}, Where where = Where::current());
    Event partition_broadcast(const Tile& dst, const Tile& a, const After& after = {},
                              Where where = Where::current());
    // Over all cores, with DMA between them, which needs SBUF for a row in every partition.
    Event all_partition_reduce(const Tile& dst, const Tile& a, isa::AluOp op,
                               const PartitionReduced& options = {}, Where where = Where::current());
    Event all_partition_broadcast(const Tile& dst, const Tile& a, const After& after = {},
                                  Where where = Where::current());
    Event sequence_bounds(const Tile& first, const Tile& end, const Tile& ids, const After& after = {},
                          Where where = Where::current());
    Event sort(const Tile& dst, const Tile& a, const Sorted& options = {}, Where where = Where::current());
    // Finds the largest elements of a, as many as dst has, and their places.
    Event top_k(const Tile& dst, const Tile& indices, const Tile& a, const After& after = {},
                Where where = Where::current());
    // An operator of an image; the operator writes the last tensors.
    Event custom_op(GpsimdImage image, const std::string& operation, std::span<const Tile> tensors,
                    std::span<const Number> scalars = {}, const CustomOp& options = {},
                    Where where = Where::current());

    // Only waits: the engine issues nothing further before the events.
    void wait(isa::Engine engine, const After& after, Where where = Where::current());

    // A loop of the hardware: the programs and the container do not grow with the number of iterations. The
    // body is called once; its calls are those of every iteration, on the same tiles, with the meaning of one
    // iteration after the other. Slices of tensors step: x.slice(0, i * 16, 16). Loops of steps nest, those
    // of the eager builder do not. Throws Error that names the line for something that a loop cannot do.
    template <typename Body>
    void loop(std::uint32_t iterations, const Body& body, Where where = Where::current()) {
        body(begin_loop(iterations, where));
        end_loop();
    }
    // Do the same in two calls.
    LoopIndex begin_loop(std::uint32_t iterations, Where where = Where::current());
    void end_loop();
    static constexpr std::uint32_t MaxIterations = 1u << 20;

    // Tests of the checks for missing waits use it.
    Dependences& dependences() { return dependences_; }

    // Returns the finished package: semaphores are assigned, every used engine waits for its queues and
    // halts. Afterwards a call that would add to the kernel throws Error, and so does a second finish().
    neff::Package finish();

    // The back end calls it. Returns the steps so far, in the order of their calls; further calls are eager.
    std::vector<Step> take_steps();
    // Returns the steps of the calls that `calls` makes.
    template <typename Calls>
    std::vector<Step> recorded(const Calls& calls) {
        recording_.emplace();
        calls();
        return take_steps();
    }
    // Make a further buffer like an existing one, in that or another memory; return its number.
    std::uint32_t another(std::uint32_t buffer);
    std::uint32_t another(std::uint32_t buffer, target::Memory memory);
    // Adds a step whose tiles have places to the program; `place`: Step::place. A table set or image that the
    // step needs is loaded before it if the engine lacks it.
    Event emit(Step step);
    void need_image(GpsimdImage image, std::uint32_t place);
    LoopIndex begin_loop(std::uint32_t iterations, std::uint32_t place);
    unsigned loop_semaphores_left() const { return program_.loop_semaphores_left(); }
    // Returns file and line of Step::place.
    std::pair<std::string, std::uint32_t> place(std::uint32_t number) const;

  private:
    Event transfer(Queue queue, const Tile& tile, const TensorView& view, bool load, const After& after,
                   const Where& where, isa::AluOp combine = isa::AluOp::Bypass, bool transposes = false);
    Event transfer_rows(Queue queue, const Tile& tile, const TensorView& view, const Tile& index, bool gather,
                        const Indexed& options, const Where& where);
    template <typename Thing>
    Thing own(Thing thing) const {
        thing.builder = number_;
        return thing;
    }
    // Throw Error for a tile or view of another builder.
    void check_own(const Tile& tile) const;
    void check_own(const TensorView& view) const;
    void check_own(const After& after) const;
    void check_queue(Queue queue) const;
    void check_no_collectives(Queue queue) const;
    void check_collective(const neff::Transfer& transfer);
    // Every call of the builder ends in take(): the step is emitted at once, or recorded.
    Event take(Step step, const Where& where);
    Event append_lanes(Engine engine, LaneInstruction& lanes, const After& after, const Where& where,
                       std::optional<isa::Activation> function = std::nullopt);
    Step transfer_step(Queue queue, neff::Transfer transfer, const After& after) const;
    Event record(Step step);
    std::uint32_t add_buffer(Buffer buffer);
    void check_in_buffers(const Step& step) const;
    LoopIndex record_loop(std::uint32_t iterations, std::uint32_t place);
    void end_recorded_loop();
    bool is_recording_loops_of(const TensorView& view) const;
    std::uint64_t iterations_around() const;
    std::string name_of_place(std::uint32_t number) const;
    // Throws Error beyond the target's max_instructions.
    Event append(Engine engine, const isa::Instruction& instruction, const After& after, bool data_path,
                 std::uint32_t place) {
        count_instruction();
        if (body_) return own(add_to_loop(engine, instruction, after, data_path, place));
        return own(program_.append(engine, instruction, after, data_path, place));
    }
    Event add_to_loop(Engine engine, const isa::Instruction& instruction, const After& after, bool data_path,
                      std::uint32_t place);
    // Appends a transfer and its trigger.
    Event append_transfer(Queue queue, neff::Transfer transfer, const After& after, std::uint32_t place);
    void need_table_of(isa::Activation function, std::uint32_t place);
    void append_table_load(isa::ActivationSet set, std::uint32_t place);
    Event start(GpsimdImage image, const After& after, std::uint32_t place);
    void append_arguments(const std::vector<std::uint32_t>& words, std::uint32_t place);
    void check_in_loop(const TensorView& view) const;
    std::array<After, neff::EngineCount> before_loop() const;
    void check_unfinished() const;
    void count_instruction();
    Event append_gpsimd(GpsimdImage image, std::uint32_t operation, const GpsimdCommand& command,
                        const After& after, const Where& where);
    Event append_microcode(std::uint32_t operation, const GpsimdCommand& command, const After& after,
                           const Where& where);
    Event gpsimd_memset(const Tile& dst, const Scalar& value, const OnEngine& options, const Where& where);
    Event gpsimd_copy(const Tile& dst, const Tile& source, const OnEngine& options, const Where& where);
    Event gpsimd_scalar(const Tile& dst, const Tile& a, const AluStep& first, const AluStep& second,
                        const OnEngine& options, const Where& where);
    Event gpsimd_binary(const Tile& dst, const Tile& a, const AluOrder& op, const Tile& b,
                        const OnEngine& options, const Where& where);
    Event move_rows(const Tile& to, std::uint32_t to_apart, const Tile& from, std::uint32_t from_apart,
                    std::uint32_t rows, const Where& where);
    Queue gpsimd_queue();
    void check_image(GpsimdImage image, std::string_view call) const;
    void take_memory(const std::string& name, isa::Dtype dtype, const std::vector<std::uint64_t>& shape);

    BuilderNumber number_;
    neff::Package package_;
    std::uint64_t hbm_stacks_, hbm_stack_, max_instructions_;
    bool finished_ = false;
    std::uint64_t tensor_bytes_ = 0, instructions_ = 0;
    std::vector<bool> has_transfers_;  // by queue: whether it has transfers other than collectives
    SbufAllocator sbuf_;
    Dependences dependences_;
    Program program_;
    struct Loaded {
        Tile tile;
        bool row_tile;
        std::optional<std::uint32_t> column_group;
    };
    std::optional<Loaded> stationary_;        // the operand loaded last
    std::vector<std::uint8_t> shuffle_mask_;  // the mask loaded last; empty: none here
    isa::ActivationSet table_set_ = isa::ActivationSet::None;
    std::optional<LoopBody> body_;  // the loop that is being written
    struct Recording {
        std::vector<Step> steps;
        std::vector<Step> loops;  // loops that are being written, outermost first
    };
    std::optional<Recording> recording_;
    std::vector<Buffer> buffers_;
    std::uint32_t steps_ = 0, loops_ = 0;  // number recorded so far
    struct Collectives {
        std::uint32_t queue = 0, ranks = 0;
        std::uint64_t number = 0;  // collectives in all iterations
    };
    std::optional<Collectives> collectives_;  // collectives so far
    struct Gpsimd {
        std::optional<Queue> queue;                        // loads images, moves rows between cores
        std::vector<std::vector<std::string>> operations;  // by image
        std::optional<GpsimdImage> microcode, loaded;
        std::optional<Event> last;  // completion of the last command
    } gpsimd_;
};

}  // namespace trnsim::builder
