import { hostname } from 'node:os'
import { NameClaim, type NameClaimOptions } from './name-claim.ts'

/** The most nodes that are named after their host; further ones are named after their process. */
const MAX = 64

interface NodeName {
  name: string
  /** Null where a restarted node cannot find out that this one has ended. */
  claim: NameClaim | null
}

/** `set`: the configured name. `place`: that of the file for the name; null: no other node can exist. */
export function nameNode(set: string | null, place: Omit<NameClaimOptions, 'name'> | null): NodeName {
  if (place === null) return { name: set ?? hostname(), claim: null }
  return set === null ? nameByHost(place) : { name: set, claim: new NameClaim({ ...place, name: set }) }
}

/**
 * The name of a node whose name is not set: the host's, with a number where several nodes run on it. A name whose last
 * holder was killed comes first: its work under way can be taken over at once.
 */
function nameByHost(place: Omit<NameClaimOptions, 'name'>): NodeName {
  const host = hostname()
  const claims = Array.from({ length: MAX }, (_, index) => {
    const name = index === 0 ? host : `${host}-${index + 1}`
    return { name, claim: new NameClaim({ ...place, name }) }
  })
  try {
    const abandoned = claims.filter(({ claim }) => claim.wasHeld)
    for (const named of [...abandoned, ...claims]) if (named.claim.take().kind === 'ours') return named
  } catch {
    // The folder cannot be used.
  }
  return { name: `${host}:${process.pid}`, claim: null }
}
