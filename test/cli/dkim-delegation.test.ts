/** DKIM keys in the operator's zone, at the command line: from a new domain to a zone file that DNS loads. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { newWorkplace, type Workplace } from './postroad.ts'

interface Shown {
  dkim: string
  dkim_rotation_seconds: number | null
  dkim_keys: { selector: string; active: boolean; delegated: boolean; stage: string | null }[]
  dns_records: { kind: string; type: string; name: string; value: string; zone: string }[]
}

let dns: FakeDns
let place: Workplace
before(async () => {
  dns = await startDns({})
  place = newWorkplace({ POSTROAD_DNS_SERVERS: dns.address, POSTROAD_DKIM_ZONE: 'dkim.example.net' })
  await place.json('company', 'create', 'Acme')
})
after(async () => {
  place.remove()
  await dns.close()
})

test('a domain is added with CNAME records, the zone is printed, and both make it send', async () => {
  const added = await place.run('domain', 'add', 'x.test', '--company', 'Acme')
  assert.match(added.stdout, /^ {2}pr1\._domainkey\.x\.test\. IN CNAME pr1\.\w{20}\.dkim\.example\.net\.$/m)
  assert.match(added.stdout, /point to your zone: load the output of `postroad domain zone`/)
  const shown = await place.json<Shown>('domain', 'show', 'x.test')
  assert.deepEqual([shown.dkim, shown.dkim_rotation_seconds], ['cname', null])
  const cnames = shown.dns_records.filter(({ type }) => type === 'CNAME')
  for (const { name, value } of cnames) dns.zone[`${name}/CNAME`] = [value]

  const unloaded = await place.run('domain', 'verify', 'x.test')
  assert.equal(unloaded.code, 1)
  assert.match(unloaded.stdout, /^missing +CNAME pr1\._domainkey\.x\.test$/m)
  assert.match(unloaded.stdout, /record is right, but not the record that it leads to.*domain zone/)

  const { stdout: file } = await place.run('domain', 'zone')
  const lines = file.trimEnd().split('\n')
  assert.match(lines[0]!, /^; .*dkim\.example\.net/)
  assert.equal(lines.length, 3)
  for (const line of lines.slice(1)) {
    const [, name, text] = /^(\S+)\. 3600 IN TXT (".*")$/.exec(line)!
    dns.zone[`${name}/TXT`] = [[...text!.matchAll(/"([^"]*)"/g)].map((match) => match[1]).join('')]
  }
  const { zone, records } = await place.json<{ zone: string; records: object[] }>('domain', 'zone')
  assert.deepEqual([zone, records.length], ['dkim.example.net', 2])
  const verified = await place.run('domain', 'verify', 'x.test')
  assert.equal(verified.code, 0, verified.stderr)

  const rotated = await place.run('domain', 'rotate', 'x.test')
  assert.match(
    rotated.stdout,
    /^pr2 is next for x\.test\. It signs mail once DNS has had its record for an hour/,
  )
  const fields = (await place.run('domain', 'show', 'x.test')).stdout
  assert.match(fields, /^DKIM key: +pr1, signs mail \(in DNS: right\)$/m)
  assert.match(fields, /^DKIM rotation: +rotated every 180 days$/m)
})

test('a domain with TXT records moves and comes back; rotation by itself can be set', async () => {
  await place.run('domain', 'add', 'y.test', '--company', 'Acme', '--dkim', 'txt')
  await place.run('domain', 'activate', 'y.test')
  const before = await place.json<Shown>('domain', 'show', 'y.test')
  assert.deepEqual([before.dkim, before.dkim_keys[0]!.delegated], ['txt', false])
  const moved = await place.run('domain', 'update', 'y.test', '--dkim', 'cname')
  assert.match(moved.stdout, /^Publish these DKIM records of y\.test:$/m)
  assert.match(moved.stdout, /Mail is signed as before until DNS has the new ones/)
  const after = await place.json<Shown>('domain', 'show', 'y.test')
  assert.deepEqual(
    after.dkim_keys.map(({ active, delegated, stage }) => [active, delegated, stage]),
    [
      [true, false, null],
      [false, true, 'next'],
      [false, true, null],
    ],
  )
  const back = await place.run('domain', 'update', 'y.test', '--dkim', 'txt')
  assert.equal(back.code, 0, back.stderr)
  const { dkim, dkim_keys } = await place.json<Shown>('domain', 'show', 'y.test')
  assert.deepEqual([dkim, dkim_keys.length], ['txt', 1])

  const set = await place.run('domain', 'update', 'x.test', '--dkim-rotation', '30d')
  assert.match(set.stdout, /^DKIM keys of x\.test: rotated every 30 days\.$/m)
  assert.match(
    (await place.run('domain', 'update', 'x.test', '--dkim-rotation', '1d')).stderr,
    /8 to 1825 days/,
  )
  const off = await place.run('domain', 'update', 'x.test', '--dkim-rotation', 'off')
  assert.match(off.stdout, /not rotated by themselves/)
  assert.match((await place.run('domain', 'update', 'x.test', '--dkim-rotation', 'soon')).stderr, /like 90d/)
})

test('without a zone the command says which setting it needs', async () => {
  const bare = newWorkplace()
  try {
    await bare.json('company', 'create', 'Acme')
    const { code, stderr } = await bare.run('domain', 'zone')
    assert.equal(code, 2)
    assert.match(stderr, /name one in POSTROAD_DKIM_ZONE/)
    const added = await bare.run('domain', 'add', 'z.test', '--company', 'Acme', '--dkim', 'cname')
    assert.match(added.stderr, /POSTROAD_DKIM_ZONE/)
  } finally {
    bare.remove()
  }
})
