/** Addresses and tags are compared without regard to ASCII case, as PostgreSQL's lower() does in the collation C. */
export function foldedAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
