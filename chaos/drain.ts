/** Waiting until nothing is left to be delivered. */
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../harness/clock.ts'
import type { Installation } from '../harness/service/installation.ts'
import type { Ledger } from './ledger.ts'
import type { SinkLink } from './sink-link.ts'

export interface Draining {
  installation: Installation
  sink: SinkLink
  ledger: Ledger
  /** Longest wait without anything happening, in seconds. */
  patience: number
  /** Why it is given up; null: it is not. */
  aborted(): string | null
}

/** Null: nothing is left. Otherwise what is, in a sentence. */
export async function drain({
  installation,
  sink,
  ledger,
  patience,
  aborted,
}: Draining): Promise<string | null> {
  let lastChange = now()
  let before = ''
  while (aborted() === null) {
    await pause(500)
    const left = await installation.queued()
    await sink.settled()
    if (left === 0) return null
    const state = `${left} ${ledger.arrivedAll}`
    if (state !== before) lastChange = now()
    before = state
    if (now() - lastChange < patience * 1_000) continue
    return left === null
      ? 'the queue could not be read in the end'
      : `${left} recipients are still queued, and nothing has happened for ${patience} s`
  }
  return aborted()
}
