/**
 * 23: bounces come back to the service.
 *
 * A domain gets a return path. Until DNS has the MX and the SPF record of its host, MAIL FROM is the author's address. From the check that
 * finds both, MAIL FROM names the email in a token, for all recipients of one transaction and for each copy of a batch. An email has the
 * same MAIL FROM at every attempt, whatever is published or removed between them, and across a restart. When the records are gone, new
 * mail has the author's address again, and still leaves.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { startRelayed } from '../../support/relayed-service.ts'

interface Shown {
  return_path: { host: string; used: boolean }
  dns_records: { kind: string; type: string; name: string; value: string; preference: number | null }[]
}

const FROM = 'hello@acme.test'
const RETURN_PATH = /^b[a-z2-7]{48}@bounces\.acme\.test$/

test('MAIL FROM before and after the records of the return path were found', async () => {
  const dns = await startDns({ 'mail.service.test/A': ['192.0.2.1'] })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => dns.close())
  await using stage = await startRelayed({
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_HOSTNAME: 'mail.service.test',
    POSTROAD_BOUNCE_HOST: 'bounces.service.test',
  })
  const { sink, installation } = stage
  const run = (...args: string[]) => installation.command<Shown>('domain', ...args)
  /** Whether the service, which learns of it within a second, uses the return path. */
  const waitUntilUsed = async (wanted: boolean) => {
    for (;;) {
      await stage.api.accepted({ from: FROM, to: 'probe@in.test', subject: 'probe', text: 'probe' })
      if (RETURN_PATH.test((await sink.next()).sender) === wanted) return
    }
  }
  const senders = new Map<string, string[]>()
  const put = new Set<string>()
  sink.script = ({ step, recipient, sender }) => {
    if (step !== 'rcpt' || !recipient!.startsWith('patient')) return undefined
    senders.set(recipient!, [...(senders.get(recipient!) ?? []), sender!])
    return put.has(recipient!) ? undefined : { reply: '451 4.7.1 greylisted, come back' }
  }
  const greylisted = async (to: string) => {
    const id = await stage.api.accepted({ from: FROM, to, subject: 'grey', text: 'grey' })
    await stage.api.lastEvent(id, 'delivery_delayed')
    return async () => {
      put.add(to)
      await stage.api.lastEvent(id, 'delivered')
      await sink.next()
      return [...new Set(senders.get(to))]
    }
  }

  const early = await greylisted('patient.early@in.test')
  const { return_path, dns_records } = await run('show', 'acme.test')
  const problem = 'DNS has not had all of its records yet'
  assert.deepEqual(return_path, { host: 'bounces.acme.test', used: false, problem })
  const own = dns_records.filter(({ kind }) => kind.startsWith('return_path'))
  assert.deepEqual(
    own.map(({ type, name, value, preference }) => [type, name, value, preference]),
    [
      ['MX', 'bounces.acme.test', 'bounces.service.test', 10],
      ['TXT', 'bounces.acme.test', 'v=spf1 a:mail.service.test ~all', null],
    ],
  )
  dns.zone['bounces.acme.test/MX'] = ['10 bounces.service.test']
  // Its required records are missing: that says nothing about the return path.
  await assert.rejects(run('verify', 'acme.test'))
  assert.equal((await run('show', 'acme.test')).return_path.used, false, 'one record of two')
  await waitUntilUsed(false)
  dns.zone['bounces.acme.test/TXT'] = ['v=spf1 a:mail.service.test ~all']
  await assert.rejects(run('verify', 'acme.test'))
  assert.equal((await run('show', 'acme.test')).return_path.used, true)
  await waitUntilUsed(true)
  assert.deepEqual(await early(), [FROM])

  const to = ['a@in.test', 'b@in.test']
  await stage.api.accepted({ from: FROM, to, subject: 'two', text: 'two' })
  const together = await sink.next()
  assert.deepEqual(together.recipients, to)
  assert.match(together.sender, RETURN_PATH)

  const late = await greylisted('patient.late@in.test')
  delete dns.zone['bounces.acme.test/MX']
  await assert.rejects(run('verify', 'acme.test'))
  await waitUntilUsed(false)
  assert.equal(await stage.service.kill('SIGTERM'), 0)
  await stage.startAgain()
  const [sender, ...others] = await late()
  assert.match(sender!, RETURN_PATH)
  assert.deepEqual(others, [])
})
