import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import type { Zone } from '../../../harness/dns.ts'
import { SendingRight } from '../../../src/cluster/sending-right.ts'
import type { RouteCourierOptions } from '../../../src/delivery/route-courier.ts'
import type { Script, SinkOptions } from '../../support/sink.ts'
import { content, startRig, startSinks, wayBy } from './rig.ts'

/** Hosts mx1, mx2, ... on 127.0.0.1, 127.0.0.2, ... as the MX of x.test in this order. */
async function startDirect(
  t: TestContext,
  hosts: Omit<SinkOptions, 'port' | 'host'>[],
  zone: Zone = {},
  changes: Partial<RouteCourierOptions> = {},
) {
  const addresses = hosts.map((_, i) => `127.0.0.${i + 1}`)
  const sinks = await startSinks(t, Object.fromEntries(hosts.map((options, i) => [addresses[i], options])))
  const records: Zone = { 'x.test/MX': addresses.map((_, i) => `${(i + 1) * 10} mx${i + 1}.x.test`) }
  for (const [i, address] of addresses.entries()) records[`mx${i + 1}.x.test/A`] = [address]
  const rig = await startRig(
    t,
    { kind: 'direct' },
    { ...records, ...zone },
    { smtpPort: sinks.port, ...changes },
  )
  return { ...rig, port: sinks.port, mx: (n: number) => sinks.at(`127.0.0.${n}`) }
}

const at = (step: string, reply: string, close = false): Script => {
  return (moment) => (moment.step !== step ? undefined : close ? { reply, close } : { reply })
}

test('mail goes to the best mail server', async (t) => {
  const { deliver, mx, port } = await startDirect(t, [{}, {}])
  const result = await deliver(['jane@x.test', 'joe@x.test'])
  assert.deepEqual(
    result.outcomes.map(({ verdict }) => verdict),
    ['delivered', 'delivered'],
  )
  assert.equal(result.server, `mx1.x.test [127.0.0.1]:${port}`)
  assert.deepEqual((await mx(1).next()).recipients, ['jane@x.test', 'joe@x.test'])
  assert.equal(mx(2).connections, 0)
})

test('a domain without MX takes mail at its own address (RFC 5321 5.1)', async (t) => {
  const { deliver, port } = await startDirect(t, [{}], { 'bare.test/A': ['127.0.0.1'] })
  const result = await deliver(['jane@bare.test'])
  assert.equal(result.outcomes[0]?.verdict, 'delivered')
  assert.equal(result.server, `bare.test [127.0.0.1]:${port}`)
})

test('an address literal stands for itself (RFC 5321 4.1.3)', async (t) => {
  const { outcome, dns, mx } = await startDirect(t, [{}])
  assert.equal((await outcome('jane@[127.0.0.1]')).verdict, 'delivered')
  assert.deepEqual((await mx(1).next()).recipients, ['jane@[127.0.0.1]'])
  assert.deepEqual(dns.queries, [])
  assert.equal((await outcome('jane@[300.1.1.1]')).verdict, 'bounced')
})

test('a mail server behind a CNAME is found', async (t) => {
  const { outcome } = await startDirect(t, [{}], {
    'alias.test/MX': ['10 mail.alias.test'],
    'mail.alias.test/A': { values: ['127.0.0.1'], cname: 'real.test' },
  })
  assert.equal((await outcome('jane@alias.test')).verdict, 'delivered')
})

test('the next server is tried when the first is unreachable, refuses the session or hangs up', async (t) => {
  const refusals: (Script | undefined)[] = [
    at('connect', '554 5.7.1 no service for you', true),
    at('connect', '421 4.3.2 too busy', true),
    at('ehlo', '421 4.3.2 closing', true),
    at('mail', '451 4.3.0 not now'),
    at('mail', '421 4.3.2 closing', true),
    ({ step }) => (step === 'connect' ? { close: true } : undefined),
    ({ step }) => (step === 'mail' ? { close: true } : undefined),
    ({ step }) => (step === 'rcpt' ? { close: true } : undefined),
    ({ step }) => (step === 'data' ? { close: true } : undefined),
  ]
  for (const script of refusals) {
    const { deliver, mx, port } = await startDirect(t, [{ ...(script && { script }) }, {}])
    const result = await deliver(['jane@x.test'])
    assert.equal(result.outcomes[0]?.verdict, 'delivered', result.dialogue)
    assert.equal(result.server, `mx2.x.test [127.0.0.2]:${port}`)
    assert.equal(mx(1).connections, 1)
    assert.equal(mx(1).messages.length, 0)
    await Promise.all([mx(1).close(), mx(2).close()])
  }
})

