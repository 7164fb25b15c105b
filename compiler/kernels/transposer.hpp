// Transposition on the Tensor engine: a matmul with the identity.
#pragma once

#include "compiler/kernels/rings.hpp"

namespace trnsim::kernels {

// The identity in one type, made on the core: a running sum counts columns, a matmul with one row turns the
// count into a column, and a comparison of the two gives ones on the diagonal.
class Transposer {
  public:
    // Operands must be finite: an infinity or NaN spoils its column. fp32 keeps every bit down to 2^-102.
    Transposer(Kit& kit, isa::Dtype dtype);

    static std::uint64_t bytes(const Kit& kit, isa::Dtype dtype);

    // Transposes source [rows, columns] in SBUF, at most a block each way, to result [columns, rows] in a
    // bank.
    void operator()(const builder::Tile& result, const builder::Tile& source);

    // Returns [block, block] u8: 0 if the column is beyond the row, else 1.
    builder::Tile up_to_diagonal();

  private:
    Kit* kit_;
    builder::Tile columns_, rows_, identity_;  // number of the column from 1, of the row from 1
};

}  // namespace trnsim::kernels
