/** Message-IDs as reports name them. */

/** The first Message-ID in the value of a field, with its angle brackets. */
export function messageIdIn(value: string): string | null {
  return /<[^<>\s\p{Cc}]{1,900}@[^<>\s\p{Cc}]{1,300}>/u.exec(value.slice(0, 2_000))?.[0] ?? null
}
