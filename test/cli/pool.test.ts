/** What a new pool means for the other mail. The service does not run, so this machine tells which addresses are here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWorkplace } from './postroad.ts'

const [FIRST, SECOND, AWAY] = ['127.0.0.2', '127.0.0.3', '192.0.2.77']

test('a pool takes its addresses from mail without a pool, and says from which that mail leaves', async (t) => {
  const place = newWorkplace({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_SOURCE_ADDRESSES: `${FIRST}=a.sender.test, ${SECOND}=b.sender.test, ${AWAY}=c.sender.test`,
  })
  t.after(() => place.remove())
  await place.json('company', 'create', 'Acme')
  const one = await place.run('pool', 'create', 'one', FIRST)
  assert.equal(
    one.stdout,
    `Created the pool one: ${FIRST}.\nMail without an assigned pool no longer leaves from these addresses, but from: ${SECOND}, ${AWAY}.\n`,
  )
  assert.equal(one.stderr, '')
  const two = await place.run('pool', 'create', 'two', SECOND)
  assert.match(two.stdout, /no longer leaves from these addresses, but from: 192\.0\.2\.77\.\n$/)
  assert.match(
    two.stderr,
    /^warning: no node that delivers has any of them, so mail without an assigned pool waits/,
  )
  const three = await place.run('pool', 'create', 'three', AWAY)
  assert.match(three.stdout, /^No node that delivers has these addresses: 192\.0\.2\.77\.$/m)
  assert.match(three.stdout, /^No address is without a pool, so mail .* leaves from all: 127\.0\.0\.2, /m)
  assert.equal(three.stderr, '')
  const shown = await place.json<{ other_mail: object }>('pool', 'create', 'default', SECOND)
  assert.deepEqual(shown.other_mail, { addresses: [SECOND], not_in_service: [] })
  const { stdout } = await place.run('pool', 'change', 'default', FIRST)
  assert.match(stdout, /^Mail without an assigned pool leaves from these addresses alone\.$/m)
})
