/** The findings of the doctor about the bounce mailbox, with a real IMAP server. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { freePort } from '../../../harness/free-port.ts'
import type { ImapMailbox } from '../../../src/config/settings.ts'
import { LastRead } from '../../../src/mailbox/last-read.ts'
import { MailboxSession } from '../../../src/mailbox/session.ts'
import { runChecks } from '../../../src/operate/doctor/examine.ts'
import { Dovecot, HOST } from '../../peers/dovecot.ts'
import { missing } from '../../peers/jail.ts'
import { node } from '../../store/samples.ts'
import { World } from '../world.ts'

const skip = missing('dovecot') ?? false
if (skip) process.stderr.write(`NOT TESTED with Dovecot: ${skip}\n`)

describe('the bounce mailbox, to the doctor', { skip }, () => {
  let world: World
  let dovecot: Dovecot
  before(async () => {
    world = await World.make()
    const certificate = selfSigned([HOST], 30, 'rsa')
    dovecot = await Dovecot.start({ port: await freePort(HOST), tlsPort: await freePort(HOST), certificate })
  })
  after(async () => {
    await dovecot?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  async function checksOf(which: 'all' | 'near', bounceMailbox: ImapMailbox | null, now = Date.now()) {
    const op = await world.operation('operator')
    const checks = await runChecks({ ...op, now: () => now, setup: { ...op.setup, bounceMailbox } }, which)
    return checks.filter(({ id }) => id.startsWith('mailbox'))
  }

  async function found(...of: Parameters<typeof checksOf>) {
    const checks = await checksOf(...of)
    return Object.fromEntries(checks.map(({ id, state, found: text }) => [id, [state, text]]))
  }

  test('without one there is nothing to check', async () => {
    assert.deepEqual(await found('all', null), {})
  })

  test('its server lets us in, or says why not', async () => {
    const mailbox = dovecot.mailbox('checked')
    dovecot.deliver('checked', 'Subject: x\r\n\r\n')
    const server = async (change: Partial<ImapMailbox>) =>
      (await found('all', { ...mailbox, ...change }))['mailbox-server']
    assert.deepEqual(await server({}), ['ok', `${HOST} lets us read INBOX.`])
    assert.deepEqual(await server({ password: 'no' }), [
      'problem',
      `${HOST} refused the user or the password.`,
    ])
    assert.deepEqual(await server({ folder: 'Bounces' }), ['problem', `${HOST} has no folder Bounces.`])
    assert.deepEqual(await server({ port: 1 }), ['problem', `${HOST} refused the connection.`])
    await using session = await MailboxSession.open({ mailbox })
    await session.putAside(1)
    assert.deepEqual(await server({}), ['warning', 'One message could not be read.'])
  })

  test('no node has read it: a problem after 15 minutes', async () => {
    const mailbox = dovecot.mailbox('late')
    const { store } = world
    const near = async (now?: number) => (await found('near', mailbox, now)).mailbox
    assert.deepEqual(await near(), ['warning', 'No node has read it yet.'])
    const now = Date.now()
    const read = new LastRead(store)
    for (const { token } of await store.nodes()) await store.leave(token)
    assert.ok(await read.take(await store.join({ ...node('reader'), since: now - 3_600_000 })))
    await read.note(now)
    assert.deepEqual(await near(now + 30_000), ['ok', 'It was read within the last minute.'])
    assert.deepEqual(await near(now + 180_000), ['ok', 'It was read 3 minutes ago.'])
    assert.deepEqual(await near(now + 16 * 60_000), [
      'problem',
      'No node has read it for 16 minutes, so bounces do not count.',
    ])

    const [{ token } = { token: 0 }] = await store.nodes()
    await store.leave(token)
    const start = now + 24 * 3_600_000
    await store.join({ ...node('reader'), since: start })
    assert.deepEqual(await near(start + 60_000), [
      'unknown',
      'No node has read it for 1441 minutes, and delivery has only just begun.',
    ])
    const adviceAt = async (at: number) => (await checksOf('near', mailbox, at))[0]!.advice
    assert.equal(await adviceAt(start + 60_000), 'Look again in 14 minutes.')
    assert.equal(await adviceAt(start + 14.5 * 60_000), 'Look again in a minute.')
    assert.equal((await near(start + 15 * 60_000))![0], 'problem')
  })
})