test('a silent server is given up for the next one', async (t) => {
  const silent: Script = ({ step }) => (step === 'connect' ? { hang: true } : undefined)
  const limits = { timeouts: { greeting: 100 } }
  const { outcome } = await startDirect(t, [{ script: silent }, {}], {}, { limits })
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
})

test('a final refusal, or one about the mailbox, is not tried at another server', async (t) => {
  const answers: [Script, verdict: string][] = [
    [at('mail', '550 5.7.1 sender not welcome'), 'bounced'],
    [at('rcpt', '550 5.1.1 no such user'), 'bounced'],
    [at('rcpt', '550 no'), 'bounced'],
    [at('rcpt', '452 4.2.2 mailbox full'), 'deferred'],
    [at('dot', '554 5.6.0 spam'), 'bounced'],
  ]
  for (const [script, verdict] of answers) {
    const { deliver, mx } = await startDirect(t, [{ script }, {}])
    const result = await deliver(['jane@x.test'])
    assert.equal(result.outcomes[0]?.verdict, verdict, result.dialogue)
    assert.match(result.server ?? '', /^mx1\.x\.test/)
    assert.equal(mx(2).connections, 0)
    await Promise.all([mx(1).close(), mx(2).close()])
  }
})

test('after 4yz for a recipient or the message the next server is tried at once (RFC 5321 5.1)', async (t) => {
  const answers: Script[] = [
    at('rcpt', '451 4.7.1 greylisted'),
    at('rcpt', '450 4.3.0 later'),
    at('data', '451 4.3.0 later'),
    at('dot', '451 4.3.0 later'),
    at('dot', '421 4.3.2 closing', true),
  ]
  for (const script of answers) {
    const { deliver, mx, port } = await startDirect(t, [{ script }, {}])
    const { outcomes, server, dialogue } = await deliver(['jane@x.test'])
    assert.equal(outcomes[0]?.verdict, 'delivered', dialogue)
    assert.equal(server, `mx2.x.test [127.0.0.2]:${port}`)
    assert.equal(mx(2).messages.length, 1)
    // Both servers and their replies are on record.
    assert.match(dialogue, /connected to mx1.*< 4\d\d .*connected to mx2.*< 250 2\.0\.0 kept/s)
    await Promise.all([mx(1).close(), mx(2).close()])
  }
})

test('only recipients that the first server deferred are tried at the next, and each records its own server', async (t) => {
  const script: Script = ({ step, recipient }) =>
    step === 'rcpt' && recipient !== 'first@x.test' ? { reply: '450 4.7.1 greylisted' } : undefined
  const second: Script = ({ step, recipient }) =>
    step === 'rcpt' && recipient === 'last@x.test' ? { reply: '450 4.7.1 greylisted here too' } : undefined
  const { deliver, mx, port } = await startDirect(t, [{ script }, { script: second }])
  const { outcomes } = await deliver(['first@x.test', 'middle@x.test', 'last@x.test'])
  const byPosition = outcomes.sort((a, b) => a.position - b.position)
  assert.deepEqual(
    byPosition.map(({ verdict }) => verdict),
    ['delivered', 'delivered', 'deferred'],
  )
  assert.deepEqual((await mx(1).next()).recipients, ['first@x.test'])
  assert.deepEqual((await mx(2).next()).recipients, ['middle@x.test'])
  // Greylisting remembers who came where: it is the best server that is asked first again.
  assert.equal(byPosition[2]?.server, `mx1.x.test [127.0.0.1]:${port}`)
  assert.match(byPosition[2]?.message ?? '', /450 4\.7\.1 greylisted$/)
})

