/** `4.5 days`, `2 hours`, `3 seconds`. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= 2 * least) ?? ['second', 1_000]
  const amount = Math.round((ms / size) * 10) / 10
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

const UNITS: [unit: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
