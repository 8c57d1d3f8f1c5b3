import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { startSink } from '../support/sink.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Lane {
  company_id: string
  domain: string
  waiting: number
  sending: number
  paused: boolean
}
interface Shown {
  recipients: { address: string; state: string; attempts: number; message: string | null }[]
}

describe('pauses set by the operator', () => {
  let place: Workplace
  let service: Serving
  let token = ''
  let sink: Awaited<ReturnType<typeof startSink>>
  before(async () => {
    sink = await startSink()
    place = await newWorkplaceOnEngine({
      POSTROAD_LOG_LEVEL: 'warn',
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    })
    const { id } = await place.json<{ id: string }>('company', 'create', 'Acme')
    await place.json('domain', 'add', 'acme.test', '--company', id)
    await place.json('domain', 'activate', 'acme.test')
    token = (await place.json<{ token: string }>('key', 'create', '--company', id, '--name', 'k')).token
    service = await serve(place, ['--json'])
  })
  after(async () => {
    place.remove()
    await sink.close()
  })

  const send = async (...to: string[]): Promise<string> => {
    const response = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', to, subject: 's', text: 't' }),
    })
    assert.equal(response.status, 200)
    return ((await response.json()) as { id: string }).id
  }
  const states = async (id: string) => (await place.json<Shown>('email', 'show', id)).recipients
  const until = async (id: string, state: string) => {
    for (;;) if ((await states(id)).every((recipient) => recipient.state === state)) return
  }

  /** The first mail to the paused domain that the service keeps: a pause reaches it with its next look at the store. */
  const keptMail = async () => {
    for (;;) {
      const id = await send('one@paused.test')
      await until(await send('to@free.test'), 'delivered')
      if ((await states(id))[0]?.state === 'waiting') return id
      await until(id, 'delivered')
    }
  }

  test('a paused domain keeps its mail untried, and sends it when it is resumed; other mail leaves', async () => {
    await place.json('queue', 'pause', '--domain', 'Paused.test')
    const kept = await keptMail()
    const mixed = await send('two@paused.test', 'two@free.test')
    for (;;) {
      const shown = await states(mixed)
      if (shown[1]?.state === 'delivered' && shown[0]?.state === 'waiting') break
    }
    const lanes = await place.json<Lane[]>('queue')
    assert.deepEqual(
      lanes.map(({ domain, waiting, sending, paused }) => ({ domain, waiting, sending, paused })),
      [{ domain: 'paused.test', waiting: 2, sending: 0, paused: true }],
    )
    assert.match((await place.run('queue')).stdout, /Acme +paused\.test +2 +0 +0 +[\d-]+ [\d:]+Z +paused/)
    assert.deepEqual(
      await place.json('queue', 'pauses', '--json').then((all) => (all as unknown[]).length),
      1,
    )
    assert.equal((await states(kept))[0]?.attempts, 0)

    const both = ['--domain', 'x.test', '--site', 'Google']
    for (const verb of ['pause', 'retry'])
      assert.equal((await place.run('queue', verb, ...both)).code, 2, verb)
    const wrong = await place.run('queue', 'resume')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /no pause of exactly all mail\. Paused: all mail to paused\.test/)
    await place.json('queue', 'resume', '--domain', 'paused.test')
    await until(kept, 'delivered')
    await until(mixed, 'delivered')
    assert.equal((await states(kept))[0]?.attempts, 1)
    assert.match((await place.run('queue', 'pauses')).stdout, /Nothing is paused/)
  })

  test('a pause with an end lets its mail go by itself', async () => {
    const pause = ['queue', 'pause', '--domain', 'paused.test', '--reason', 'they move']
    await place.json(...pause, '--until', '1h')
    const kept = await keptMail()
    const [listed] = await place.json<{ until: string; reason: string }[]>('queue', 'pauses')
    const left = Date.parse(listed!.until) - Date.now()
    assert.ok(left > 0 && left <= 3_600_000, listed!.until)
    assert.equal(listed!.reason, 'they move')
    assert.match(
      (await place.run('queue', 'pauses')).stdout,
      /^all +paused\.test +20\S+ \S+Z +20\S+ \S+Z +they move$/m,
    )
    const past = await place.run(...pause, '--until', '2020-01-01')
    assert.match(past.stderr, /That time is in the past/)
    // Values that the command leaves out stay as they are.
    const again = await place.json<object>(
      'queue',
      'pause',
      '--domain',
      'paused.test',
      '--reason',
      'they moved',
    )
    assert.deepEqual(again, { ...listed, reason: 'they moved', paused: true })
    const endless = await place.json<object>('queue', 'pause', '--domain', 'paused.test', '--until', 'none')
    assert.deepEqual(endless, { ...listed, reason: 'they moved', until: null, paused: true })
    const said = await place.run('queue', 'pause', '--domain', 'paused.test', '--until', '2s')
    assert.match(said.stdout, /^Paused: all mail to paused\.test until 20\S+ \S+Z\.$/m)
    await until(kept, 'delivered')
    assert.deepEqual(await place.json('queue', 'pauses'), [])
    const ended = await place.run('queue', 'resume', '--domain', 'paused.test')
    assert.match(ended.stderr, /no pause of exactly all mail to paused\.test\. Nothing is paused/)
  })

  test('mail of a paused company, and of all of them, waits as well', async () => {
    for (const scope of [['--company', 'Acme'], ['--company', 'Acme', '--domain', 'x.test'], []]) {
      const said = await place.run('queue', 'pause', ...scope)
      assert.match(said.stdout, /^Paused: (?:all mail|mail of Acme)/)
      const id = await send('to@x.test')
      await place.json('queue', 'resume', ...scope)
      await until(id, 'delivered')
      assert.deepEqual(
        (await states(id)).map(({ attempts }) => attempts),
        [1],
      )
    }
  })

  test('an address put on the list by hand gets nothing more', async () => {
    await place.json('suppression', 'add', 'No <gone@X.test>', '--company', 'Acme', '--reason', 'asked us to')
    const id = await send('gone@x.test')
    await until(id, 'suppressed')
    const again = await place.run('suppression', 'add', 'GONE@x.test', '--company', 'Acme')
    assert.equal(again.code, 1)
    assert.match(again.stderr, /already/)
    const bad = await place.run('suppression', 'add', 'nobody', '--company', 'Acme')
    assert.equal(bad.code, 2)
    assert.match(bad.stderr, /nobody/)
  })

  test('the queue shows paused mail, and only that, as paused', async () => {
    const beta = await place.json<{ id: string }>('company', 'create', 'Beta')
    await place.json('domain', 'add', 'beta.test', '--company', beta.id)
    await place.json('domain', 'activate', 'beta.test')
    const key = await place.json<{ token: string }>('key', 'create', '--company', beta.id, '--name', 'k')
    const names = new Map([[beta.id, 'Beta']])
    for (const [from, client] of [
      ['a@acme.test', new ApiClient(service.url, token)],
      ['b@beta.test', new ApiClient(service.url, key.token)],
    ] as const) {
      await client.known()
      for (const to of ['to@m.test', 'to@n.test']) {
        const later = new Date(Date.now() + 600_000).toISOString()
        await client.accepted({ from, to, subject: 's', text: 't', scheduled_at: later })
      }
    }
    const pausedLanes = async () => {
      const lanes = (await place.json<Lane[]>('queue')).filter(({ paused }) => paused)
      const shown = lanes.map(({ company_id, domain }) => `${names.get(company_id) ?? 'Acme'}/${domain}`)
      return shown.sort().join(' ')
    }
    const cases: [scope: string, paused: string][] = [
      ['--company Acme --domain m.test', 'Acme/m.test'],
      ['--domain n.test', 'Acme/n.test Beta/n.test'],
      ['--domain elsewhere.test', ''],
      ['', 'Acme/m.test Acme/n.test Beta/m.test Beta/n.test'],
      ['--company Beta', 'Beta/m.test Beta/n.test'],
    ]
    assert.equal(await pausedLanes(), '')
    for (const [scope, paused] of cases) {
      const words = scope.split(' ').filter((word) => word !== '')
      await place.json('queue', 'pause', ...words)
      assert.equal(await pausedLanes(), paused, scope)
      if (scope !== '--company Beta') await place.json('queue', 'resume', ...words)
    }
    const table = (await place.run('queue')).stdout
    assert.deepEqual(
      [...table.matchAll(/^(\w+) .*paused/gm)].map(([, company]) => company),
      ['Beta', 'Beta'],
    )
    await place.json('queue', 'resume', '--company', 'Beta')
  })

  test('the nodes are listed: here the one that serves', async () => {
    const nodes = await place.json<{ name: string; roles: string[]; token: number }[]>('node', 'list')
    assert.equal(nodes.length, 1)
    assert.deepEqual(nodes[0]?.roles, ['api', 'delivery'])
    assert.match((await place.run('node', 'list')).stdout, /api,delivery +20\d\d-/)
  })
})
