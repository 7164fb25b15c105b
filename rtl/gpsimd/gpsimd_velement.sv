// One element of operations that go element by element: vrgather, vcompress, floating-point reductions.
module gpsimd_velement
  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;
(
  input  logic        valid_i,   // nothing is computed without it
  input  vrow_t       row_i,
  input  logic [31:0] insn_i,
  input  vstate_t     vstate_i,

  // The element: its number, whether it is active, and the value carried from earlier elements (accumulator,
  // number of packed elements).
  input  logic        first_i,
  input  logic        last_i,
  input  vl_t         element_i,
  input  logic        active_i,
  input  logic [31:0] index_i,   // index of a gather
  input  vreg_t       x_i,
  input  vreg_t       y_i,
  input  logic [31:0] carried_i,

  output vreg_t       value_o,
  output vmask_t      enable_o,
  output fflags_t     flags_o,
  output logic [31:0] carried_o,
  output logic [4:0]  register_o
);

  import gpsimd_vint_pkg::*;

  localparam int unsigned ByteBits = $clog2(Vbytes);

  logic [1:0] sew;
  logic       packs;  // mask bit of vcompress
  assign sew = vstate_i.vtype.sew[1:0];
  assign packs = y_i[element_i[$clog2(Vlen)-1:0]];

  always_comb begin
    fp_result_t  r;
    wide_t       item;
    logic [31:0] place, accumulator;
    logic        selected, quiet;
    r = '0;
    item = '0;
    place = '0;
    accumulator = '0;
    selected = 1'b0;
    quiet = 1'b0;
    flags_o = '0;
    carried_o = carried_i;
    if (valid_i) begin
      item = element(x_i >> {vbyte_t'(((row_i.kind == VGather) ? index_i : 32'(element_i)) << sew), 3'b0}, sew, 0, 1'b0);
      case (row_i.kind)
        VGather: begin
          selected = active_i;
          place = 32'(element_i) << sew;
          if (index_i >= 32'(vlmax(vstate_i.vtype))) item = '0;
        end
        VCompress: begin
          selected = packs;
          place = 32'(vl_t'(carried_i)) << sew;
          carried_o = carried_i + 32'(packs);
        end
        default: begin
          accumulator = first_i ? y_i[31:0] : carried_i;
          case (row_i.fp)
            FpAdd: r = gpsimd_fp_pkg::fma(accumulator, 32'h3f80_0000, item[31:0], vstate_i.frm);
            FpMin: r = gpsimd_fp_pkg::min_max(1'b0, accumulator, item[31:0]);
            default: r = gpsimd_fp_pkg::min_max(1'b1, accumulator, item[31:0]);
          endcase
          // The unordered sum (vfredusum) turns a NaN into the canonical one even where nothing is added to
          // it.
          quiet = first_i & (insn_i[31:26] == 6'h01) & gpsimd_fp_pkg::is_nan(accumulator);
          if (!active_i) r = {5'b0, accumulator};
          if (!active_i && quiet) r = gpsimd_fp_pkg::min_max(1'b0, accumulator, accumulator);
          carried_o = r.value;
          flags_o = r.flags;
          item = 64'(carried_o);
          selected = last_i;
        end
      endcase
    end
    value_o = splat(item[31:0], sew);
    enable_o = selected ? bytes_of(vmask_t'(1), sew) << vbyte_t'(place) : '0;
    register_o = insn_i[11:7] + 5'(place >> ByteBits);
  end

endmodule
