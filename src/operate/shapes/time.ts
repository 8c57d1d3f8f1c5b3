/** Unix ms as ISO 8601; null stays null. */
export function isoTime(at: number): string
export function isoTime(at: number | null): string | null
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** Ms as seconds; absent becomes null. */
export function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000
}
