// Properties of the handshake with a unit beside the lanes: an element comes only if the unit is ready for
// it, and a result is taken only if the unit offers one.
module vector_unit_properties (
  input logic clk_i,
  input logic rst_ni,
  // An element that waits for ready_i
  input logic element_i,
  input logic ready_i,
  // The result that is offered
  input logic valid_i,
  input logic take_i
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      ElementOnlyReady: assert (element_i -> ready_i);
      TakeOnlyValid: assert (take_i -> valid_i);
      StatusKnown: assert (!$isunknown({ready_i, valid_i}));
    end
  end

endmodule
