//! The AMD GPU instruction reference.
mod amd;
mod card;
mod catalogue;
mod description;
mod example;
mod lines;
mod vocabulary;
pub use amd::{AmdName, amd_names};
pub use card::*;
pub use catalogue::{Catalogue, GENERATIONS, Instruction, catalogue, targets};
pub use description::{Description, description, group_of, groups};
pub use example::{Example, Examples};
