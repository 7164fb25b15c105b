// Tells whether a row of elements of a type has a NaN in the lanes of a mask.
module nan_lane_tb (
    input  logic [cfg_pkg::Lanes-1:0][31:0] row_i,
    input  logic [cfg_pkg::Lanes-1:0]       mask_i,
    input  logic [3:0]                      dtype_i,
    output logic                            found_o
);
  always_comb
    nan_lane_pkg::any_nan(found_o, row_i, mask_i, nan_lane_pkg::format_of(isa_pkg::dtype_e'(dtype_i)));
endmodule
