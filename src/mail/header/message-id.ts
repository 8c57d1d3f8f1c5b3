/** Message ids (RFC 5322 3.6.4). */

/** `<left@right>` with printable ASCII on both sides, nothing nested, short enough for one header line. */
export function isMessageId(text: string): boolean {
  return text.length <= 900 && /^<[!-;=?A-~]+@[!-;=?A-~]+>$/.test(text)
}