test('a settled recipient records its server, whichever servers are tried for the others', async (t) => {
  for (const [verdict, atDot] of [
    ['uncertain', { close: true }],
    ['delivered', undefined],
  ] as const) {
    const script: Script = ({ step, recipient }) => {
      if (step === 'rcpt' && recipient === 'later@x.test') return { reply: '450 4.7.1 greylisted' }
      return step === 'dot' ? atDot : undefined
    }
    const { deliver, mx, port } = await startDirect(t, [{ script, tls: selfSigned(['mx1.x.test']) }, {}])
    const result = await deliver(['first@x.test', 'later@x.test'])
    const [first, later] = result.outcomes.sort((a, b) => a.position - b.position)
    assert.equal(first?.verdict, verdict, result.dialogue)
    assert.equal(first.server, `mx1.x.test [127.0.0.1]:${port}`)
    assert.match(first.tls?.version ?? '', /^TLSv1/)
    assert.equal(later?.verdict, 'delivered')
    assert.equal(later.server ?? result.server, `mx2.x.test [127.0.0.2]:${port}`)
    assert.equal(result.tls?.version, null)
    await Promise.all([mx(1).close(), mx(2).close()])
  }
})

test('a server without a needed extension yields to one that has it', async (t) => {
  const text = 'Grüße\n'.repeat(2_000)
  const large = { kind: 'parts', content: { ...content, text } } as const
  const raw = {
    kind: 'raw',
    raw: Buffer.from('From: Jané <news@acme.test>\r\n\r\nhello\r\n'),
    date: 0,
    addressee: null,
  } as const
  const cases: [offers: string[], address: string, message: typeof large | typeof raw][] = [
    [['8BITMIME'], 'jané@x.test', large],
    [['8BITMIME'], 'jane@x.test', raw],
    [['8BITMIME', 'SMTPUTF8', 'SIZE 1000'], 'jane@x.test', large],
  ]
  for (const [offers, address, message] of cases) {
    const { outcome, mx } = await startDirect(t, [{ offers }, {}])
    assert.equal((await outcome(address, { message })).verdict, 'delivered')
    assert.equal(mx(1).connections, 1)
    assert.equal(mx(1).messages.length, 0)
    await Promise.all([mx(1).close(), mx(2).close()])
    // No server has it: the mail fails.
    const none = await startDirect(t, [{ offers }, { offers }])
    const { verdict, suppress = false } = await none.outcome(address, { message })
    assert.ok(verdict === 'failed' || verdict === 'bounced', verdict)
    assert.equal(suppress, false)
    await Promise.all([none.mx(1).close(), none.mx(2).close()])
    // Nor is it while one may have it later.
    const later = await startDirect(t, [{ offers }, { script: at('connect', '421 4.3.2 closing', true) }])
    assert.equal((await later.outcome(address, { message })).verdict, 'deferred')
    await Promise.all([later.mx(1).close(), later.mx(2).close()])
  }
})

test('a message that is larger than the site takes fails before its servers are asked', async (t) => {
  const { outcome, mx, dns } = await startDirect(t, [{}])
  const way = wayBy({ kind: 'direct' })
  const path = { ...way, terms: { ...way.terms, size: 5_000 } }
  const large = { kind: 'parts', content: { ...content, text: 'Hello\n'.repeat(2_000) } } as const
  const refused = await outcome('jane@x.test', { path, message: large })
  assert.equal(refused.verdict, 'bounced')
  assert.equal(refused.enhancedCode, '5.3.4')
  assert.match(refused.message, /^The site accepts messages of up to 5000 octets, this one has \d+$/)
  assert.equal(refused.suppress ?? false, false)
  assert.equal(mx(1).connections, 0)
  assert.deepEqual(dns.queries, [])
  assert.equal((await outcome('jane@x.test', { path })).verdict, 'delivered')
})

test('if one of two equal servers always defers, no mail is lost', async (t) => {
  const script = at('rcpt', '451 4.3.0 always')
  const { deliver, mx } = await startDirect(t, [{ script }, {}], {
    'x.test/MX': ['10 mx1.x.test', '10 mx2.x.test'],
  })
  for (let i = 0; i < 12; i++) {
    const { outcomes, dialogue } = await deliver(['jane@x.test'])
    assert.equal(outcomes[0]?.verdict, 'delivered', dialogue)
  }
  assert.equal(mx(2).messages.length, 12)
})

test('after a session broke, the next server is asked only for the recipients still without an answer', async (t) => {
  const script: Script = ({ step, recipient }) => {
    if (step !== 'rcpt') return undefined
    if (recipient === 'gone@x.test') return { reply: '550 5.1.1 no such user' }
    return recipient === 'last@x.test' ? { reply: '421 4.3.2 closing', close: true } : undefined
  }
  const { deliver, mx } = await startDirect(t, [{ script }, {}])
  const { outcomes } = await deliver(['first@x.test', 'gone@x.test', 'last@x.test'])
  const verdicts = new Map(outcomes.map(({ position, verdict }) => [position, verdict]))
  assert.deepEqual([verdicts.get(0), verdicts.get(1), verdicts.get(2)], ['delivered', 'bounced', 'delivered'])
  assert.equal(outcomes.length, 3)
  assert.deepEqual((await mx(2).next()).recipients, ['first@x.test', 'last@x.test'])
  assert.equal(mx(1).messages.length, 0)
})

