//! small_float.
