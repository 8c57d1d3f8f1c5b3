/**
 * Matches every API key token inside a longer text, for whoever has to blot them out; see accounts/token.ts for how one
 * is made.
 */
export const TOKEN_IN_TEXT = /pr_[0-9A-Za-z]{32}/g
