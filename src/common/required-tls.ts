/**
 * The sender's demand on the connection over which a message leaves: `required`, that it is encrypted, whatever the
 * certificate; `verified`, that the certificate is valid for the server, too.
 */
export type RequiredTls = 'required' | 'verified'

/**
 * `none`: the message leaves even where the recipient's domain demands encryption, and it could not be encrypted. For
 * reports about exactly that (RFC 8460 3, RFC 8689 5).
 */
export type MessageTls = RequiredTls | 'none'

/** Null: nothing is demanded. The demand of the message, and that of its domain. */
export function strongerTls(one: MessageTls | null, other: RequiredTls | null): MessageTls | null {
  if (one === 'none') return one
  return one === 'verified' || other === null ? one : other
}
