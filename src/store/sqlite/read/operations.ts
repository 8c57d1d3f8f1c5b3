import type { DatabaseSync } from 'node:sqlite'
import type { Reads } from '../protocol.ts'
import { AccountReader } from './accounts.ts'
import { EmailReader } from './emails.ts'
import { LogReader } from './log.ts'
import { NodeReader } from './nodes.ts'
import { QueueReader } from './queue.ts'
import { StopReader } from './stops.ts'
import { WorkReader } from './work.ts'

/** All that can be read through one connection, its statements prepared once. */
export function readOperations(db: DatabaseSync): Reads {
  const emails = new EmailReader(db)
  const log = new LogReader(db)
  const queue = new QueueReader(db)
  const works = new WorkReader(db)
  const accounts = new AccountReader(db)
  const nodes = new NodeReader(db)
  const stops = new StopReader(db)
  return {
    nextDue: () => queue.nextDue(),
    nodes: () => nodes.nodes(),
    emailOrigin: (id) => emails.origin(id),
    readEmail: (id) => emails.read(id),
    readHistory: (id) => emails.history(id),
    readWork: (id) => works.read(id),
    readCaptured: (id) => emails.captured(id),
    heldDomains: () => queue.heldDomains(),
    cancelRequests: () => emails.cancelRequests(),
    listEmails: (filter) => emails.list(filter),
    eventsAfter: (cursor, filter, limit) => log.after(cursor, filter, limit),
    lastEventNumber: () => log.last(),
    queue: (companyId) => queue.lanes(companyId),
    quarantined: (filter) => queue.quarantined(filter),
    counts: (now) => queue.counts(now),
    listSuppressions: (filter) => accounts.suppressions(filter),
    suppressionsSince: (cursor) => stops.suppressionsSince(cursor),
    pauses: () => stops.pauses(),
    accounts: () => accounts.snapshot(),
    accountsVersion: () => accounts.version(),
  }
}
