/**
 * A key for counting what goes to a mailbox: `Ada+1@x.example` and `ada+2@x.example` are one mailbox at most providers
 * (RFC 5233).
 */
export function mailboxKey(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*(?=@)/, '')
}
