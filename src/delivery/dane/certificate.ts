/** Parts of a certificate (RFC 5280 4.1) in the octets that the server sent: written anew they might differ. */

const SEQUENCE = 0x30
const VERSION = 0xa0
/** Serial number, signature, issuer, validity and subject stand before the key. */
const BEFORE_KEY = 5

interface Element {
  tag: number
  /** Where the element, and its content, begin. */
  start: number
  content: number
  end: number
}

/** The SubjectPublicKeyInfo of a certificate in DER. Null for octets that are not a certificate in DER. */
export function publicKeyOf(certificate: Buffer): Buffer | null {
  try {
    return keyIn(certificate)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Whether the octets are one element in DER, with nothing behind it. */
export function isOneElement(octets: Buffer): boolean {
  try {
    return elementAt(octets, 0, SEQUENCE).end === octets.length
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function keyIn(certificate: Buffer): Buffer {
  const outer = elementAt(certificate, 0, SEQUENCE)
  const signed = elementAt(certificate, outer.content, SEQUENCE)
  let element = elementAt(certificate, signed.content)
  if (element.tag === VERSION) element = elementAt(certificate, element.end)
  for (let index = 0; index < BEFORE_KEY; index++) element = elementAt(certificate, element.end)
  if (element.tag !== SEQUENCE) throw new RangeError('No certificate')
  return certificate.subarray(element.start, element.end)
}

function elementAt(octets: Buffer, start: number, wanted?: number): Element {
  const tag = octets.readUInt8(start)
  let length = octets.readUInt8(start + 1)
  let content = start + 2
  if (length > 0x80) {
    const size = length & 0x7f
    length = octets.readUIntBE(content, Math.min(size, 6))
    content += size
  }
  const end = content + length
  if (end > octets.length || (wanted !== undefined && tag !== wanted)) throw new RangeError('No certificate')
  return { tag, start, content, end }
}
