// Counts the elements of one operation after another as they leave the sources: the next element, and where
// its group begins and ends.
module vector_sequence
  import elementwise_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Next operation: counts, and how many of the innermost dimensions make a group. It is taken when nothing
  // is left or with the last pop_i.
  input  logic       load_i,
  input  count_t     count_i,
  input  logic [2:0] group_axes_i,
  input  logic [3:0] values_i,  // number of elements that come before and are counted apart

  // The next element: running_o says that there is one; pop_i takes it.
  output logic       running_o,
  output logic       last_o,
  output logic       group_first_o,
  output logic       group_last_o,
  output logic       value_o,
  input  logic       pop_i
);

  logic       running_q, group_first_q;
  count_t     count_q, left_d, left_q;  // turns of each dimension that are left after the current one
  logic [3:0] in_group_q;               // dimensions of a group
  logic [3:0] done;                     // dimensions in their last turn
  logic [3:0] values_q;

  assign running_o     = running_q;
  assign value_o       = values_q != '0;
  assign last_o        = (left_q == '0) & ~value_o;
  assign group_first_o = group_first_q;
  assign group_last_o  = (done | ~in_group_q) == '1;

  always_comb begin
    logic inner;  // all dimensions inside this one are in their last turn
    inner  = 1'b1;
    left_d = left_q;
    for (int unsigned k = 0; k < 4; k++) begin
      done[k] = left_q[k] == '0;
      if (inner) left_d[k] = done[k] ? count_q[k] - 16'd1 : left_q[k] - 16'd1;
      inner = inner & done[k];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q     <= 1'b0;
      group_first_q <= 1'b0;
      count_q       <= '0;
      left_q        <= '0;
      in_group_q    <= '0;
      values_q      <= '0;
    end else begin
      if (load_i) begin
        running_q     <= 1'b1;
        group_first_q <= 1'b1;
        count_q       <= count_i;
        for (int unsigned k = 0; k < 4; k++) begin
          left_q[k]     <= count_i[k] - 16'd1;
          in_group_q[k] <= k < 32'(group_axes_i);
        end
        values_q      <= values_i;
      end else if (pop_i && value_o) begin
        values_q      <= values_q - 4'd1;
      end else if (pop_i) begin
        running_q     <= ~last_o;
        group_first_q <= group_last_o;
        left_q        <= left_d;
      end
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PopOnlyRunning: assert (pop_i -> running_o);
      LoadReplacesNothing: assert ((load_i && running_q) -> (pop_i && last_o));
      StatusKnown: assert (!$isunknown(running_o));
    end
  end
  `endif

endmodule
