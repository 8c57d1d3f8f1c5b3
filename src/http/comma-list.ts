/** The values of a field that is repeated, or lists them with commas. Empty values are left out. */
export function commaList(given: string | readonly string[] | undefined): string[] {
  const values = [given ?? []].flat().flatMap((text) => text.split(','))
  return values.map((value) => value.trim()).filter((value) => value !== '')
}
