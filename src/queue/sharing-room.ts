/** The most states of paths that a node shares. */

/**
 * States met by the mail of one company, states of parts of paths, and all states. A shared state stays shared as long
 * as it lasts.
 */
const MAX_OF_COMPANY = 100
const MAX_OF_PARTS = 1_000
const MAX_STATES = 2_000

export interface SharedPathState {
  /** Id of the company whose mail has met it; null: not known, or several. */
  owner: string | null
  /** True when the state concerns all mail on the path. */
  isWhole: boolean
}

/** Those of all mail come first; there is room for a new one, whatever the mail of one company has met. */
export function withRoom<State extends SharedPathState>(
  states: ReadonlyMap<string, State>,
  isShared: (key: string) => boolean,
): [key: string, state: State][] {
  const ofOwner = new Map<string, number>()
  let all = 0
  for (const [key, { owner }] of states) {
    if (!isShared(key)) continue
    all++
    if (owner !== null) ofOwner.set(owner, (ofOwner.get(owner) ?? 0) + 1)
  }
  const inOrder = [...states].sort(([, a], [, b]) => Number(b.isWhole) - Number(a.isWhole))
  return inOrder.filter(([key, { owner, isWhole }]) => {
    if (isShared(key)) return true
    const own = owner === null ? 0 : (ofOwner.get(owner) ?? 0)
    if (all >= (isWhole ? MAX_STATES : MAX_OF_PARTS) || own >= MAX_OF_COMPANY) return false
    all++
    if (owner !== null) ofOwner.set(owner, own + 1)
    return true
  })
}
