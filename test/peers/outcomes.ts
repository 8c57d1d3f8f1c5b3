import assert from 'node:assert/strict'
import type { Peer } from './peer.ts'
import type { Stage } from './stage.ts'

export const WAITS = { state: 'waiting', attempts: 0, suppressed: false }
export const BOUNCED = { state: 'bounced', attempts: 1, suppressed: false }

/** A server that refuses our host, and not the recipients, leaves the mail waiting, directly and as a relay. */
export async function waitsWithoutAttempt(stage: Stage<Peer>, address: string): Promise<void> {
  await using sending = await stage.direct('good.test', [address])
  const id = await sending.send(['octets@good.test', 'idn@good.test'])
  assert.deepEqual(await sending.outcome(id), [WAITS, WAITS])
  await using relayed = await stage.relayed(address)
  assert.deepEqual(await relayed.outcome(await relayed.send(['to@else.test'])), [WAITS])
}

/** The same for a server that does not relay to the domain of the recipients. */
export async function waitsWithoutRelaying(stage: Stage<Peer>, address: string): Promise<void> {
  await using direct = await stage.direct('else.test', [address])
  assert.deepEqual(await direct.outcome(await direct.send(['to@else.test'])), [WAITS])
  await using relayed = await stage.relayed(address)
  const many = Array.from({ length: 20 }, (_, n) => `r${n}@else${n % 3}.test`)
  const outcomes = await relayed.outcome(await relayed.send(many))
  assert.deepEqual(
    outcomes,
    many.map(() => WAITS),
  )
}
