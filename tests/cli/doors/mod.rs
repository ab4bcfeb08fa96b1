//! Questions that several doors of the program and the library are asked: each case, as data, is put to every door that can express it,
//! and must mean the same at each.

mod bodies;
