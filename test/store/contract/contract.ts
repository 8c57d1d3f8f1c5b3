import { describe, type TestContext } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import { acceptContract } from './accept.ts'
import { accountsContract } from './accounts.ts'
import { alertsContract } from './alerts.ts'
import { apiRequestsContract } from './api-requests.ts'
import { attemptsContract } from './attempts.ts'
import { auditContract } from './audit.ts'
import { claimContract } from './claim.ts'
import { digestContract } from './digest.ts'
import { domainReportsContract } from './domain-reports.ts'
import { eventsContract } from './events.ts'
import { fairnessContract } from './fairness.ts'
import { findContract } from './find.ts'
import { followersContract } from './followers.ts'
import { foundWordsContract } from './found-words.ts'
import { inboundMailsContract } from './inbound-mails.ts'
import { keyUsesContract } from './key-uses.ts'
import { lifecycleContract } from './lifecycle.ts'
import { liveListContract } from './live-list.ts'
import { mtaStsContract } from './mta-sts.ts'
import { nodesContract } from './nodes.ts'
import { nulContract } from './nul.ts'
import { outlineContract } from './outline.ts'
import { ownedContract } from './owned.ts'
import { peopleContract } from './people.ts'
import { quarantineContract } from './quarantine.ts'
import { readContract } from './read.ts'
import { recordContract } from './record.ts'
import { retentionContract } from './retention.ts'
import { retryContract } from './retry.ts'
import { scheduleContract } from './schedule.ts'
import { searchContract } from './search.ts'
import { sessionsContract } from './sessions.ts'
import { sharedPathsContract } from './shared-paths.ts'
import { siteReportsContract } from './site-reports.ts'
import { stopsContract } from './stops.ts'
import { suppressionsContract } from './suppressions.ts'
import { togetherContract } from './together.ts'
import { watchContract } from './watch.ts'
import { webhooksContract } from './webhooks.ts'

/** A store on a database of its own, as a test sees it. */
export interface Bench {
  store: Store
  /** Another node's view of the same database, closed with the test. */
  another(): Promise<Store>
  /** Transactions committed by `store` so far. */
  commits(): number
  /** Rows of a table, for facts that are stored once or not at all: no answer of a store shows that. */
  rows(table: string): Promise<number>
  /** Runs a statement that both engines know, past the store. */
  execute(sql: string): Promise<void>
  /** Makes this the last number of an email and of an event, as if all before had been given. */
  raiseNumbers(last: number): Promise<void>
}

export type OpenBench = (context: TestContext) => Promise<Bench>

/** What every engine does. `open` makes an empty database that goes with the test. */
export function storeContract(name: string, open: OpenBench): void {
  describe(`${name} keeps the contract of the store`, () => {
    acceptContract(open)
    alertsContract(open)
    togetherContract(open)
    scheduleContract(open)
    suppressionsContract(open)
    lifecycleContract(open)
    inboundMailsContract(open)
    claimContract(open)
    fairnessContract(open)
    recordContract(open)
    eventsContract(open)
    nodesContract(open)
    mtaStsContract(open)
    domainReportsContract(open)
    sharedPathsContract(open)
    siteReportsContract(open)
    stopsContract(open)
    retryContract(open)
    quarantineContract(open)
    readContract(open)
    outlineContract(open)
    searchContract(open)
    keyUsesContract(open)
    liveListContract(open)
    followersContract(open)
    digestContract(open)
    findContract(open)
    foundWordsContract(open)
    accountsContract(open)
    apiRequestsContract(open)
    ownedContract(open)
    retentionContract(open)
    watchContract(open)
    nulContract(open)
    webhooksContract(open)
    peopleContract(open)
    sessionsContract(open)
    attemptsContract(open)
    auditContract(open)
  })
}
