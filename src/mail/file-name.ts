/** File names as they may be sent. */

/**
 * The last component of a path, with `/` and `\` between components: the sender's folders are private, and a receiver
 * must not be led to write elsewhere (RFC 2183 2.3, RFC 7578 4.2). Empty when nothing but dots is left.
 */
export function lastComponent(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return /^[.\s]*$/.test(name) ? '' : name
}
