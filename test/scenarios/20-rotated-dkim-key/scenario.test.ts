/**
 * 20: a DKIM key that is rotated.
 *
 * An operator rotates the key of a domain, at the command line, while mail leaves. DNS does not have the record yet: mail is signed as
 * before, also after a restart, and the next key is used before that only on purpose. Then DNS has the record. Mail is signed with the next
 * key, and receivers verify both earlier and later mail, because the previous record stays.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { keysOfRecords, type PrintedRecord, verifyDkim } from '../../../harness/verify-dkim.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'

interface Shown {
  status: string
  dkim_keys: { selector: string; active: boolean; stage: string | null; keep_record_until: string | null }[]
  dns_records: (PrintedRecord & { kind: string; required: boolean })[]
}

test('a DKIM key is rotated', async () => {
  const dns = await startDns({})
  await using stack = new AsyncDisposableStack()
  stack.defer(() => dns.close())
  await using installation = new Installation({ POSTROAD_DNS_SERVERS: dns.address })
  const { domain, token } = await installation.addTenant('shop.example')
  let service = await installation.serve()
  const publish = ({ dns_records }: Shown) => {
    for (const { name, value } of dns_records) dns.zone[`${name}/TXT`] = [value]
  }
  const run = (...args: string[]) => installation.command<Shown>('domain', ...args, domain)
  const stages = ({ dkim_keys }: Shown) =>
    dkim_keys.map(({ stage, active }) => stage ?? (active ? 'signs' : 'off'))
  /** The selector that a new message is signed with, and the message. */
  const send = async () => {
    const api = new ApiClient(service.url, token)
    const { body } = await api.send({ from: `a@${domain}`, to: 'b@example.com', subject: 'Hi', text: 'Hi' })
    await api.lastEvent(String(body.id), 'delivered')
    const raw = await installation.raw(String(body.id))
    return { raw, selector: /\bs=([\w-]+);/.exec(raw.toString())?.[1] }
  }
  const inDns = () =>
    keysOfRecords(
      Object.entries(dns.zone).map(([name, value]) => {
        return { type: 'TXT', name: name.replace('/TXT', ''), value: String(value) }
      }),
    )

  publish(await run('show'))
  const [first] = (await run('verify')).dns_records
  const begun = await run('rotate')
  assert.deepEqual(stages(begun), ['signs', 'next'])
  const [previous, next] = begun.dkim_keys.map(({ selector }) => selector)
  assert.ok(first!.name.startsWith(`${previous}.`))
  await assert.rejects(
    run('rotate'),
    /already waiting until DNS has the record at .*; see: postroad domain show/,
  )
  await assert.rejects(run('rotate', '--finish'), /would fail DKIM.*To do it all the same, add --force/)
  const before = await send()
  assert.equal(before.selector, previous)

  assert.equal(await service.kill('SIGTERM'), 0)
  service = await installation.serve()
  assert.deepEqual(stages(await run('show')), ['signs', 'next'])
  assert.equal((await send()).selector, previous)

  publish(begun)
  await run('verify')
  const switched = await run('show')
  assert.deepEqual([stages(switched), switched.status], [['retiring', 'signs'], 'verified'])
  assert.deepEqual(
    switched.dns_records.map(({ kind, required }) => `${kind} ${required}`),
    ['dkim true', 'dkim true', 'spf false', 'dmarc false'],
  )
  // The service learns of it within a second.
  let after = await send()
  while (after.selector !== next) after = await send()
  for (const { raw } of [before, after]) assert.ok((await verifyDkim(raw, inDns())).pass)
})
