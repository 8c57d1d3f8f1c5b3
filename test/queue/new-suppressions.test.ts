/** Addresses that are suppressed while work for them is in memory, or on its way there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SuppressionWatch } from '../../src/queue/new-suppressions.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

/** Ms for which work may have been on its way. */
const ON_THE_WAY = 5_000

const to = (address: string, position = 0) =>
  ({ address, domain: address.slice(address.indexOf('@') + 1), position }) as ClaimedRecipient
let emails = 0
function ready(companyId: string, addresses: string[], testMode = false) {
  const email = { id: String(++emails), companyId, domainId: 'd', testMode } as ClaimedEmail
  return readyFor(companyId, pathTo('x.test'), { email, recipients: addresses.map(to) })
}

test('waiting mail is marked for good, mail that comes soon after is checked, and the store has checked later mail', () => {
  let now = 1_000
  const added = new SuppressionWatch(() => now)
  const waits = ready('a', ['Gone@x.test', 'stays@x.test'])
  const company = { companyId: 'a', address: 'gone@X.test' }
  added.add([company], [waits])
  const concerned = () => {
    const comes = ready('a', ['GONE@x.test'])
    const other = ready('b', ['gone@x.test'])
    const captured = ready('a', ['gone@x.test'], true)
    const all = [waits, comes, other, captured]
    return all.map((one) => one.recipients.map((each) => added.concern(one, each)))
  }
  assert.deepEqual(concerned(), [[true, false], [true], [false], [false]])
  assert.deepEqual([added.none(waits), added.none(ready('a', ['there@x.test']))], [false, false])
  now += ON_THE_WAY - 1
  assert.deepEqual(concerned(), [[true, false], [true], [false], [false]])
  // It was added again: the time begins anew.
  added.add([company], [])
  now += ON_THE_WAY - 1
  assert.deepEqual(concerned(), [[true, false], [true], [false], [false]])
  now += 1
  assert.deepEqual(concerned(), [[true, false], [false], [false], [false]])
  assert.deepEqual([added.none(waits), added.none(ready('a', ['there@x.test']))], [false, true])
})

test('a recipient goes back to the store once for each time that its address is suppressed', () => {
  const added = new SuppressionWatch(() => 1_000)
  const { email, recipients } = ready('a', ['gone@x.test', 'gone@x.test'])
  const company = { companyId: 'a', address: 'gone@x.test' }
  const waits = readyFor('a', pathTo('x.test'), { email, recipients })
  /** The email as the store hands it out again. */
  const concerned = (one = readyFor('a', pathTo('x.test'), { email, recipients })) =>
    one.recipients.map((each) => added.concern(one, each))
  added.add([company], [waits])
  assert.deepEqual(concerned(waits), [true, true])
  assert.deepEqual(concerned(), [false, false])
  added.add([company], [])
  assert.deepEqual(concerned(), [true, true])
  assert.deepEqual(concerned(), [false, false])
})

test('mail to the simulator is never stopped: a rehearsed complaint must not keep the address from being rehearsed again', () => {
  const added = new SuppressionWatch(() => 1_000)
  const waits = ready('a', ['complained@simulator.test', 'complained@x.test'])
  const both = waits.recipients.map(({ address }) => ({ companyId: 'a', address }))
  added.add(both, [waits])
  assert.deepEqual(
    waits.recipients.map((each) => added.concern(waits, each)),
    [false, true],
  )
})
