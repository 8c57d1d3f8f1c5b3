/** The address somebody signs in with. Two spellings of one are one: it is kept in lower case. */

/** Null for what is no address. Mail need not reach it; it must be told from others, and typed. */
export function signInAddress(text: string): string | null {
  const address = text.trim().normalize('NFC').toLowerCase()
  return address.length <= 254 && /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]+$/u.test(address) ? address : null
}
