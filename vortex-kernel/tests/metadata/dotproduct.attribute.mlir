vortex.metadata = { arg_offsets = [0, 4, 8, 12, 16], arg_sizes = [4, 4, 4, 4, 4], arg_types = ["pointer", "pointer", "pointer", "local_size", "scalar"], total_size = 20 }
