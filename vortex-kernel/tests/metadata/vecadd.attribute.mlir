vortex.metadata = { arg_offsets = [0, 4, 8, 12], arg_sizes = [4, 4, 4, 4], arg_types = ["scalar", "pointer", "pointer", "pointer"], total_size = 16 }
