//! What a learner of trees must hold as a whole; parts are tested beside their code.

mod behaviour;
mod cases;
mod forms;
mod oracle;
mod shapley;
