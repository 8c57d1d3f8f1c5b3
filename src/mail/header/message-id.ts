/** Message ids (RFC 5322 3.6.4). */

/** Short enough for one header line. */
export const MAX_MESSAGE_ID = 900

/** `<left@right>` with printable ASCII on both sides, nothing nested. */
export function isMessageId(text: string): boolean {
  return text.length <= MAX_MESSAGE_ID && /^<[!-;=?A-~]+@[!-;=?A-~]+>$/.test(text)
}
