/**
 * The sender's demand on the connection over which a message leaves: `required`, that it is encrypted, whatever the
 * certificate; `verified`, that the certificate is valid for the server, too.
 */
export type RequiredTls = 'required' | 'verified'

/** Null: nothing is demanded. */
export function strongerTls(one: RequiredTls | null, other: RequiredTls | null): RequiredTls | null {
  return one === 'verified' || other === null ? one : other
}
