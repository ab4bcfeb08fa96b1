//! Errors of names of crawlers.

/// An agent that is not a product token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// An empty agent, or an empty entry in a list.
    #[error("an agent is empty; give the crawler's product token, such as examplebot, or * for every crawler")]
    Empty,
    /// A full `User-Agent` header instead of its token.
    #[error("{given:?} is a whole user-agent string; robots.txt is matched by the product token, probably {proposed}")]
    WholeUserAgent {
        /// The text that was given.
        given: String,
        /// The token that probably names the crawler.
        proposed: String,
    },
    /// `*` in a list with names.
    #[error("* means every crawler and is always the last resort; it cannot be in a list")]
    StarInList,
    /// A character that product tokens cannot contain.
    #[error("agent {given:?} has the character {character:?}; a product token has only letters, digits, - and _")]
    Character {
        /// The text that was given.
        given: String,
        /// The first such character.
        character: char,
    },
}
