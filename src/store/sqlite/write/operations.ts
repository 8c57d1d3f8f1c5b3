import type { DatabaseSync } from 'node:sqlite'
import { bind, COLD_CHANGES } from '../../cold/operations.ts'
import { run, writePort } from '../port.ts'
import type { Writes } from '../protocol.ts'
import { Acceptance } from './accept.ts'
import { Claim } from './claim.ts'
import { digest } from './digest.ts'
import { type PermanentParts, partsOf } from './parts.ts'
import { Records } from './record.ts'
import { Recovery } from './recovery.ts'
import { Retention } from './retention.ts'
import { Retry } from './retry.ts'

/** All writing operations on one connection, with their statements prepared once. */
export function writeOperations(db: DatabaseSync, kept: PermanentParts): Writes {
  const parts = partsOf(db, kept)
  const shared: Pick<Writes, keyof typeof COLD_CHANGES> = bind(COLD_CHANGES, writePort(db, parts), run)
  const acceptance = new Acceptance(db, parts)
  const claim = new Claim(db, parts)
  const records = new Records(db, parts)
  const recovery = new Recovery(db, parts)
  const retention = kept.memory.keep(new Retention(db, parts))
  const retry = new Retry(db, parts)
  const probe = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
  const takeRoom = db.prepare('INSERT INTO room (octets) VALUES (zeroblob(?))')
  const leaveRoom = db.prepare('DELETE FROM room')
  return {
    ...shared,
    accept: (email, lease) => acceptance.accept(email, lease),
    acceptAll: (emails, lease) => acceptance.acceptAll(emails, lease),
    claim: (request) => claim.claim(request),
    record: (attempt) => records.record(attempt),
    recoverChunk: (request) => recovery.chunk(request),
    retryChunk: (request, place) => retry.chunk(request, place),
    retainStep: (request) => retention.step(request),
    removeEmails: (ids) => retention.remove(ids),
    retainShorter: (request) => retention.shorterStep(request),
    probe: () => void probe.run(),
    takeRoom: (octets) => void takeRoom.run(octets),
    leaveRoom: () => void leaveRoom.run(),
    ...digest(db),
  }
}
