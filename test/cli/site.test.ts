/** `site list` and `site show` beside a running service, and without one. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Shown {
  name: string
  provider: string | null
  hosts: string[]
  limits: Record<string, unknown>
  used: { sessions: number; messages_last_minute: number; messages_last_hour: number }
  last_message_at: string | null
  last_accepted_at: string | null
  last_problem: { at: string; kind: string; reason: string } | null
  closed: {
    since: string
    reason: string
    next_try_at: string
    company: string | null
    sending_domain: string | null
    list: { name: string; removal: string } | null
  } | null
  source: string | null
}

interface Lane {
  site: string
  domain: string
  domains: string[]
  waiting: number
  sending: number
  sessions: number
  oldest_at: string
  next_attempt_at: string
  last_answer: string | null
  paused: boolean
}

const PAUSED = 'Not attempted: paused by an operator'

describe('sites on the command line', () => {
  let place: Workplace
  let service: Serving
  let sink: Sink
  let dns: FakeDns
  let token = ''
  before(async () => {
    sink = await startSink({
      script: ({ step, recipient }) =>
        step === 'rcpt' && recipient?.endsWith('@closed.test')
          ? { reply: '554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org' }
          : undefined,
    })
    dns = await startDns({
      'mx1.big.test/A': ['127.0.0.1'],
      'mx.closed.test/A': ['127.0.0.1'],
      'one.test/MX': ['10 mx1.big.test'],
      'two.test/MX': ['10 mx1.big.test'],
      'other.test/MX': ['10 mx.other.test'],
      'mx.other.test/A': ['127.0.0.1'],
      'closed.test/MX': ['10 mx.closed.test'],
      'idle.test/MX': ['10 mx.idle.test', '20 mx2.idle.test'],
    })
    place = await newWorkplaceOnEngine({
      POSTROAD_LOG_LEVEL: 'warn',
      POSTROAD_DELIVERY: 'direct',
      POSTROAD_SMTP_PORT: String(sink.port),
      POSTROAD_DNS_SERVERS: dns.address,
      POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTROAD_SITES: 'sites.toml',
    })
    writeFileSync(
      join(place.folder, 'sites.toml'),
      '[[site]]\nname = "Big"\nmx = ["*.big.test"]\nsessions = 3\nmessages_per_minute = 600\nenvelope_behind_dot = false\nsize = "25MB"\nback_off = "5m"\nsource = "ticket 7"\n',
    )
    const { id } = await place.json<{ id: string }>('company', 'create', 'Acme')
    await place.json('domain', 'add', 'acme.test', '--company', id)
    await place.json('domain', 'activate', 'acme.test')
    token = (await place.json<{ token: string }>('key', 'create', '--company', id, '--name', 'k')).token
    service = await serve(place, ['--json'])
  })
  after(async () => {
    place.remove()
    await dns.close()
    await sink.close()
  })

  const send = async (to: string): Promise<void> => {
    const response = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', to, subject: 's', text: 't' }),
    })
    assert.equal(response.status, 200)
  }
  const show = (site: string) => place.json<Shown>('site', 'show', site)

  test('shows the limits of a site, their block and source, and their present use', async () => {
    const begun = Date.now()
    await send('a@one.test')
    await send('b@one.test')
    await sink.until(2)
    const used = await until(async () => {
      const shown = await show('big')
      return shown.used.messages_last_minute === 2 && shown.used.sessions === 0 && shown
    }, 'the report of the node')
    assert.deepEqual(used, {
      name: 'Big',
      provider: 'Big',
      hosts: ['*.big.test'],
      domains: [],
      limits: {
        sessions: 3,
        messages_per_session: 100,
        messages_per_minute: 600,
        messages_per_hour: null,
        recipients_per_transaction: 100,
        tls: 'opportunistic',
        envelope_behind_dot: false,
        size: 25 * 1024 * 1024,
        back_off_ms: 300_000,
      },
      lowered: { sessions: null, messages_per_minute: null },
      used: { sessions: 0, messages_last_minute: 2, messages_last_hour: 2 },
      last_message_at: used.last_message_at,
      last_accepted_at: used.last_accepted_at,
      last_problem: null,
      closed: null,
      sources: [
        {
          name: 'default',
          helo: 'mail.service.test',
          lowered: { sessions: null, messages_per_minute: null },
          used: { sessions: 0, messages_last_minute: 2, messages_last_hour: 2 },
          closed: null,
          warm_up: null,
        },
      ],
      source: 'ticket 7',
      paused_since: null,
      paused_until: null,
      pause_reason: null,
    })
    assert.ok(Date.parse(used.last_message_at!) > begun)
    assert.ok(Date.parse(used.last_accepted_at!) >= Date.parse(used.last_message_at!))
    for (const name of ['one.test', 'mx1.big.test', 'mx9.big.test'])
      assert.equal((await show(name)).name, 'Big')
    const { stdout } = await place.run('site', 'show', 'one.test')
    assert.match(stdout, /^Sessions: +0 of 3$/m)
    assert.match(stdout, /^Tried in the last minute: +2 of 600$/m)
  })

  test('a closed site comes first, with the block list that its servers name', async () => {
    await send('n@closed.test')
    const [first] = await until(async () => {
      const listed = await place.json<Shown[]>('site', 'list')
      return listed[0]?.closed != null && listed
    }, 'the report of the closure')
    assert.equal(first?.name, 'mx.closed.test')
    assert.equal(first?.provider, null)
    assert.deepEqual([first?.closed?.company, first?.closed?.sending_domain], ['Acme', null])
    assert.match(first?.closed?.reason ?? '', /blocked using zen\.spamhaus\.org/)
    assert.equal(first?.last_problem?.kind, 'path')
    assert.match(first?.last_problem?.reason ?? '', /blocked using/)
    assert.deepEqual(first?.closed?.list, { name: 'Spamhaus', removal: 'https://check.spamhaus.org/' })
    assert.match((await place.run('site', 'list')).stdout, /^SITE .*\nmx\.closed\.test +default /)
  })

  test('a paused site keeps its mail untried, whichever of its domains it is for, until it is resumed', async () => {
    const big = async () =>
      (await place.json<Lane[]>('queue', '--by', 'site')).find(({ site }) => site === 'Big')
    const before = sink.messages.length
    assert.equal(
      (await place.run('queue', 'pause', '--site', 'mx1.big.test')).stdout,
      'Paused: all mail to the site Big.\n',
    )
    // The node reads the pause a moment later, so the first messages may still be sent.
    const gone = () => sink.messages.length - before
    let accepted = 0
    await until(async () => {
      await send('one@one.test')
      accepted++
      return (await big())?.last_answer === PAUSED
    }, 'mail that stays')
    const kept = await until(async () => {
      const lane = await big()
      return lane?.waiting === accepted - gone() && lane
    }, 'all mail to have gone or to stay')
    assert.deepEqual([kept.domains, kept.paused], [['one.test'], true])
    const left = kept.waiting + 1
    await send('two@two.test')
    const both = await until(async () => {
      const lane = await big()
      return lane?.waiting === left && lane
    }, 'the second')
    assert.deepEqual(both.domains.toSorted(), ['one.test', 'two.test'])
    const delivered = gone()
    const oldest = await big()
    assert.ok(Date.parse(oldest!.oldest_at) <= Date.now())
    assert.ok(Date.parse(oldest!.next_attempt_at) > Date.now(), 'not due, and so not late')
    assert.equal(oldest!.last_answer, PAUSED)
    assert.match(
      (await place.run('queue', '--by', 'site')).stdout,
      new RegExp(`^Big +2 +0 +${left} +0 +0 +20\\S+ \\S+ +paused +Not attempted: paused by`, 'm'),
    )
    assert.notEqual(
      (await place.json<{ paused_since: string | null }>('site', 'show', 'Big')).paused_since,
      null,
    )
    assert.match((await place.run('queue', 'pauses')).stdout, /^all +site Big +20/m)

    const retried = await place.json<Record<string, unknown>>('queue', 'retry', '--site', 'big')
    assert.deepEqual([retried.site, retried.retried, retried.paused], ['Big', 0, left])
    const wrong = await place.run('queue', 'resume')
    assert.match(wrong.stderr, /no pause of exactly all mail\. Paused: all mail to the site Big/)
    assert.equal(gone(), delivered)

    await place.json('queue', 'resume', '--site', 'big')
    await sink.until(before + delivered + left)
    assert.deepEqual(await place.json('queue', 'pauses'), [])
  })

  test('shows how many sessions the sending mail of a site has', async () => {
    const answered = Promise.withResolvers<void>()
    sink.script = async ({ step }) => {
      if (step === 'mail') await answered.promise
      return undefined
    }
    const before = sink.messages.length
    for (let n = 0; n < 5; n++) await send(`n${n}@one.test`)
    const big = await until(async () => {
      const lanes = await place.json<Lane[]>('queue', '--by', 'site')
      const lane = lanes.find(({ site }) => site === 'Big')
      return lane?.sessions === 3 && lane
    }, 'as many sessions as the site has')
    assert.deepEqual([big.sending, big.waiting], [5, 0])
    answered.resolve()
    await sink.until(before + 5)
    sink.script = undefined
  })

  test('a retry of a site tries the waiting mail of all its domains at once', async () => {
    sink.script = ({ step }) => (step === 'mail' ? { reply: '451 4.3.0 Later' } : undefined)
    await send('a@one.test')
    await send('b@two.test')
    await send('c@other.test')
    await until(async () => {
      const lanes = await place.json<Lane[]>('queue')
      return lanes.filter(({ last_answer: said }) => said?.includes('Later')).length === 3
    }, 'three that wait')
    const [big] = (await place.json<Lane[]>('queue', '--by', 'site')).filter(({ site }) => site === 'Big')
    assert.deepEqual([big?.waiting, big?.last_answer?.includes('Later')], [2, true])
    const [acme] = await place.json<(Lane & { company_id: string })[]>('queue', '--by', 'company')
    assert.ok(acme!.waiting >= 3)
    assert.match((await place.run('queue', '--by', 'company')).stdout, /^Acme +\d/m)
    sink.script = undefined
    const before = sink.messages.length
    const said = await place.run('queue', 'retry', '--site', 'Big')
    assert.equal(said.stdout, 'Due now, of all mail to the site Big: 2 recipients.\n')
    const arrived = () => sink.messages.slice(before).flatMap(({ recipients }) => recipients)
    await sink.when(() => ['a@one.test', 'b@two.test'].every((to) => arrived().includes(to)), 'both')
    assert.ok(!arrived().includes('c@other.test'))
  })

  test('mail of a site is sent when its pause expires, although it was not due for hours', async () => {
    await place.json('queue', 'pause', '--site', 'big', '--until', '1h')
    const isKept = async (n: number) => {
      await send(`kept${n}@one.test`)
      const lanes = await place.json<Lane[]>('queue')
      return lanes.some(({ domain, last_answer: said }) => domain === 'one.test' && said === PAUSED)
    }
    let sent = 0
    await until(async () => await isKept(sent++), 'mail that waits')
    const kept = await until(async () => {
      const lane = (await place.json<Lane[]>('queue')).find(({ domain }) => domain === 'one.test')
      return lane?.sending === 0 && lane
    }, 'nothing under way')
    assert.ok(Date.parse(kept.next_attempt_at) > Date.now() + 3_600_000)
    await place.json('queue', 'pause', '--site', 'big', '--until', '2s')
    await sink.messageFor(`kept${sent - 1}@one.test`)
  })

  test('a site without mail is looked up, and every known provider is listed', async () => {
    const idle = await show('idle.test')
    assert.deepEqual(
      [idle.name, idle.provider, idle.hosts],
      ['mx.idle.test +1', null, ['mx.idle.test', 'mx2.idle.test']],
    )
    assert.equal(idle.limits.sessions, 20)
    const names = (await place.json<Shown[]>('site', 'list')).map(({ name }) => name)
    for (const name of ['Google', 'Yahoo', 'Microsoft 365', 'Big']) assert.ok(names.includes(name), name)
  })

  test('a restart forgets neither the sites nor their last messages', async () => {
    await until(async () => {
      const lanes = await place.json<Lane[]>('queue', '--by', 'site')
      return lanes.every(({ site }) => site !== 'Big')
    }, 'all mail of the site to have gone')
    const sites = () => Promise.all(['Big', 'mx.closed.test'].map(show))
    const before = await sites()
    assert.equal((await service.stop()).code, 0)
    dns.zone['closed.test/MX'] = { silent: true }
    const restarted = Date.now()
    service = await serve(place, ['--json'])
    const after = await until(async () => {
      const shown = await sites()
      return shown.every((site) => site.last_message_at !== null) && shown
    }, 'the report of the next node')
    for (const [index, site] of after.entries()) {
      const earlier = before[index]!
      const lastAt = Date.parse(site.last_message_at!)
      assert.ok(lastAt >= Date.parse(earlier.last_message_at!) && lastAt < restarted, site.name)
      assert.equal(site.closed?.reason, earlier.closed?.reason)
      assert.equal(site.last_problem?.reason, earlier.last_problem?.reason)
    }
    const [big] = after
    assert.ok(Date.parse(big!.last_accepted_at!) >= Date.parse(before[0]!.last_accepted_at!))
    assert.deepEqual(big!.used, { sessions: 0, messages_last_minute: 0, messages_last_hour: 0 })
  })

  test('an error in the file of sites is a warning of the command, which goes on', async () => {
    writeFileSync(join(place.folder, 'sites.toml'), '[default]\nsessions = -1\n')
    const { code, stderr } = await place.run('site', 'list')
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^warning: .*sites\.toml, line 2: sessions -1: a whole number from 1 to 10000 is needed/,
    )
  })
})
