// Properties of the hand-over of a unit beside the lanes: an element comes only where the unit is ready for it, a result goes only
// where the unit holds one out.
module vector_unit_properties (
  input logic clk_i,
  input logic rst_ni,
  // An element that waits for ready_i
  input logic element_i,
  input logic ready_i,
  // The result that is held out
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
