// Wave scope of the rounding units of Vector and Scalar: the result that is rounded in this cycle of the engine, in the first four
// lanes, and the one of the cycle before as it is written.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
module rounding_probe
  import isa_pkg::*;
  import core_pkg::*;
(
);

  // A result of the engine; its mode as in the enum `rounding` (`core`: bits that pass unchanged); its type. Both seeds.
  logic       vector_result, scalar_result, vector_seeded, scalar_seeded;
  logic [1:0] vector_mode, scalar_mode;
  logic [3:0] vector_dtype, scalar_dtype;

  assign vector_result = u_engines.u_vector.u_execute.u_rounding.valid_i & u_engines.g_slot[u_engines.V].fire;
  assign vector_mode   = {u_engines.u_vector.u_execute.u_rounding.draws,
                          u_engines.u_vector.u_execute.u_rounding.valid_i & ~u_engines.u_vector.u_execute.u_rounding.draws
                          & ~u_engines.u_vector.u_execute.u_rounding.raw_i};
  assign vector_dtype  = u_engines.u_vector.u_execute.u_rounding.dtype_i;
  assign vector_seeded = u_engines.u_vector.u_execute.u_rounding.seed_valid_i & u_engines.g_slot[u_engines.V].fire;

  assign scalar_result = u_engines.u_scalar.u_execute.u_lanes.u_rounding.valid_i & u_engines.g_slot[u_engines.S].fire;
  assign scalar_mode   = {u_engines.u_scalar.u_execute.u_lanes.u_rounding.draws,
                          u_engines.u_scalar.u_execute.u_lanes.u_rounding.valid_i & ~u_engines.u_scalar.u_execute.u_lanes.u_rounding.draws};
  assign scalar_dtype  = u_engines.u_scalar.u_execute.u_lanes.u_rounding.dtype_i;
  assign scalar_seeded = u_engines.u_scalar.u_execute.u_lanes.u_rounding.seed_valid_i & u_engines.g_slot[u_engines.S].fire;

  for (genvar k = 0; k < 4; k++) begin : vector
    rounding_lane_probe lane (
      .value_i  (u_engines.u_vector.u_execute.u_rounding.value_i[k]),
      .x_i      (u_engines.u_vector.u_execute.u_rounding.x_q[k]),
      .v_i      (u_engines.u_vector.u_execute.u_rounding.v_q[k]),
      .d_i      (u_engines.u_vector.u_execute.u_rounding.d_q[k]),
      .dtype_i  (u_engines.u_vector.u_execute.u_rounding.dtype_i),
      .draws_i  (u_engines.u_vector.u_execute.u_rounding.draws),
      .word_i   (u_engines.u_vector.u_execute.u_rounding.row_q[k + Quadrant * 32'(u_engines.u_vector.u_execute.op_q[u_engines.u_vector.u_execute.write_q.bank]
                                                                     .operands.dst.first)]),
      .written_i(u_engines.u_vector.u_execute.op_q[u_engines.u_vector.u_execute.write_q.bank].operands.dst.dtype)
    );
  end
  for (genvar k = 0; k < 4; k++) begin : scalar
    rounding_lane_probe lane (
      .value_i  (u_engines.u_scalar.u_execute.u_lanes.u_rounding.value_i[k]),
      .x_i      (u_engines.u_scalar.u_execute.u_lanes.u_rounding.x_q[k]),
      .v_i      (u_engines.u_scalar.u_execute.u_lanes.u_rounding.v_q[k]),
      .d_i      (u_engines.u_scalar.u_execute.u_lanes.u_rounding.d_q[k]),
      .dtype_i  (u_engines.u_scalar.u_execute.u_lanes.u_rounding.dtype_i),
      .draws_i  (u_engines.u_scalar.u_execute.u_lanes.u_rounding.draws),
      .word_i   (u_engines.u_scalar.u_execute.u_lanes.u_rounding.row_q[k + Quadrant * 32'(u_engines.u_scalar.u_execute.dst_q[u_engines.u_scalar.u_execute.writes.bank]
                                                                             .first)]),
      .written_i(u_engines.u_scalar.u_execute.dst_q[u_engines.u_scalar.u_execute.writes.bank].dtype)
    );
  end

endmodule
