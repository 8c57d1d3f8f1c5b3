/** The text of a TXT record as it is written in a zone file. Pure: the page of the console uses it, too. */

/** Octets in one character-string (RFC 1035 3.3). */
const STRING = 255

/** In double quotes; long text is split into several strings, which are read as one. */
export function characterStrings(text: string): string {
  const octets = new TextEncoder().encode(text)
  const strings: string[] = []
  for (let start = 0; start < octets.length; start += STRING) {
    const piece = String.fromCharCode(...octets.subarray(start, start + STRING))
    strings.push(`"${piece.replace(/["\\]/g, '\\$&')}"`)
  }
  return strings.join(' ')
}
