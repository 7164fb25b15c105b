// The array for the tests of the lane functions; real builds generate this package from the chip's YAML
// description.
package cfg_pkg;
  localparam int unsigned Lanes = 128;
  localparam int unsigned Cols = 128;
  localparam int unsigned Rows = 128;
endpackage
