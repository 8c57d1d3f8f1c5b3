/** Text in a named character set. */
import { decodeCharset } from '../raw/decode.ts'

/**
 * As `decodeCharset`, but text with the escapes of ISO-2022-JP (RFC 1468) is decoded as ISO-2022-JP, whatever its
 * label. Servers in Japan send such mail as plain text without MIME fields.
 */
export function textOf(octets: Uint8Array, charset: string | undefined): string {
  const shift = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).indexOf('\x1b$', 0, 'latin1')
  return decodeCharset(octets, shift >= 0 ? 'iso-2022-jp' : charset)
}
