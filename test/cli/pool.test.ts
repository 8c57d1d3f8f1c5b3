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
  const bad = await place.run('pool', 'create', 'bad name!', FIRST)
  assert.equal(bad.code, 2)
  assert.match(bad.stderr, /^postroad: the name of a pool must have/)
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

test('whoever assigns a pool without a usable address is told, and so is everybody who looks at the domain', async (t) => {
  const place = newWorkplace({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_SOURCE_ADDRESSES: `${FIRST}=a.sender.test`,
  })
  t.after(() => place.remove())
  await place.json('company', 'create', 'Acme')
  await place.json('domain', 'add', 'acme.test', '--company', 'Acme')
  const pool = async () => /^Pool: +(.*)$/m.exec((await place.run('domain', 'show', 'acme.test')).stdout)?.[1]
  assert.equal(await pool(), undefined)
  await place.json('pool', 'create', 'typo', AWAY)
  await place.json('pool', 'create', 'good', FIRST)
  assert.equal(await pool(), 'none')
  const warned = `warning: mail of acme.test waits, because this machine does not have ${AWAY}\n`
  const updated = await place.run('domain', 'update', 'acme.test', '--pool', 'typo')
  assert.deepEqual(updated, {
    code: 0,
    stdout: 'Mail of acme.test leaves from the pool typo now.\n',
    stderr: warned,
  })
  assert.equal((await place.run('pool', 'assign', 'typo', '--domain', 'acme.test')).stderr, warned)
  assert.equal(await pool(), `typo; its mail waits, because this machine does not have ${AWAY}`)
  assert.equal((await place.run('pool', 'assign', 'good', '--domain', 'acme.test')).stderr, '')
  assert.equal(await pool(), 'good')
  await place.json('pool', 'unassign', '--domain', 'acme.test')
  await place.json('pool', 'assign', 'good', '--company', 'Acme')
  assert.equal(await pool(), 'good, of the company')
})
