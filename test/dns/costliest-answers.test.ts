/**
 * The costliest answers that a zone can give: each fills a message of 16 KiB. A thread that meets one does nothing else
 * meanwhile, so the processor time of a look-up is bounded, whatever the answer.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns, type Zone } from '../../harness/dns.ts'
import type { Lookup } from '../../src/dns/lookup.ts'
import { Resolver } from '../../src/dns/resolver.ts'

type Ask = (resolver: Resolver, name: string) => Promise<Lookup<unknown>>

interface Costliest {
  about: string
  type: 'A' | 'MX' | 'NS' | 'TXT' | 'TLSA' | 'CNAME'
  ask: Ask
  records: Buffer[]
  /** The section of the records: answers by default. */
  section?: 0 | 1 | 2
  /** The result of the look-up: the number of used records, or the reason that there are none. */
  found: number | string
}

const MAX_OCTETS = 16 * 1024
/** Where the records begin: behind the header and the question `n000.test`. */
const START = 12 + 11 + 4
const OWNER = pointer(12)
const TYPES = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28, OPT: 41, TLSA: 52, NULL: 10 }
const PREFERENCE = Buffer.from([0, 10])
/** Names of 254 octets, in one label after the other. */
const LONGEST = { unprintable: longest('\x01'), plain: longest('a'), capital: longest('A') }
const ONE_OCTET_LABELS = Buffer.concat([
  ...Array.from({ length: 126 }, () => label('\x01')),
  Buffer.from([0]),
])

const mx: Ask = (resolver, name) => resolver.mx(name)
const addresses: Ask = (resolver, name) => resolver.addresses(name)
const txt: Ask = (resolver, name) => resolver.txt(name)
const tlsa: Ask = (resolver, name) => resolver.tlsa(name)
const ns: Ask = (resolver, name) => resolver.ns(name)
const cname: Ask = (resolver, name) => resolver.cname(name)

const TABLE: Costliest[] = [
  {
    about: 'MX records whose names share 246 octets that no host name holds',
    ...{ type: 'MX', ask: mx, found: 0 },
    records: sharing(LONGEST.unprintable, (name) =>
      record(OWNER, TYPES.MX, Buffer.concat([PREFERENCE, name])),
    ),
  },
  {
    about: 'MX records whose names share 246 letters',
    ...{ type: 'MX', ask: mx, found: 127 },
    records: sharing(LONGEST.capital, (name) => record(OWNER, TYPES.MX, Buffer.concat([PREFERENCE, name]))),
  },
  {
    about: 'MX records of names with 126 labels',
    ...{ type: 'MX', ask: mx, found: 0 },
    records: full(() => record(OWNER, TYPES.MX, Buffer.concat([PREFERENCE, ONE_OCTET_LABELS]))),
  },
  {
    about: 'MX records whose names go through thousands of pointers',
    ...{ type: 'MX', ask: mx, found: 'NODATA' },
    records: pointing((name) => record(name, TYPES.MX, Buffer.concat([PREFERENCE, name]))),
  },
  {
    about: 'thousands of tiny MX records',
    ...{ type: 'MX', ask: mx, found: 128 },
    records: full(() => record(OWNER, TYPES.MX, Buffer.from([0, 10, 1, 0x61, 0]))),
  },
  {
    about: 'MX records of other names, each of 254 octets',
    ...{ type: 'MX', ask: mx, found: 'NODATA' },
    records: full(() => record(LONGEST.unprintable, TYPES.MX, Buffer.from([0, 10, 0]))),
  },
  {
    about: 'thousands of addresses',
    ...{ type: 'A', ask: addresses, found: 128 },
    records: full(() => record(OWNER, TYPES.A, Buffer.from([192, 0, 2, 1]))),
  },
  {
    about: 'name servers whose names share 246 octets',
    ...{ type: 'NS', ask: ns, found: 0 },
    records: sharing(LONGEST.unprintable, (name) => record(OWNER, TYPES.NS, name)),
  },
  {
    about: 'a chain of aliases with long names',
    ...{ type: 'MX', ask: mx, found: 'CNAMELOOP' },
    records: chain(600),
  },
  {
    about: 'aliases of one name',
    ...{ type: 'CNAME', ask: cname, found: 127 },
    records: sharing(LONGEST.unprintable, (name) => record(OWNER, TYPES.CNAME, name)),
  },
  {
    about: 'a text of one octet a string',
    ...{ type: 'TXT', ask: txt, found: 1 },
    records: [record(OWNER, TYPES.TXT, Buffer.alloc(16_000, Buffer.from([1, 0x61])))],
  },
  {
    about: 'a text of empty strings',
    ...{ type: 'TXT', ask: txt, found: 1 },
    records: [record(OWNER, TYPES.TXT, Buffer.alloc(16_000))],
  },
  {
    about: 'thousands of short texts',
    ...{ type: 'TXT', ask: txt, found: 128 },
    records: full(() => record(OWNER, TYPES.TXT, Buffer.from([1, 0x61]))),
  },
  {
    about: 'TLSA records',
    ...{ type: 'TLSA', ask: tlsa, found: 128 },
    records: full(() => record(OWNER, TYPES.TLSA, Buffer.from([3, 1, 1]))),
  },
  {
    about: 'records of the root of an unknown type',
    ...{ type: 'MX', ask: mx, found: 'NODATA' },
    records: full(() => record(Buffer.from([0]), TYPES.NULL, Buffer.alloc(0))),
  },
  {
    about: 'OPT records with thousands of options',
    ...{ type: 'MX', ask: mx, section: 2, found: 'NODATA' },
    records: [record(Buffer.from([0]), TYPES.OPT, Buffer.alloc(16_000))],
  },
  {
    about: 'thousands of OPT records',
    ...{ type: 'MX', ask: mx, section: 2, found: 'NODATA' },
    records: full(() => record(Buffer.from([0]), TYPES.OPT, Buffer.alloc(0))),
  },
  {
    about: 'authorities with long names',
    ...{ type: 'MX', ask: mx, section: 1, found: 'REFERRAL' },
    records: sharing(LONGEST.unprintable, (name) => record(OWNER, TYPES.NS, name)),
  },
]

