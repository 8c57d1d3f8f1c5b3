const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Formats milliseconds with one unit: `850 ms`, `4.2 s`, `12 min`. */
export function durationText(ms: number): string {
  for (const [unit, length] of UNITS) {
    if (ms < length) continue
    const count = ms / length
    return `${count < 10 ? Math.round(count * 10) / 10 : Math.round(count)} ${unit}`
  }
  return `${Math.round(ms)} ms`
}
