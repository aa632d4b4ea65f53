//! What a kernel body is written with.
