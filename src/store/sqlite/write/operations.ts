import type { DatabaseSync } from 'node:sqlite'
import type { Writes } from '../protocol.ts'
import { Acceptance } from './accept.ts'
import { Accounts } from './accounts.ts'
import { Cancellation } from './cancellation.ts'
import type { Changes } from './changes.ts'
import { Claim } from './claim.ts'
import { CompanyNumbers } from './companies.ts'
import { Contents } from './contents.ts'
import { Damage } from './damage.ts'
import { EmailEvents } from './email-events.ts'
import { EmailNumbers } from './email-numbers.ts'
import { Holds } from './holds.ts'
import { LaneChanges } from './lane-changes.ts'
import { Lanes } from './lanes.ts'
import type { Memory } from './memory.ts'
import { Nodes } from './nodes.ts'
import { Pauses } from './pauses.ts'
import { Quarantine } from './quarantine.ts'
import { Recipients } from './recipients.ts'
import { Records } from './record.ts'
import { Recovery } from './recovery.ts'
import { Reports } from './reports.ts'
import { Retention } from './retention.ts'
import { Retry } from './retry.ts'
import { Routes } from './routes.ts'
import { Suppressions } from './suppressions.ts'

export interface WriteOperations {
  operations: Writes
  /** Sentences about damage that was met and gone around since the last call. */
  takeNews(): string[]
}

/** All that can be written through one connection, its statements prepared once. */
export function writeOperations(db: DatabaseSync, changes: Changes, memory: Memory): WriteOperations {
  const companies = new CompanyNumbers(db, memory)
  const contents = new Contents(db)
  const events = new EmailEvents(db, memory)
  const numbers = new EmailNumbers(db, memory)
  const damage = new Damage()
  const ring = new Lanes(db, damage, memory)
  const lanes = new LaneChanges(ring, damage, memory)
  const nodes = new Nodes(db)
  const suppressions = new Suppressions(db, companies, changes)
  const recipients = new Recipients(db, { events, lanes, suppressions })
  const recovery = new Recovery(db, { recipients, lanes, damage, changes })
  const pauses = new Pauses(db, companies, changes)
  const accounts = new Accounts(db, companies, changes)
  const routes = new Routes(db, companies, changes)
  const retention = new Retention(db, contents, numbers, memory)
  const acceptance = new Acceptance(db, {
    companies,
    contents,
    events,
    numbers,
    lanes,
    suppressions,
    changes,
  })
  const claim = new Claim(db, {
    companies,
    damage,
    events,
    lanes: ring,
    laneChanges: lanes,
    recipients,
    numbers,
    suppressions,
  })
  const holds = new Holds(db, { recipients, lanes, changes })
  const retry = new Retry(db, { companies, numbers, recipients, lanes, damage, changes })
  const cancellation = new Cancellation(db, { recipients, lanes, changes })
  const quarantine = new Quarantine(db, { companies, numbers, recipients, lanes, changes })
  const records = new Records(db, { numbers, recipients, lanes })
  const reports = new Reports(db, { recipients, lanes, changes })
  const probe = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
  return {
    operations: {
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
    },
    takeNews: () => damage.takeNews(),
  }
}
