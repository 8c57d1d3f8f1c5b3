/** The values of a field that is repeated, or has commas between them; empty ones are left out. */
export function commaList(given: string | readonly string[] | undefined): string[] {
  const values = [given ?? []].flat().flatMap((text) => text.split(','))
  return values.map((value) => value.trim()).filter((value) => value !== '')
}
