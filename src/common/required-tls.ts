/**
 * The sender's demand on the connection over which a message leaves: `required`, that it is encrypted, whatever the
 * certificate; `verified`, that the certificate is valid for the server, too.
 */
export type RequiredTls = 'required' | 'verified'

/**
 * `none`: the message may leave unencrypted, even if the recipient's domain demands encryption. For reports about
 * failed encryption (RFC 8460 3, RFC 8689 5).
 */
export type MessageTls = RequiredTls | 'none'

/** The demand of a sending domain, by its setting; null: none. */
export function domainDemand(setting: 'opportunistic' | RequiredTls | undefined): RequiredTls | null {
  return setting === undefined || setting === 'opportunistic' ? null : setting
}

/**
 * The stronger demand, that of a message or of its sending domain; null: neither has one. A message with `none` keeps
 * it.
 */
export function strongerTls(message: MessageTls | null, domain: RequiredTls | null): MessageTls | null {
  if (message === 'none') return message
  return message === 'verified' || domain === null ? message : domain
}
