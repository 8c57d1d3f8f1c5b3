const UNITS = ['octets', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats a size. One KB is 1,024 octets, as in the settings. */
export function octetsText(octets: number): string {
  let size = octets
  let unit = 0
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024
    unit++
  }
  const shown = unit === 0 || size >= 100 ? Math.round(size) : Math.round(size * 10) / 10
  return `${shown.toLocaleString()} ${UNITS[unit]}`
}
