/** Attempts that are under way: the answers that their servers owe, or the nodes that make them. */
import type { HistoryOutline } from '../email/stored-email.ts'
import { isoTime } from './shapes/time.ts'
import type { RecipientStatus, WaitReason } from './status-sentence.ts'
import type { Operation } from './verb.ts'

export type UnderWay = Pick<RecipientStatus, 'owed' | 'node'>

export const NOT_UNDER_WAY: UnderWay = { owed: null, node: null }

/** By position. Only operators read the names of nodes. */
export async function underWayOf(
  { deliveries, caller, store }: Operation,
  { outline, nextSteps }: { outline: HistoryOutline; nextSteps: readonly { waits: WaitReason | null }[] },
): Promise<ReadonlyMap<number, UnderWay>> {
  const found = new Map<number, UnderWay>()
  const positions = outline.recipients
    .filter((_, index) => nextSteps[index]!.waits === 'answer')
    .map(({ position }) => position)
  if (positions.length === 0) return found
  const emailId = outline.email.id
  const range = { from: positions[0]!, limit: positions.at(-1)! - positions[0]! + 1 }
  const owed = deliveries === null ? [] : await deliveries.owed({ emailId, ...range })
  for (const { positions, server, step, since, until } of owed) {
    const answer = { server, step, since: isoTime(since), until: isoTime(until) }
    for (const position of positions) found.set(position, { owed: answer, node: null })
  }
  if (caller.kind !== 'operator' || found.size >= positions.length) return found
  for (const { position, token, node } of await store.leaseHolders(emailId, range)) {
    if (token !== deliveries?.token && !found.has(position)) found.set(position, { owed: null, node })
  }
  return found
}
