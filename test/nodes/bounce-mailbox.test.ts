/** A bounce mailbox of several nodes, as processes, of which one is killed while it reads. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { freePort } from '../../harness/free-port.ts'
import { bounce } from '../../harness/returned-mail.ts'
import { Seal } from '../../src/accounts/seal.ts'
import { RETURN_PATHS, ReturnPathKey, returnPath } from '../../src/mail/return-path/return-path.ts'
import { Dovecot, HOST } from '../peers/dovecot.ts'
import { missing } from '../peers/jail.ts'
import { execute, withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, type Node } from './fleet.ts'

const skip = withoutPostgres() || (missing('dovecot') ?? false)
if (skip) process.stderr.write(`NOT TESTED with Dovecot and PostgreSQL: ${skip}\n`)

const BOX = 'bounces'
const EMAILS = 40

describe('a bounce mailbox of several nodes', { skip }, () => {
  test('is read by one of them, and each report counts once, though that one is killed while it reads', async () => {
    const ports = { port: await freePort(HOST), tlsPort: await freePort(HOST) }
    await using dovecot = await Dovecot.start({ ...ports, certificate: selfSigned([HOST], 30, 'rsa') })
    const { host, port, user, password } = dovecot.mailbox(BOX)
    const secret = randomBytes(32)
    await using fleet = await Fleet.start({
      settings: {
        POSTROAD_SECRET_KEY: secret.toString('hex'),
        POSTROAD_BOUNCE_MAILBOX: `imap://${user}:${encodeURIComponent(password)}@${host}:${port}/INBOX`,
      },
    })
    const first = await fleet.node('first', 'api,delivery')
    const sent = await fleet.send(first, EMAILS)
    await fleet.arrived(sent)
    await fleet.recorded()

    const state = async (node: Node, name: string) =>
      (await node.metric(`postroad_bounce_mailbox{state="${name}"}`)) === 1
    await until(() => state(first, 'reading'), 'the first node to read')
    const second = await fleet.node('second', 'api,delivery')
    assert.ok(await state(second, 'elsewhere'))

    const key = new ReturnPathKey(new Seal(secret).derive(RETURN_PATHS))
    for (const [address, emailId] of sent) {
      const addressee = returnPath(key, { emailId, recipient: 0, at: Date.now() }, 'bounces.acme.test')
      dovecot.deliver(BOX, bounce({ to: address, author: 'a@acme.test', addressee }))
    }
    const read = (node: Node) => node.metric('postroad_mailbox_messages_total{result="read"}')
    await until(async () => (await read(first)) > 0, 'the first report')
    await first.child.kill('SIGKILL')
    const marked = () => dovecot.flags(BOX).filter((letters) => letters.includes('S')).length
    await until(() => marked() === EMAILS, 'all marks')
    assert.ok(await state(second, 'reading'))

    const sql = `SELECT count(*)::int AS events, count(DISTINCT email)::int AS emails FROM events WHERE type = 'bounced'`
    assert.deepEqual(await execute(fleet.database, sql), [{ events: EMAILS, emails: EMAILS }])
  })
})