/** Look-ups of each answer: the kernel counts processor time in ticks of up to 4 ms. */
const LOOKUPS = 50
/** Microseconds of one look-up, with its query, its connection and the test's own server. */
const MAX_US = 12_000

describe('the costliest answers of DNS', () => {
  const zone: Zone = {}
  let server: FakeDns
  before(async () => {
    server = await startDns(zone)
  })
  after(() => server.close())

  for (const { about, type, ask, records, section = 0, found } of TABLE) {
    test(about, async () => {
      const octets = Buffer.concat(records)
      assert.ok(START + octets.length <= MAX_OCTETS)
      const counts: [number, number, number] = [0, 0, 0]
      counts[section] = records.length
      const names = Array.from({ length: LOOKUPS }, (_, index) => `n${String(index).padStart(3, '0')}.test`)
      for (const name of names) zone[`${name}/${type}`] = { octets, counts }
      const resolver = new Resolver({ servers: [server.address] })
      const begun = process.threadCpuUsage()
      for (const name of names) {
        const answer = await ask(resolver, name)
        assert.equal(answer.kind === 'found' ? answer.records.length : answer.reason, found)
      }
      const { user, system } = process.threadCpuUsage(begun)
      const each = (user + system) / LOOKUPS
      assert.ok(each < MAX_US, `${Math.round(each)} µs a look-up`)
      if (process.env.POSTROAD_TEST_FIGURES === '1') console.log(`${Math.round(each)} µs ${about}`)
    })
  }

  test('that are larger are not read', async () => {
    zone['large.test/TXT'] = { octets: record(OWNER, TYPES.TXT, Buffer.alloc(17_000)), counts: [1, 0, 0] }
    const resolver = new Resolver({ servers: [server.address] })
    assert.deepEqual(await resolver.txt('large.test'), { kind: 'failed', reason: 'BADRESP' })
  })
})

function label(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
}

function longest(octet: string): Buffer {
  return Buffer.concat([...[63, 63, 63, 60].map((length) => label(octet.repeat(length))), Buffer.from([0])])
}

function pointer(to: number): Buffer {
  return Buffer.from([0xc0 | (to >> 8), to & 0xff])
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(60, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

/** As many as a message has room for. */
function full(made: (at: number) => Buffer): Buffer[] {
  const records: Buffer[] = []
  let at = START
  for (;;) {
    const next = made(at)
    if (at + next.length > MAX_OCTETS) return records
    records.push(next)
    at += next.length
  }
}

/** Records whose names are the long one, by a pointer. It is in a record of its own, of a type that is not read. */
function sharing(name: Buffer, made: (name: Buffer) => Buffer): Buffer[] {
  const shared = START + OWNER.length + 10
  let isFirst = true
  return full(() => {
    if (!isFirst) return made(pointer(shared))
    isFirst = false
    return record(OWNER, TYPES.NULL, name)
  })
}

/** Records whose names are the end of a chain of pointers, each to the one before it. */
function pointing(made: (name: Buffer) => Buffer): Buffer[] {
  const start = START + OWNER.length + 10
  const pointers = [Buffer.from([0, 0]), ...Array.from({ length: 4_000 }, (_, at) => pointer(start + 2 * at))]
  let isFirst = true
  return full(() => {
    if (!isFirst) return made(pointer(start + 8_000))
    isFirst = false
    return record(OWNER, TYPES.NULL, Buffer.concat(pointers))
  })
}

/** Aliases from the requested name to longer and longer numbers of a long name. */
function chain(links: number): Buffer[] {
  const shared = START + OWNER.length + 10
  const records = [record(OWNER, TYPES.NULL, longest('\x01').subarray(64))]
  const numbered = (link: number) => Buffer.concat([label(String(link).padStart(4, '0')), pointer(shared)])
  for (let link = 0; link < links; link++) {
    records.push(record(link === 0 ? OWNER : numbered(link), TYPES.CNAME, numbered(link + 1)))
  }
  return records
}
