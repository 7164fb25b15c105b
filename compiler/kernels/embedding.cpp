#include "compiler/kernels/embedding.hpp"

#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::TensorView;
using builder::Tile;
using isa::Dtype;

constexpr std::uint64_t EmbeddingSlots = 3;

void emit(Kit& kit, const TensorView& table, const TensorView& ids, const TensorView& y) {
    const RowCut cut =
        cut_rows(kit, y.axes[0].count, y.axes[1].count, [&](std::uint64_t width, std::uint64_t) {
            return ring_bytes(width, table.dtype, EmbeddingSlots) + ring_bytes(1, Dtype::I32, EmbeddingSlots);
        });
    InputRing indices(kit, cut.partitions, Dtype::I32, 1, EmbeddingSlots);
    TileRing rows(kit.builder, cut.partitions, table.dtype, cut.width, EmbeddingSlots);
    for (std::uint64_t block = 0; block < cut.blocks(); ++block) {
        for (std::uint64_t chunk = 0; chunk < cut.chunks(); ++chunk) {
            const Tile index =
                indices.get(ids.slice(0, block * cut.partitions, cut.rows_in(block)).split(0, 1));
            const Tile tile = rows.next(cut.rows_in(block), cut.columns_in(chunk));
            kit.builder.memset(tile, 0.0f);
            kit.builder.gather(kit.queues.loads, tile,
                               table.slice(1, chunk * cut.width, cut.columns_in(chunk)), index,
                               {.skip = true});
            kit.store(cut.part(y, block, chunk), tile);
        }
    }
}

neff::Package build_embedding(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    builder::KernelBuilder builder("embedding", arguments.text(), target);
    const std::uint64_t rows = arguments.count("rows"), dim = arguments.count("dim");
    const Dtype dtype = arguments.dtype("dtype");
    const TensorView table =
        builder.tensor("table", Kind::Input, dtype, {arguments.count("vocabulary"), dim});
    const TensorView ids = builder.tensor("ids", Kind::Input, Dtype::I32, {rows});
    const TensorView y = builder.tensor("y", Kind::Output, dtype, {rows, dim});
    Kit kit(builder);
    emit(kit, table, ids, y);
    return builder.finish();
}

constexpr std::array EmbeddingArguments{
    ArgumentInfo{"rows", "rows of the result"}, ArgumentInfo{"vocabulary", "rows of the table"},
    ArgumentInfo{"dim", "columns"}, ArgumentInfo{"dtype", "element type", ArgumentKind::AnyDtype, "bf16"}};
constexpr std::array EmbeddingInputs{
    TensorInfo{"table", "[vocabulary, dim] dtype"},
    TensorInfo{"ids", "[rows] i32: 0 to vocabulary - 1; others give rows of 0"}};
constexpr std::array EmbeddingOutputs{TensorInfo{"y", "[rows, dim] dtype"}};

}  // namespace

constinit const Kernel EmbeddingKernel{
    "embedding",        "y[i] = table[ids[i]], gathered by the DMA engines",
    EmbeddingArguments, EmbeddingInputs,
    EmbeddingOutputs,   build_embedding};

}  // namespace trnsim::kernels
