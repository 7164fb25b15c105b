// The Tensor engine refuses these instructions.
#include "testbench/refusals/writer.hpp"

namespace trnsim::refusals {

using builder::KernelBuilder;
using isa::Dtype;
using isa::Engine;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
using target::Memory;
namespace field = isa::field;

namespace {

// A load and a matmul after it.
struct Product {
    Operands load, multiply;
    std::uint32_t columns = 4;  // of the matmul
    bool row_tile = false;
    std::optional<std::uint32_t> column_group{};

    Instruction tiled(Opcode opcode) const {
        return Instruction(opcode)
            .set(field::RowTile, row_tile ? 1u : 0u)
            .set(field::ColumnTile, column_group ? 1u : 0u)
            .set(field::ColumnGroup, column_group.value_or(0));
    }
    Instruction load_instruction(const Writer& w) const {
        return w.filled(tiled(Opcode::LoadStationary), load);
    }
    Instruction multiply_instruction(const Writer& w) const {
        return w.filled(tiled(Opcode::MultiplyMoving).set(field::Columns, columns), multiply);
    }
    Call loads() const {
        return [p = *this](KernelBuilder& k) {
            k.load_stationary(tiles_of(p.load).a, {.row_tile = p.row_tile, .column_group = p.column_group});
        };
    }
    Call multiplies() const {
        return [p = *this, before = loads()](KernelBuilder& k) {
            Operands operands = p.multiply;
            operands.dst_partitions = p.columns;
            const Tiles tiles = tiles_of(operands);
            before(k);
            k.multiply_moving(tiles.dst, tiles.a);
        };
    }
};

// bf16 [all rows, 4 columns] and 16 moving elements.
Product good(const Writer& w) {
    Product p;
    p.load.partitions = p.multiply.partitions = w.partitions();
    p.load.count = {4, 1, 1, 1};
    p.multiply.count = {16, 1, 1, 1};
    p.load.a.dtype = p.multiply.a.dtype = Dtype::Bf16;
    p.multiply.a.offset = 0x1000;
    p.multiply.dst = {.memory = Memory::Psum};
    return p;
}

template <typename Change>
void add_load(Writer& w, const char* name, Error error, const Change& change) {
    Product p = good(w);
    change(p);
    w.add(name, Engine::Tensor, error, p.load_instruction(w), p.loads());
}

// `change` has the load of good() and changes the matmul, or both.
template <typename Change>
void add_matmul(Writer& w, const char* name, Error error, const Change& change) {
    Product p = good(w);
    change(p);
    w.add(name, Engine::Tensor, error, p.multiply_instruction(w), p.multiplies())
        .before.push_back(p.load_instruction(w));
}

void add_loads(Writer& w) {
    const std::uint32_t half = w.partitions() / 2, quadrant = w.quadrant();
    const auto columns = static_cast<std::uint32_t>(w.target.columns);
    const auto add = [&](const char* name, Error error, const auto& change) {
        add_load(w, name, error, change);
    };
    add("a stationary operand in PSUM", Error::UnsupportedOperand,
        [](Product& p) { p.load.a.memory = Memory::Psum; });
    add("a stationary operand of integers", Error::Dtype, [](Product& p) { p.load.a.dtype = Dtype::I8; });
    add("a stationary operand that starts at a quarter", Error::PartitionStart, [=](Product& p) {
        p.load.partitions = quadrant;
        p.load.a.partition = quadrant;
    });
    add("a stationary operand that starts at the half", Error::PartitionStart, [=](Product& p) {
        p.load.partitions = half;
        p.load.a.partition = half;
    });
    add("a row tile that starts at the half", Error::None, [=](Product& p) {
        p.row_tile = true;
        p.load.partitions = half;
        p.load.a.partition = half;
    });
    add("a row tile that starts at a quarter", Error::PartitionStart, [=](Product& p) {
        p.row_tile = true;
        p.load.partitions = quadrant;
        p.load.a.partition = quadrant;
    });
    add("a row tile of more than half of the rows", Error::PartitionStart, [=](Product& p) {
        p.row_tile = true;
        p.load.partitions = half + 1;
    });
    add("a column group that is not there", Error::Shape, [](Product& p) { p.column_group = 2; });
    w.add("a column group without column_tile", Engine::Tensor, Error::Shape,
          good(w).load_instruction(w).set(field::ColumnGroup, 1));
    add("as many columns as the array", Error::None, [=](Product& p) { p.load.count[0] = columns; });
    add("more columns than the array", Error::Shape, [=](Product& p) { p.load.count[0] = columns + 1; });
    add("as many columns as a group", Error::None, [=](Product& p) {
        p.column_group = 1;
        p.load.count[0] = columns / 2;
    });
    add("more columns than a group", Error::Shape, [=](Product& p) {
        p.column_group = 1;
        p.load.count[0] = columns / 2 + 1;
    });
    add("268,509,186 columns at a few places", Error::Shape, [](Product& p) {
        p.load.count = {2, 1, 4097, 32769};
        p.load.a.step = {1, 0, 0, 0};
    });
}

void add_matmuls(Writer& w) {
    const std::uint32_t rows = w.partitions(), quadrant = w.quadrant();
    const std::uint32_t bank = target::bank_columns(w.target);
    const auto columns = static_cast<std::uint32_t>(w.target.columns);
    const auto add = [&](const char* name, Error error, const auto& change) {
        add_matmul(w, name, error, change);
    };
    add("a matmul of the rows and columns that are loaded", Error::None, [](Product&) {});
    add("a matmul of fewer rows than are loaded", Error::None,
        [=](Product& p) { p.multiply.partitions = quadrant; });
    add("a matmul of fewer columns than are loaded", Error::None, [](Product& p) { p.columns = 3; });
    add("a matmul of more rows than are loaded", Error::StationaryOperand,
        [=](Product& p) { p.load.partitions = rows - 1; });
    add("a matmul of more columns than are loaded", Error::StationaryOperand,
        [](Product& p) { p.columns = 5; });
    add("a matmul whose moving operand is in PSUM", Error::UnsupportedOperand,
        [](Product& p) { p.multiply.a = {.memory = Memory::Psum, .offset = 0x400, .dtype = Dtype::Bf16}; });
    add("a matmul to SBUF", Error::UnsupportedOperand,
        [](Product& p) { p.multiply.dst = {.offset = 0x2000}; });
    add("a matmul of integers", Error::Dtype, [](Product& p) { p.multiply.a.dtype = Dtype::U8; });
    add("a matmul to bf16", Error::Dtype, [](Product& p) { p.multiply.dst.dtype = Dtype::Bf16; });
    add("bf16 with fp32", Error::Dtype, [](Product& p) { p.multiply.a.dtype = Dtype::Fp32; });
    add("bf16 with fp8", Error::None, [](Product& p) { p.multiply.a.dtype = Dtype::Fp8E4m3; });
    add("tf32 with fp32", Error::None, [](Product& p) {
        p.load.a.dtype = Dtype::Tf32;
        p.multiply.a.dtype = Dtype::Fp32;
    });
    add("results that start at a quarter", Error::None,
        [=](Product& p) { p.multiply.dst.partition = quadrant; });
    add("results that start at no quarter", Error::PartitionStart,
        [](Product& p) { p.multiply.dst.partition = 1; });
    add("no results", Error::PartitionRange, [](Product& p) { p.columns = 0; });
    add("more results than partitions", Error::PartitionRange, [=](Product& p) {
        p.load.count[0] = columns;
        p.columns = columns + 1;
    });
    add("as many moving elements as a bank holds", Error::None, [=](Product& p) {
        p.multiply.count = {bank, 1, 1, 1};
        p.multiply.a.step[0] = 0;
    });
    add("more moving elements than a bank holds", Error::Shape, [=](Product& p) {
        p.multiply.count = {bank + 1, 1, 1, 1};
        p.multiply.a.step[0] = p.multiply.dst.step[0] = 0;
    });
    add("results that end at the end of a bank", Error::None,
        [=](Product& p) { p.multiply.dst.offset = 4 * (bank - 16); });
    add("results that cross a bank", Error::BankCrossing,
        [=](Product& p) { p.multiply.dst.offset = 4 * (bank - 15); });
    add("results in descending order", Error::None, [](Product& p) {
        p.multiply.dst.offset = 4 * 15;
        p.multiply.dst.step[0] = -1;
    });
    const Product whole = good(w);
    w.add("a matmul before any load", Engine::Tensor, Error::StationaryOperand, whole.multiply_instruction(w),
          [t = tiles_of(whole.multiply)](KernelBuilder& k) { k.multiply_moving(t.dst, t.a); });
    w.add("a matmul of another row tile than is loaded", Engine::Tensor, Error::StationaryOperand,
          w.filled(whole.tiled(Opcode::MultiplyMoving).set(field::Columns, 4).set(field::RowTile, 1),
                   [&] {
                       Operands half = whole.multiply;
                       half.partitions = rows / 2;
                       return half;
                   }()))
        .before.push_back(whole.load_instruction(w));
    w.add("a matmul of a column tile where none is loaded", Engine::Tensor, Error::StationaryOperand,
          whole.multiply_instruction(w).set(field::ColumnTile, 1))
        .before.push_back(whole.load_instruction(w));
    w.add("more columns than a column group", Engine::Tensor, Error::Shape,
          whole.multiply_instruction(w).set(field::ColumnTile, 1).set(field::Columns, columns / 2 + 1));
    w.add("a matmul of a column group that is not there", Engine::Tensor, Error::Shape,
          whole.multiply_instruction(w).set(field::ColumnTile, 1).set(field::ColumnGroup, 2));
}

}  // namespace

void add_tensor_cases(Writer& w) {
    add_loads(w);
    add_matmuls(w);
}

}  // namespace trnsim::refusals
