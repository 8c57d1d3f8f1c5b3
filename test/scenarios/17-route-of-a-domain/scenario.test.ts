/**
 * 17: relays of their own.
 *
 * A domain has a relay of its own, its company another one, and all others that of the settings. Each mail takes the nearest, while the
 * service runs on; a removed relay falls back to the next.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { selfSigned } from '../../../harness/certificate.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { type Sink, startSink } from '../../support/sink.ts'

const PASSWORD = 's3cret-pass/word'

/** A relay that accepts mail over TLS from a client that logs in as `acme`. */
async function startRelay(t: TestContext) {
  const recipients: string[] = []
  const { cert, key } = selfSigned(['127.0.0.1'])
  const server = new SMTPServer({
    cert,
    key,
    logger: false,
    closeTimeout: 1,
    onAuth({ username, password }, { secure }, done) {
      if (secure && username === 'acme' && password === PASSWORD) done(null, { user: username })
      else done(new Error('Invalid login'))
    },
    onData(stream, { envelope }, done) {
      stream.resume().on('end', () => {
        recipients.push(...envelope.rcptTo.map(({ address }) => address))
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, recipients }
}

test('mail goes by the route of its domain, else of its company, else of the settings', async (t) => {
  await using everybody = await startSink()
  await using company = await startSink()
  const domain = await startRelay(t)
  await using installation = new Installation({
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${everybody.port}?tls=off`,
  })
  const acme = await installation.addTenant('acme.test')
  const second = await installation.command<{ id: string }>(
    'domain',
    'add',
    'second.test',
    '--company',
    acme.companyId,
  )
  await installation.command('domain', 'activate', second.id)
  const beta = await installation.addTenant('beta.test')
  const { url } = await installation.serve()
  const api = { acme: new ApiClient(url, acme.token), beta: new ApiClient(url, beta.token) }
  const recipientsAt = (sink: Sink) => () => sink.messages.flatMap(({ recipients }) => recipients)
  const [atEverybody, atCompany] = [recipientsAt(everybody), recipientsAt(company)]
  const atDomain = () => domain.recipients
  let n = 0
  /** Sends until it arrives where it is to arrive: every node follows a change within a second. */
  const goes = async (from: string, arrived: () => string[]) => {
    const client = from === 'beta.test' ? api.beta : api.acme
    for (;;) {
      const to = `n${++n}@x.test`
      await client.lastEvent(
        await client.accepted({ from: `a@${from}`, to, subject: 's', text: 't' }),
        'delivered',
      )
      if (arrived().includes(to)) return
    }
  }
  const set = async (...args: string[]) => {
    const shown = await installation.command<{ url: string; login: boolean }>('route', 'set', ...args)
    assert.doesNotMatch(JSON.stringify(shown), /s3cret/)
    return shown
  }
  for (const from of ['acme.test', 'second.test', 'beta.test']) await goes(from, atEverybody)

  await set(`smtp://127.0.0.1:${company.port}?tls=off`, '--company', acme.companyId)
  await goes('acme.test', atCompany)
  await goes('second.test', atCompany)
  await goes('beta.test', atEverybody)

  const own = await set(
    `smtp://acme:${encodeURIComponent(PASSWORD)}@127.0.0.1:${domain.port}?tls=required`,
    '--domain',
    'acme.test',
  )
  assert.deepEqual([own.url, own.login], [`smtp://127.0.0.1:${domain.port}?tls=required`, true])
  await goes('acme.test', atDomain)
  await goes('second.test', atCompany)
  const routes = await installation.command<{ domain: string | null }[]>('route', 'list')
  assert.deepEqual(
    routes.map((route) => route.domain),
    [null, 'acme.test'],
  )
  assert.doesNotMatch(JSON.stringify(routes), /s3cret/)

  await installation.command('route', 'remove', '--domain', 'acme.test')
  await goes('acme.test', atCompany)
  await installation.command('route', 'remove', '--company', acme.companyId)
  await goes('acme.test', atEverybody)
  await goes('second.test', atEverybody)
})
