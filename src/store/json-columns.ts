/** Lists and small maps as both databases store them: JSON text, NULL for an empty one. */

export function listText(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list)
}

export function mapText(map: object): string | null {
  for (const _ in map) return JSON.stringify(map)
  return null
}

/** The JSON of a changed column; null leaves the column unchanged. */
export function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

export function listOf<T>(text: string | null): T[] {
  return text === null ? [] : (JSON.parse(text) as T[])
}

export function mapOf<T extends object>(text: string | null): T {
  return (text === null ? {} : JSON.parse(text)) as T
}
