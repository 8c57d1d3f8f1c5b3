import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startSink } from '../support/sink.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Shown {
  recipients: { address: string; state: string; attempts: number }[]
}

describe('retries started by the operator', () => {
  let place: Workplace
  let service: Serving
  let token = ''
  let sink: Awaited<ReturnType<typeof startSink>>
  before(async () => {
    sink = await startSink()
    place = await newWorkplaceOnEngine({
      POSTROAD_LOG_LEVEL: 'warn',
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
      POSTROAD_RETRY_SCHEDULE: '10h,10h',
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

  const send = async (to: string[], more: object = {}): Promise<string> => {
    const response = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', to, subject: 's', text: 't', ...more }),
    })
    assert.equal(response.status, 200)
    return ((await response.json()) as { id: string }).id
  }
  const states = async (id: string) => (await place.json<Shown>('email', 'show', id)).recipients
  const until = async (id: string, state: string, attempts: number) => {
    for (;;) {
      const recipients = await states(id)
      if (recipients.every((each) => each.state === state && each.attempts === attempts)) return
    }
  }

  test('a hundred greylisted recipients are tried again at once, in one transaction', async () => {
    sink.script = ({ step }) => (step === 'rcpt' ? { reply: '450 4.7.1 greylisted' } : undefined)
    const addresses = Array.from({ length: 100 }, (_, n) => `r${n}@grey.test`)
    const id = await send(addresses)
    await until(id, 'waiting', 1)
    sink.script = undefined
    const { stdout } = await place.run('email', 'show', id)
    assert.match(stdout, /^Attempt [^;]+; 100 recipients \(#0, #1, #2, [^)]+…\); /m)
    const before = sink.messages.length
    const said = await place.run('queue', 'retry', '--domain', 'Grey.test')
    assert.equal(said.stdout, 'Due now, of all mail to grey.test: 100 recipients.\n')
    assert.equal(said.stderr, '', 'no progress where nobody looks on')
    await until(id, 'delivered', 2)
    assert.deepEqual(
      sink.messages.slice(before).map(({ recipients }) => recipients.length),
      [100],
    )
    const again = await place.run('queue', 'retry', id)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /nothing to retry: no recipient is waiting/)
  })

  test('paused and scheduled mail stays, and the output says so; a scheduled email that is named is sent', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const scheduled = await send(['later@x.test'], { scheduled_at: at })
    await place.json('queue', 'pause', '--domain', 'paused.test')
    sink.script = ({ step }) => (step === 'rcpt' ? { reply: '451 4.3.0 not now' } : undefined)
    const late = await send(['a@x.test'])
    await until(late, 'waiting', 1)
    sink.script = undefined
    const retried = await place.json<Record<string, unknown>>('queue', 'retry', '--company', 'Acme')
    assert.deepEqual(
      { ...retried, company_id: typeof retried.company_id },
      {
        company_id: 'string',
        domain: null,
        site: null,
        email_id: null,
        retried: 1,
        scheduled: 1,
        paused: 0,
        held: 0,
        delivering: true,
      },
    )
    await until(late, 'delivered', 2)
    assert.deepEqual(
      (await states(scheduled)).map(({ state }) => state),
      ['waiting'],
    )
    assert.match(
      (await place.run('queue', 'retry', scheduled)).stdout,
      /^Due now, of the email .*: 1 recipient\.$/m,
    )
    await until(scheduled, 'delivered', 1)
    const nothing = await place.run('queue', 'retry', '--domain', 'x.test')
    assert.deepEqual(
      [nothing.code, nothing.stdout],
      [0, 'Nothing to retry: no recipient of all mail to x.test is waiting for a later time.\n'],
    )
  })

  test('invalid arguments are refused', async () => {
    const cases: [string[], number, RegExp][] = [
      [['no-such-id'], 1, /no email with the id "no-such-id"/],
      [['--company', 'Nobody'], 1, /no company with the name or id "Nobody"/],
      [['--site', 'nowhere'], 1, /no site "nowhere"/],
      [['--site', 'Google', '--domain', 'b.test'], 2, /a site is named without a domain/],
      [['--domain', 'not a domain'], 2, /not a domain/],
    ]
    for (const [args, code, message] of cases) {
      const ran = await place.run('queue', 'retry', ...args)
      assert.equal(ran.code, code, args.join(' '))
      assert.match(ran.stderr, message)
    }
    const help = (await place.run('queue', 'retry', '--help')).stdout.replaceAll('\n', ' ')
    assert.match(help, /Scheduled mail is sent early only if you give its id/)
    assert.match(help, /--domain takes a recipient domain, --site the mail servers/)
  })
})
