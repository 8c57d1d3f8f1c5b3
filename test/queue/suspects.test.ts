/** Mail that waits in memory while another copy of it takes a process down. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Suspects, type SuspectsParts } from '../../src/queue/suspects.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

type Request = Parameters<SuspectsParts['store']['quarantine']>[0]

/** What is written down of it. */
function suspects() {
  const written: Request[] = []
  const parts = {
    store: { quarantine: async (request: Request) => void written.push(request) },
    metrics: { outcomes: { inc() {} }, storeFaults: { inc() {} } },
    log: { error() {} },
  } as unknown as SuspectsParts
  return { known: new Suspects(parts), written }
}
function ready(id: string, { individual = false, suspicion = 0 as 0 | 1 | 2 } = {}) {
  const email = { id, companyId: 'c', domainId: 'd', individual } as ClaimedEmail
  const recipients = [0, 1].map((position) => ({ position, suspicion }) as ClaimedRecipient)
  return readyFor('c', pathTo('x.test'), { email, recipients, suspicion })
}
const suspicions = (one: ReturnType<typeof ready>) => [
  one.suspicion,
  ...one.recipients.map(({ suspicion }) => suspicion),
]

test('a delivery already handed out becomes as suspect as its email', async () => {
  const { known } = suspects()
  const waits = ready('a')
  assert.equal(known.weighed(waits), waits)
  known.suspect('a')
  assert.deepEqual(suspicions(known.weighed(waits)), [1, 1, 1])
  assert.deepEqual(suspicions(known.weighed(ready('b'))), [0, 0, 0])
  await known.quarantine(ready('a'), { during: 'sending', cause: 'crash', message: 'it died' })
  assert.deepEqual(suspicions(known.weighed(waits)), [2, 2, 2])
  // It is no less so for a process that dies of it once more.
  known.suspect('a')
  assert.deepEqual(suspicions(known.weighed(waits)), [2, 2, 2])
  const more = ready('a', { suspicion: 2 })
  assert.equal(known.weighed(more), more)
})

test('the third condemned copy of a batch condemns the others, and so does the first for a message that all copies share', async () => {
  const { known, written } = suspects()
  const condemned = { during: 'composing', cause: 'crash', message: 'it died' } as const
  for (let copy = 0; copy < 3; copy++) await known.quarantine(ready('batch', { individual: true }), condemned)
  await known.quarantine(ready('same'), condemned)
  await known.quarantine(ready('server'), { ...condemned, during: 'sending' })
  assert.deepEqual(
    written.map(({ emailId, others }) => [emailId, others]),
    [
      ['batch', 'suspect'],
      ['batch', 'suspect'],
      ['batch', 'quarantine'],
      ['same', 'quarantine'],
      ['server', 'suspect'],
    ],
  )
})
