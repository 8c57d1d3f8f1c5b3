/** The zones of DNS that the records of a domain may be in. */

/** The most levels that are looked up: the domain itself and those above it. */
const MAX_ZONES = 3

/** The domain, and the parents that may be its zone: never a top-level domain. */
export function zonesOf(domain: string): string[] {
  const labels = domain.split('.')
  const most = Math.min(labels.length - 1, MAX_ZONES)
  return Array.from({ length: Math.max(most, 1) }, (_, above) => labels.slice(above).join('.'))
}
