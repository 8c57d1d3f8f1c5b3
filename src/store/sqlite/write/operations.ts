import type { DatabaseSync } from 'node:sqlite'
import type { Writes } from '../protocol.ts'
import { Acceptance } from './accept.ts'
import { Accounts } from './accounts.ts'
import { Cancellation } from './cancellation.ts'
import { Claim } from './claim.ts'
import { Holds } from './holds.ts'
import { Nodes } from './nodes.ts'
import { type Kept, partsOf } from './parts.ts'
import { Pauses } from './pauses.ts'
import { Quarantine } from './quarantine.ts'
import { Records } from './record.ts'
import { Recovery } from './recovery.ts'
import { Reports } from './reports.ts'
import { Retention } from './retention.ts'
import { Retry } from './retry.ts'
import { Routes } from './routes.ts'

/** All that can be written through one connection, its statements prepared once. */
export function writeOperations(db: DatabaseSync, kept: Kept): Writes {
  const parts = partsOf(db, kept)
  const { suppressions } = parts
  const acceptance = new Acceptance(db, parts)
  const accounts = new Accounts(db, parts)
  const cancellation = new Cancellation(db, parts)
  const claim = new Claim(db, parts)
  const holds = new Holds(db, parts)
  const nodes = new Nodes(db)
  const pauses = new Pauses(db, parts)
  const quarantine = new Quarantine(db, parts)
  const records = new Records(db, parts)
  const recovery = new Recovery(db, parts)
  const reports = new Reports(db, parts)
  const retention = kept.memory.keep(new Retention(db, parts))
  const retry = new Retry(db, parts)
  const routes = new Routes(db, parts)
  const probe = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
  return {
    join: (node, alone) => nodes.join(node, alone),
    beat: (token, machine) => nodes.beat(token, machine),
    giveUp: (token, beats) => nodes.giveUp(token, beats),
    leave: (token) => nodes.leave(token),
    accept: (email, lease) => acceptance.accept(email, lease),
    claim: (request) => claim.claim(request),
    record: (attempt) => records.record(attempt),
    happenedChunk: (given) => reports.happened(given),
    recoverChunk: (request) => recovery.chunk(request),
    releaseHeldChunk: (domainId, release, place) => holds.releaseChunk(domainId, release, place),
    quarantine: (request) => quarantine.add(request),
    releaseQuarantinedChunk: (scope, now) => quarantine.releaseChunk(scope, now),
    retryChunk: (request, place) => retry.chunk(request, place),
    cancel: (emailId, at) => cancellation.cancel(emailId, at),
    addSuppression: (companyId, address, reason, at) =>
      suppressions.addByHand(companyId, address, reason, at),
    removeSuppression: (companyId, address) => suppressions.remove(companyId, address),
    pause: (pause) => pauses.pause(pause),
    resume: (scope) => pauses.resume(scope),
    retainStep: (request) => retention.step(request),
    probe: () => void probe.run(),
    addCompany: (company) => accounts.addCompany(company),
    addDomain: (domain) => accounts.addDomain(domain),
    updateDomain: (id, change) => accounts.updateDomain(id, change),
    addKey: (key) => accounts.addKey(key),
    revokeKey: (id, at) => accounts.revokeKey(id, at),
    setRoute: (route) => routes.set(route),
    removeRoute: (scope) => routes.remove(scope),
  }
}