test('a refusal before MAIL bounces no recipient, and the best server’s words are reported', async (t) => {
  const refusals: [Script, code: number, finding: RegExp][] = [
    [at('connect', '554 5.7.1 first says no', true), 554, /first says no/],
    [at('ehlo', '504 5.5.2 need fully-qualified hostname'), 504, /need fully-qualified/],
    [at('rcpt', '550 relay not permitted'), 550, /relay not permitted/],
    [at('mail', '530 5.7.0 Must issue a STARTTLS command first'), 530, /STARTTLS/],
  ]
  for (const [script, expected, words] of refusals) {
    const { deliver, mx } = await startDirect(t, [
      { script },
      { script: at('connect', '521 5.3.2 second says no', true) },
    ])
    const { outcomes, pathTrouble } = await deliver(['jane@x.test'])
    const { verdict, code, message, suppress = false } = outcomes[0]!
    assert.deepEqual({ verdict, code, suppress }, { verdict: 'postponed', code: expected, suppress: false })
    assert.match(message, words)
    assert.match(pathTrouble?.message ?? '', words)
    // Held mail shows these words, and its provider follows from the name.
    assert.match(pathTrouble?.message ?? '', /^mx1\.x\.test\b/)
    assert.equal(mx(2).connections, 1)
    await Promise.all([mx(1).close(), mx(2).close()])
  }
})

test('during setup no refusal bounces', async (t) => {
  const { outcome, mx } = await startDirect(t, [{}], {}, { softBounce: true })
  for (const script of [
    at('rcpt', '550 5.1.1 no such user'),
    at('mail', '550 5.7.1 no'),
    at('dot', '554 5.6.0 spam'),
  ]) {
    mx(1).script = script
    const { verdict, code, suppress = false, message } = await outcome('jane@x.test')
    assert.deepEqual([verdict, suppress], ['deferred', false])
    assert.match(message, new RegExp(`POSTROAD_SOFT_BOUNCE is set: ${code} `))
  }
  assert.equal((await outcome('jane@nowhere.test')).verdict, 'deferred')
})

test('a server that refuses us does not matter while another accepts the mail', async (t) => {
  const { deliver } = await startDirect(t, [{ script: at('connect', '554 5.7.1 no', true) }, {}])
  const { outcomes, pathTrouble } = await deliver(['jane@x.test'])
  assert.equal(outcomes[0]?.verdict, 'delivered')
  assert.equal(pathTrouble, undefined)
})

test('words about limits from a recipient’s server do not affect mail to others', async (t) => {
  const { deliver, mx } = await startDirect(t, [{}])
  for (const [script, met] of [
    [at('dot', '550 5.7.1 Too many connections from your address'), 'recipient'],
    [at('rcpt', '550 5.7.1 Too many connections from your address'), 'recipient'],
    [at('rcpt', '450 4.7.1 Error: too much mail from 192.0.2.1'), 'recipient'],
    [at('mail', '450 4.7.1 Error: too much mail from 192.0.2.1'), 'mail'],
    [at('connect', '554 too many connections', true), 'session'],
  ] as const) {
    mx(1).script = script
    const { outcomes, pathTrouble } = await deliver(['jane@x.test'])
    assert.deepEqual([outcomes[0]?.verdict, pathTrouble?.kind, pathTrouble?.met], ['postponed', 'busy', met])
  }
})

test('a server that gets too much from us yields to the next, and is reported', async (t) => {
  for (const script of [
    at('connect', '421 4.7.0 too many connections', true),
    at('rcpt', '450 4.7.1 Error: too much mail from 192.0.2.1'),
    (({ step }) => (step === 'connect' ? { close: true } : undefined)) as Script,
  ]) {
    const { deliver, mx } = await startDirect(t, [{ script }, {}])
    const { outcomes, pathTrouble } = await deliver(['jane@x.test'])
    assert.equal(outcomes[0]?.verdict, 'delivered')
    assert.equal(pathTrouble?.kind, 'busy')
    await Promise.all([mx(1).close(), mx(2).close()])
    const alone = await startDirect(t, [{ script }])
    assert.equal((await alone.outcome('jane@x.test')).verdict, 'postponed')
    await alone.mx(1).close()
  }
})

