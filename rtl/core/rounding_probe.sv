// Wave scope of the rounding units of Vector and Scalar: the result that is rounded in this cycle of the
// engine, in the first four lanes, and the previous one as it is written.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
`define VECTOR u_engines.g_slot[EngineVector].g_vector.u_vector
`define SCALAR u_engines.g_slot[EngineScalar].g_scalar.u_scalar
module rounding_probe
  import isa_pkg::*;
  import core_pkg::*;
(
);

  // A result of the engine, its mode as in the enum `rounding` (`core`: bits pass unchanged), and its type;
  // seeds of both engines.
  logic       vector_result, scalar_result, vector_seeded, scalar_seeded;
  logic [1:0] vector_mode, scalar_mode;
  logic [3:0] vector_dtype, scalar_dtype;

  assign vector_result = `VECTOR.u_execute.u_rounding.valid_i & u_engines.g_slot[EngineVector].fire;
  assign vector_mode   = {`VECTOR.u_execute.u_rounding.draws,
                          `VECTOR.u_execute.u_rounding.valid_i & ~`VECTOR.u_execute.u_rounding.draws
                          & ~`VECTOR.u_execute.u_rounding.raw_i};
  assign vector_dtype  = `VECTOR.u_execute.u_rounding.dtype_i;
  assign vector_seeded = `VECTOR.u_execute.u_rounding.seed_valid_i & u_engines.g_slot[EngineVector].fire;

  assign scalar_result = `SCALAR.u_execute.u_lanes.u_rounding.valid_i & u_engines.g_slot[EngineScalar].fire;
  assign scalar_mode   = {`SCALAR.u_execute.u_lanes.u_rounding.draws,
                          `SCALAR.u_execute.u_lanes.u_rounding.valid_i & ~`SCALAR.u_execute.u_lanes.u_rounding.draws};
  assign scalar_dtype  = `SCALAR.u_execute.u_lanes.u_rounding.dtype_i;
  assign scalar_seeded = `SCALAR.u_execute.u_lanes.u_rounding.seed_valid_i & u_engines.g_slot[EngineScalar].fire;

  for (genvar k = 0; k < 4; k++) begin : vector
    rounding_lane_probe lane (
      .value_i  (`VECTOR.u_execute.u_rounding.value_i[k]),
      .x_i      (`VECTOR.u_execute.u_rounding.x_q[k]),
      .v_i      (`VECTOR.u_execute.u_rounding.v_q[k]),
      .d_i      (`VECTOR.u_execute.u_rounding.d_q[k]),
      .dtype_i  (`VECTOR.u_execute.u_rounding.dtype_i),
      .draws_i  (`VECTOR.u_execute.u_rounding.draws),
      .word_i   (`VECTOR.u_execute.u_rounding.row_q[k + Quadrant * 32'(`VECTOR.u_execute.op_q[`VECTOR.u_execute.write_q.bank]
                                                                     .operands.dst.first)]),
      .written_i(`VECTOR.u_execute.op_q[`VECTOR.u_execute.write_q.bank].operands.dst.dtype)
    );
  end
  for (genvar k = 0; k < 4; k++) begin : scalar
    rounding_lane_probe lane (
      .value_i  (`SCALAR.u_execute.u_lanes.u_rounding.value_i[k]),
      .x_i      (`SCALAR.u_execute.u_lanes.u_rounding.x_q[k]),
      .v_i      (`SCALAR.u_execute.u_lanes.u_rounding.v_q[k]),
      .d_i      (`SCALAR.u_execute.u_lanes.u_rounding.d_q[k]),
      .dtype_i  (`SCALAR.u_execute.u_lanes.u_rounding.dtype_i),
      .draws_i  (`SCALAR.u_execute.u_lanes.u_rounding.draws),
      .word_i   (`SCALAR.u_execute.u_lanes.u_rounding.row_q[k + Quadrant * 32'(`SCALAR.u_execute.dst_q[`SCALAR.u_execute.writes.bank]
                                                                             .first)]),
      .written_i(`SCALAR.u_execute.dst_q[`SCALAR.u_execute.writes.bank].dtype)
    );
  end

endmodule
`undef VECTOR
`undef SCALAR
