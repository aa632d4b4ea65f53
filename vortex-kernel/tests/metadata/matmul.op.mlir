vortex.kernel_metadata @matmul {
  vortex.arg_layout {
    vortex.arg index=0, offset=0, size=16, type="tensor"
    vortex.arg index=1, offset=16, size=16, type="tensor"
    vortex.arg index=2, offset=32, size=16, type="tensor"
  }
  vortex.total_size = 48
  vortex.tensors = {tt.buffer.a = {memory = "DRAM", layout = "interleaved", tile_shape = [32, 32], dtype = "bf16"}, tt.buffer.b = {memory = "DRAM", layout = "interleaved", tile_shape = [32, 32], dtype = "bf16"}, tt.buffer.c = {memory = "DRAM", layout = "interleaved", tile_shape = [32, 32], dtype = "bf16"}, tt.cb.a = {cb_id = 0, page_size = 2048, depth = 2, data_format = "bfloat16"}, tt.cb.b = {cb_id = 1, page_size = 2048, depth = 2, data_format = "bfloat16"}, tt.cb.c = {cb_id = 2, page_size = 2048, depth = 2, data_format = "bfloat16"}, tt.tensor_accessor.a = {layout_ref = "tt.buffer.a", stride_mode = "tiled", tile_params = {tile_height = 32, tile_width = 32, tiles_per_row = 8, total_tiles = 64}, runtime_binding = unit}, tt.tensor_accessor.b = {layout_ref = "tt.buffer.b", stride_mode = "tiled", tile_params = {tile_height = 32, tile_width = 32, tiles_per_row = 8, total_tiles = 64}, runtime_binding = unit}, tt.tensor_accessor.c = {layout_ref = "tt.buffer.c", stride_mode = "tiled", tile_params = {tile_height = 32, tile_width = 32, tiles_per_row = 8, total_tiles = 64}, runtime_binding = unit}, tt.accessor_summary = {a = {stride_mode = "tiled", memory = "DRAM"}, b = {stride_mode = "tiled", memory = "DRAM"}, c = {stride_mode = "tiled", memory = "DRAM"}}}
}
