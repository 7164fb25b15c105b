// Floating-point operations on the 32-bit elements of a register.
package gpsimd_vfp_pkg;

  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;

  // x comes from vs2, y from vs1 or the scalar, z from vd. `by_vd`: fused operations multiply by vd and add
  // vs2. Only elements with a bit in `active` set flags.
  function automatic void operate(output vwords_t value, output vmask_t truth, output fflags_t flags, input fp_op_e op,
                                  input logic by_vd, input logic [2:0] rm, input logic [5:0] bits, input vwords_t x,
                                  input vwords_t y, input vwords_t z, input vmask_t active);
    /* verilator no_inline_task */
    fp_result_t  r;
    logic        fused;
    logic [31:0] word_x, word_y, word_z, a, b, c;
    fused = (op == FpMadd) | (op == FpMsub) | (op == FpNmsub) | (op == FpNmadd);
    truth = '0;
    flags = '0;
    for (int unsigned k = 0; k < Words; k++) begin
      word_x = x[k];
      word_y = y[k];
      word_z = z[k];
      r = '0;
      if (active[k]) begin
        a = fused ? word_y : word_x;
        b = fused ? (by_vd ? word_z : word_x) : word_y;
        c = by_vd ? word_x : word_z;
        case (op)
          FpRec7: r = gpsimd_estimate_pkg::reciprocal(a, rm);
          FpRsqrt7: r = gpsimd_estimate_pkg::reciprocal_root(a);
          default: r = gpsimd_fp_pkg::execute(op, a, b, c, rm, bits);
        endcase
      end
      value[k] = r.value;
      truth[k] = r.value[0];
      flags |= r.flags;
    end
  endfunction

endpackage
