/** Record names as DNS providers expect them: in full, or without the zone, which many providers append. */

/** The zones that the records may be in: the domain and its parents, never a top-level domain. */
export function zonesOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, Math.max(labels.length - 1, 1)).map((_, above) => labels.slice(above).join('.'))
}

/** The name within a zone; `zone`: `null` for the full name. */
export function nameWithin(name: string, zone: string | null): string {
  if (zone === null) return name
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}
