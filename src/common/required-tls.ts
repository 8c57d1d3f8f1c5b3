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

/** The demand of a sending domain, by its setting; null: none. */
export function domainDemand(setting: 'opportunistic' | RequiredTls | undefined): RequiredTls | null {
  return setting === undefined || setting === 'opportunistic' ? null : setting
}

/** Null: nothing is demanded. The demand of the message, and that of its domain. */
export function strongerTls(one: MessageTls | null, other: RequiredTls | null): MessageTls | null {
  if (one === 'none') return one
  return one === 'verified' || other === null ? one : other
}
