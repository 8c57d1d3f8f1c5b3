/** Resend's command line, unmodified, pointed here by RESEND_BASE_URL: each command of the sending side. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { freePort } from '../../harness/free-port.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Receiver } from '../webhooks/receiver.ts'

const CLI = fileURLToPath(new URL('../../node_modules/resend-cli/dist/cli.cjs', import.meta.url))
const UNKNOWN = '0198f0c0-0000-7000-8000-000000000000'

type Json = Record<string, unknown> & { id: string; data: (Record<string, unknown> & { id: string })[] }

describe('resend-cli', () => {
  let dns: FakeDns
  let service: Service
  let home: string
  let env: Record<string, string | undefined>

  before(async () => {
    dns = await startDns({})
    service = await startService({ allowPrivateNetworks: true, dnsServers: [dns.address] })
    const { company } = await service.tenant('cli.test')
    const { token } = await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })
    home = mkdtempSync(join(tmpdir(), 'postroad-cli-'))
    env = {
      ...{ PATH: process.env.PATH, HOME: home, NO_COLOR: '1', RESEND_NO_UPDATE_CHECK: '1' },
      ...{ RESEND_BASE_URL: service.url, RESEND_API_KEY: token },
    }
  })
  after(async () => {
    await service.close()
    await dns.close()
    rmSync(home, { recursive: true })
  })

  interface Said {
    code: number
    stdout: string
    stderr: string
  }

  function run(...args: string[]): Promise<Said> {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [CLI, ...args, '--json'], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      )
      child.stdin?.end()
    })
  }

  async function json(...args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout) as Json
  }

  /** The error that it shows. */
  async function refused(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args)
    assert.notEqual(code, 0, `${args.join(' ')}: ${stdout}`)
    return `${stdout}${stderr}`
  }

  const LETTER = ['--from', 'a@cli.test', '--subject', 's', '--text', 't']

  test('emails: sent, listed, shown, rescheduled, canceled', async () => {
    const { id } = await json('emails', 'send', ...LETTER, '--to', 'b@x.test')
    assert.equal((await json('emails', 'get', id)).subject, 's')
    assert.ok((await json('emails', 'list')).data.some((each) => each.id === id))
    const file = join(home, 'batch.json')
    writeFileSync(
      file,
      JSON.stringify(
        [1, 2].map((n) => ({ from: 'a@cli.test', to: ['b@x.test'], subject: `${n}`, text: 't' })),
      ),
    )
    assert.equal(Object.keys(await json('emails', 'batch', '--file', file)).length, 2)
    const later = await json('emails', 'send', ...LETTER, '--to', 'b@x.test', '--scheduled-at', 'in 1 hour')
    const at = new Date(Date.now() + 7_200_000).toISOString()
    assert.equal((await json('emails', 'update', later.id, '--scheduled-at', at)).id, later.id)
    assert.equal((await json('emails', 'cancel', later.id)).id, later.id)
    assert.match(await refused('emails', 'get', UNKNOWN), /Email not found/)
  })

  test('emails: attachments', async () => {
    const file = join(home, 'a.txt')
    writeFileSync(file, 'hello')
    const { id } = await json('emails', 'send', ...LETTER, '--to', 'b@x.test', '--attachment', file)
    const [attachment] = (await json('emails', 'attachments', id)).data
    assert.equal(attachment!.filename, 'a.txt')
    const shown = await json('emails', 'attachment', id, attachment!.id)
    assert.equal(await (await fetch(String(shown.download_url))).text(), 'hello')
  })

  test('emails share and metrics', async () => {
    const { id } = await json('emails', 'send', ...LETTER, '--to', 'b@x.test')
    const shared = await json('emails', 'share', id, '--expires-in', '1 day')
    assert.deepEqual(Object.keys(shared), ['object', 'id', 'url'])
    const page = await fetch(String(shared.url))
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<dd>b@x\.test/)
    assert.match(await refused('emails', 'share', id, '--expires-in', '3 days'), /48 hours/)
    await until(async () => {
      const { totals } = await json('emails', 'metrics', '--metrics', 'sent,delivered')
      return Number((totals as Record<string, number>).delivered) >= 1
    }, 'the counts of what was sent')
    const metrics = await json(
      ...['emails', 'metrics', '--dimensions', 'period,domain', '--granularity', 'hourly'],
      ...['--timezone', 'America/New_York', '--start-date', new Date(Date.now() - 3_600_000).toISOString()],
    )
    assert.equal(metrics.data[0]!.domain_name, 'cli.test')
    const table = await new Promise<string>((resolve, reject) =>
      execFile(process.execPath, [CLI, 'emails', 'metrics'], { env }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      ).stdin?.end(),
    )
    assert.match(table, /delivery_rate/)
    assert.match(await refused('emails', 'metrics', '--email-id', id), /no counts by email/i)
  })

  test('domains', async () => {
    const { id, records } = await json('domains', 'create', '--name', 'made.test')
    assert.ok((records as unknown[]).length > 0)
    assert.equal((await json('domains', 'get', id)).name, 'made.test')
    assert.ok((await json('domains', 'list')).data.some((each) => each.id === id))
    await json('domains', 'update', id, '--open-tracking')
    await json('domains', 'verify', id)
    await json('domains', 'update', id, '--tls', 'enforced')
    assert.equal((await json('domains', 'get', id)).tls, 'enforced')
    await json('domains', 'delete', id, '--yes')
    assert.match(await refused('domains', 'get', id), /Domain not found/)
  })

  test('api-keys', async () => {
    const { id, token } = await json('api-keys', 'create', '--name', 'Shop', '--permission', 'sending_access')
    assert.ok(token)
    assert.ok((await json('api-keys', 'list')).data.some((each) => each.name === 'Shop'))
    await json('api-keys', 'update', id, '--name', 'Store')
    await json('api-keys', 'delete', id, '--yes')
    assert.ok(!(await json('api-keys', 'list')).data.some((each) => each.id === id))
  })

  test('suppressions', async () => {
    const { id } = await json('suppressions', 'add', 'gone@x.test')
    assert.equal((await json('suppressions', 'get', 'gone@x.test')).id, id)
    assert.ok((await json('suppressions', 'list')).data.some((each) => each.id === id))
    const file = join(home, 'addresses.json')
    writeFileSync(file, JSON.stringify(['one@x.test', 'two@x.test']))
    await json('suppressions', 'batch', 'add', '--file', file)
    await json('suppressions', 'batch', 'remove', '--file', file)
    await json('suppressions', 'delete', id, '--yes')
    assert.match(await refused('suppressions', 'get', 'gone@x.test'), /not found/i)
  })

  test('webhooks: the CLI creates and lists them, and shows the events sent to them', async () => {
    await using receiver = await Receiver.start()
    const { id } = await json('webhooks', 'create', '--endpoint', receiver.url, '--events', 'email.sent')
    assert.equal((await json('webhooks', 'get', id)).endpoint, receiver.url)
    assert.ok((await json('webhooks', 'list')).data.some((each) => each.id === id))
    await json('emails', 'send', ...LETTER, '--to', 'b@x.test')
    await receiver.until(({ length }) => length === 1)
    let event: string | undefined
    await until(async () => {
      event = (await json('webhooks', 'events', 'list', id)).data[0]?.id
      return event !== undefined
    }, 'the event that was told')
    await json('webhooks', 'events', 'get', id, event!)
    await json('webhooks', 'events', 'attempts', id, event!)
    await json('webhooks', 'events', 'replay', id, event!)
    await receiver.until(({ length }) => length === 2)
    await json('webhooks', 'rotate-signing-secret', id)
    await json('webhooks', 'update', id, '--events', 'email.sent', 'email.bounced')
    const all = await json('webhooks', 'create', '--endpoint', receiver.url, '--events', 'all')
    await json('webhooks', 'delete', all.id, '--yes')
    await json('webhooks', 'delete', id, '--yes')
  })

  test('webhooks listen prints events, forwards them, and leaves no webhook behind', async (t) => {
    await using receiver = await Receiver.start()
    const port = await freePort()
    const args = ['webhooks', 'listen', '--url', `http://127.0.0.1:${port}`, '--port', String(port)]
    const child = spawn(process.execPath, [CLI, ...args, '--forward-to', receiver.url], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const said = hear(child)
    const urls = async () => (await json('webhooks', 'list')).data.map(({ endpoint }) => endpoint)
    await until(async () => (await urls()).length === 1, 'the webhook')
    await json('emails', 'send', ...LETTER, '--to', 'b@x.test')
    const told = await receiver.until(({ length }) => length === 2)
    const types = told.map(({ body }) => (JSON.parse(body) as { type: string }).type)
    assert.deepEqual(types.toSorted(), ['email.delivered', 'email.sent'], said())
    assert.ok(told[0]!.headers['svix-signature'])
    child.kill('SIGINT')
    await once(child, 'exit')
    assert.deepEqual(await urls(), [], said())
  })

  test('doctor finds the service', async () => {
    const doctor = await json('doctor')
    assert.equal(doctor.ok, true, JSON.stringify(doctor))
  })

  test('logs: the CLI lists its own requests and their answers', async () => {
    const [newest] = (await json('logs', 'list')).data as Json[]
    const { id } = newest!
    const log = await json('logs', 'get', String(id))
    assert.deepEqual([log.id, log.endpoint, log.method], [id, newest!.endpoint, newest!.method])
    assert.match(String(log.user_agent), /^resend-cli/)
  })

  test('the CLI reports an error for each feature that Postroad does not have', async () => {
    for (const args of [
      ['emails', 'receiving', 'list'],
      ['templates', 'list'],
      ['contacts', 'list'],
      ['segments', 'list'],
      ['topics', 'list'],
      ['broadcasts', 'list'],
      ['contact-properties', 'list'],
      ['automations', 'list'],
      ['events', 'list'],
      ['oauth-grants', 'list'],
      ['domains', 'claim', 'get', UNKNOWN],
    ]) {
      assert.match(await refused(...args), /endpoint does not exist|not found/i, args.join(' '))
    }
  })
})

/** Returns what the process has written so far. */
function hear(child: ChildProcess): () => string {
  let heard = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => {
      heard += chunk.toString()
    })
  }
  return () => heard
}