test('the words of the only server are recorded, whether or not it hung up', async (t) => {
  for (const close of [true, false]) {
    const { deliver, mx, port } = await startDirect(t, [{ script: at('mail', '421 4.3.2 closing', close) }])
    const { outcomes, server } = await deliver(['jane@x.test'])
    const { verdict, code, enhancedCode } = outcomes[0]!
    assert.deepEqual(
      { verdict, code, enhancedCode },
      { verdict: 'deferred', code: 421, enhancedCode: '4.3.2' },
    )
    assert.equal(server, `mx1.x.test [127.0.0.1]:${port}`)
    assert.equal(mx(1).connections, 1)
    await mx(1).close()
  }
})

test('after a lost answer to the final dot no other server is tried (hostile case 26)', async (t) => {
  const script: Script = ({ step }) => (step === 'dot' ? { close: true } : undefined)
  const { deliver, mx, port } = await startDirect(t, [{ script }, {}])
  const { outcomes, server } = await deliver(['jane@x.test'])
  assert.equal(outcomes[0]?.verdict, 'uncertain')
  assert.equal(server, `mx1.x.test [127.0.0.1]:${port}`)
  assert.equal(mx(1).messages.length, 1)
  assert.equal(mx(2).connections, 0)
})

test('the preferred server is tried first, at its earlier address (hostile case 24)', async (t) => {
  const { deliver, port } = await startDirect(t, [{}, {}], { 'mx2.x.test/A': ['127.0.0.1', '127.0.0.2'] })
  const preferredServer = `mx2.x.test [127.0.0.2]:${port}`
  const result = await deliver(['jane@x.test'], { preferredServer })
  assert.equal(result.outcomes[0]?.verdict, 'delivered')
  assert.equal(result.server, preferredServer)
})

test('a preferred server that is unreachable yields to the others', async (t) => {
  const { deliver, port } = await startDirect(t, [{}, {}], { 'mx2.x.test/A': ['127.0.0.9'] })
  const dead = await deliver(['jane@x.test'], { preferredServer: `mx2.x.test [127.0.0.9]:${port}` })
  assert.equal(dead.server, `mx1.x.test [127.0.0.1]:${port}`)
  const moved = await deliver(['jane@x.test'], { preferredServer: `old.x.test [127.0.0.2]:${port}` })
  assert.equal(moved.server, `mx1.x.test [127.0.0.1]:${port}`)
})

test('after an uncertain attempt only that server is tried, while it serves the domain', async (t) => {
  const { deliver, mx, port } = await startDirect(t, [{}, { script: at('rcpt', '451 4.3.0 later') }])
  const preferredServer = `mx2.x.test [127.0.0.2]:${port}`
  const waits = await deliver(['jane@x.test'], { preferredServer, preferredOnly: true })
  assert.equal(waits.outcomes[0]?.verdict, 'deferred')
  assert.equal(waits.server, preferredServer)
  assert.equal(mx(1).connections, 0)
})

test('when two servers of a domain refuse this service, the others are not tried', async (t) => {
  const refusing = { script: at('rcpt', '554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org') }
  const { outcome, mx } = await startDirect(t, [refusing, refusing, {}, {}])
  assert.equal((await outcome('jane@x.test')).verdict, 'postponed')
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => mx(number).connections),
    [1, 1, 0, 0],
  )
})

test('a preferred server that no longer serves the domain is ignored', async (t) => {
  const { deliver, port } = await startDirect(t, [{ script: at('connect', '421 4.3.2 busy', true) }, {}])
  const preferredServer = `old.x.test [127.0.0.2]:${port}`
  const { server, outcomes } = await deliver(['jane@x.test'], { preferredServer, preferredOnly: true })
  assert.equal(outcomes[0]?.verdict, 'delivered')
  assert.equal(server, `mx2.x.test [127.0.0.2]:${port}`)
})

test('nothing is handed over without the right to send', async (t) => {
  const right = new SendingRight()
  const { outcome, mx } = await startDirect(t, [{}], {}, { right })
  assert.equal((await outcome('jane@x.test')).verdict, 'released')
  right.grant(2, Number.POSITIVE_INFINITY)
  assert.equal((await outcome('jane@x.test')).verdict, 'released', 'leased under another token')
  assert.equal(mx(1).messages.length, 0)
  right.grant(1, Number.POSITIVE_INFINITY)
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  right.end()
  assert.equal((await outcome('jane@x.test')).verdict, 'released')
})

