/** How DNS providers want names: in full, or without the name of the zone that they add themselves. */

/** Zones that the records of a domain may stand in: it, and those above it, never a top-level domain. */
export function zonesOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, Math.max(labels.length - 1, 1)).map((_, above) => labels.slice(above).join('.'))
}

/** As it is entered there; `zone` null: in full. */
export function nameWithin(name: string, zone: string | null): string {
  if (zone === null) return name
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}
