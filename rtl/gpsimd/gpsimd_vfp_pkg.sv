// Floating-point operations on the elements of a register, which have 32 bits.
package gpsimd_vfp_pkg;

  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;

  // x from vs2, y from vs1 or the scalar, z from vd. `by_vd`: fused operations multiply by vd and add vs2. Flags are those of
  // elements that `active` has a bit for.
  function automatic void operate(output vreg_t value, output vmask_t truth, output fflags_t flags, input fp_op_e op,
                                  input logic by_vd, input logic [2:0] rm, input logic [5:0] bits, input vreg_t x,
                                  input vreg_t y, input vreg_t z, input vmask_t active);
    /* verilator no_inline_task */
    fp_result_t  r;
    logic        fused;
    logic [31:0] a, b, c;
    fused = (op == FpMadd) | (op == FpMsub) | (op == FpNmsub) | (op == FpNmadd);
    value = '0;
    truth = '0;
    flags = '0;
    for (int unsigned k = 0; k < Words; k++) begin
      if (active[k]) begin
        a = fused ? y[32*k+:32] : x[32*k+:32];
        b = fused ? (by_vd ? z[32*k+:32] : x[32*k+:32]) : y[32*k+:32];
        c = by_vd ? x[32*k+:32] : z[32*k+:32];
        case (op)
          FpRec7: r = gpsimd_estimate_pkg::reciprocal(a, rm);
          FpRsqrt7: r = gpsimd_estimate_pkg::reciprocal_root(a);
          default: r = gpsimd_fp_pkg::execute(op, a, b, c, rm, bits);
        endcase
        value[32*k+:32] = r.value;
        truth[k] = r.value[0];
        flags |= r.flags;
      end
    end
  endfunction

endpackage
