/** The part of an explanation that people of a company may read. */
import type { Path } from '../delivery/path/path.ts'
import type { SiteState } from '../store/store.ts'

interface SourceFacts {
  path: Path
  lowered: SiteState['lowered']
  warmUp: { messages: number | null } | null
}

/**
 * From a source that carries mail of several companies: how many messages the others send, and what servers thought of
 * them, shows only in the limits in force, and in whether the messages of today are used up.
 */
export function explainedInCompany<Explained extends SourceFacts>(explanation: Explained): Explained {
  const { path, lowered, warmUp } = explanation
  const limits = {
    ...path.limits,
    sessions: Math.min(path.limits.sessions, lowered.sessions ?? Number.POSITIVE_INFINITY),
    messagesPerMinute: least(path.limits.messagesPerMinute, lowered.messagesPerMinute),
  }
  return {
    ...explanation,
    path: { ...path, limits },
    lowered: { sessions: null, messagesPerMinute: null },
    warmUp: warmUp && { ...warmUp, messages: null },
  }
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}