test('the time of one attempt is limited', async (t) => {
  const { outcome, mx } = await startDirect(t, [{}], {}, { limits: { attempt: 0 } })
  const { verdict, message } = await outcome('jane@x.test')
  assert.equal(verdict, 'deferred')
  assert.match(message, /time of one attempt/)
  assert.equal(mx(1).connections, 0)
})

test('an unreachable host is tried once for all mail, whatever the domain', async (t) => {
  const zone: Zone = { 'x.test/MX': ['10 mx9.x.test', '20 mx2.x.test'], 'mx9.x.test/A': ['127.0.0.9'] }
  for (const name of ['a', 'b', 'c']) zone[`${name}.test/MX`] = ['10 mx9.x.test']
  const { deliver, mx } = await startDirect(t, [{}, {}], zone)
  const first = await deliver(['jane@a.test'])
  assert.deepEqual([first.outcomes[0]?.verdict, first.pathTrouble?.kind], ['deferred', 'unreachable'])
  assert.equal(first.notBefore, undefined)
  for (const domain of ['b', 'c']) {
    const { outcomes, notBefore, dialogue } = await deliver([`jane@${domain}.test`])
    assert.equal(outcomes[0]?.verdict, 'postponed', 'no attempt is spent on it')
    assert.ok(notBefore! > Date.now())
    assert.match(dialogue, /could not be reached a moment ago/)
  }
  // Nor does it hold up mail that has somewhere else to go.
  const other = await deliver(['jane@x.test'])
  assert.equal(other.outcomes[0]?.verdict, 'delivered')
  assert.doesNotMatch(other.dialogue, /refused the connection/)
  assert.equal(mx(2).messages.length, 1)
})

for (const reply of [
  '452 4.5.3 Error: too many recipients',
  '552 5.7.1 Too many recipients',
  '550 5.5.3 Too many recipients',
]) {
  test(`recipients over the limit of a transaction go with the next one, at once and on the same connection (${reply})`, async (t) => {
    const script: Script = ({ step, recipients }) =>
      step === 'rcpt' && recipients.length === 2 ? { reply } : undefined
    const { deliver, mx } = await startDirect(t, [{ script }])
    const { outcomes } = await deliver(Array.from({ length: 5 }, (_, n) => `n${n}@x.test`))
    assert.deepEqual(
      outcomes.map(({ verdict }) => verdict),
      Array(5).fill('delivered'),
    )
    assert.deepEqual(
      mx(1).messages.map(({ recipients }) => recipients),
      [['n0@x.test', 'n1@x.test'], ['n2@x.test', 'n3@x.test'], ['n4@x.test']],
    )
    assert.equal(mx(1).connections, 1)
  })
}

test('a server that refuses even one recipient as too many is not tried without end', async (t) => {
  const { outcome, mx } = await startDirect(t, [{ script: at('rcpt', '452 4.5.3 too many recipients') }])
  assert.equal((await outcome('jane@x.test')).verdict, 'deferred')
  assert.equal(mx(1).dialogue.filter((line) => line.includes('C: MAIL')).length, 1)
})

test('a connection on which all recipients were deferred is not used again, and ends with QUIT', async (t) => {
  const { outcome, mx } = await startDirect(t, [
    { script: at('rcpt', '450 4.3.2 Service currently unavailable') },
  ])
  assert.equal((await outcome('jane@x.test')).verdict, 'deferred')
  mx(1).script = undefined
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.equal(mx(1).connections, 2)
  assert.ok(mx(1).dialogue.includes('1 C: QUIT'), mx(1).dialogue.join('\n'))
})

test('a server that refuses us gets QUIT', async (t) => {
  for (const script of [
    at('connect', '554 5.7.1 no service'),
    at('connect', '450 4.3.2 not now'),
    at('ehlo', '550 no'),
  ]) {
    const quit = Promise.withResolvers<void>()
    const { outcome, mx } = await startDirect(t, [
      {
        script: (moment) => {
          if (moment.step === 'quit') quit.resolve()
          return script(moment)
        },
      },
    ])
    await outcome('jane@x.test')
    await quit.promise
    await mx(1).close()
  }
})
