//! What is debugged, and how.

mod endings;
mod locals;
mod past;
mod stops;
mod work;
