/** UUIDs as their 16 octets (RFC 9562 4), and back as text in lower case. */

export const UUID_OCTETS = 16

export function uuidOctets(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

export function uuidAt(octets: Buffer, at = 0): string {
  const hex = octets.toString('hex', at, at + UUID_OCTETS)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
