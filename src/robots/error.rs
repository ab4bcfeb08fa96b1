//! Why a name is none of a crawler.

/// An agent that is no product token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Nothing, or nothing before a comma.
    #[error("an agent is empty; give the crawler's product token, such as examplebot, or * for everybody")]
    Empty,
    /// A full `User-Agent` header instead of its token.
    #[error("{given:?} is a whole user-agent string; robots.txt is matched by the product token, probably {proposed}")]
    WholeUserAgent {
        /// The text that was given.
        given: String,
        /// The token in it that names the crawler, by the look of it.
        proposed: String,
    },
    /// `*` beside names.
    #[error("* stands for everybody and is always the last resort; it cannot stand in a list")]
    StarInList,
    /// A byte that no product token has.
    #[error("agent {given:?} has the character {character:?}; a product token has letters, digits, - and _")]
    Character {
        /// The text that was given.
        given: String,
        /// The first character that does not belong.
        character: char,
    },
}
