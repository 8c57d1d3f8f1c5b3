/** Held mail and a store that fails: the test plays the store, because its faults are what counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stops, type StopsParts } from '../../src/queue/stops.ts'
import type { HoldRelease } from '../../src/store/store.ts'

const MINUTE = 60_000
const ALL = Number.MAX_SAFE_INTEGER

test('a release that fails is tried again for its domain alone', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const sending = new Map([
    ['failing', 'active'],
    ['other', 'active'],
  ])
  const released: string[] = []
  let isFailing = true
  const parts = {
    store: {
      cancelRequests: async () => [],
      heldDomains: async () => [...sending.keys()],
      async releaseHeld(id: string, { dueBefore }: HoldRelease) {
        released.push(`${id} ${dueBefore === ALL ? 'wholly' : 'soon'}`)
        if (id === 'failing' && isFailing) throw new Error('the store is away')
        return 1
      },
      suppressionsSince: async () => ({ cursor: '', added: [] }),
      pauses: async () => [],
    },
    accounts: {
      domain: (id: string) => ({ sending: sending.get(id) }),
      signingDomain: () => undefined,
      isRemoved: () => false,
    },
    retrySchedule: { endOf: () => null },
    waiting: () => [],
    onChanged() {},
    log: { error() {} },
  } as unknown as StopsParts
  const stops = new Stops(parts)
  t.after(() => stops.stop())
  await stops.start()
  assert.deepEqual(released.splice(0), ['failing wholly', 'other wholly'])

  // Mail of the other domain is held again, with due times of its own.
  sending.set('other', 'inactive')
  stops.heldWritten('other')
  await null
  released.length = 0
  sending.set('other', 'active')
  isFailing = false
  t.mock.timers.tick(MINUTE)
  assert.deepEqual(released.splice(0), ['failing wholly'])
  stops.domainsChanged()
  assert.deepEqual(released, ['other soon'])
})
