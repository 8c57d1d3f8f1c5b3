/** Numbers as people read them. The page of the console uses this module, too, so it must stay free of side effects. */

/** `12,345`: the same on every machine, whatever its locale. */
export function numberText(number: number): string {
  return number.toLocaleString('en')
}
