/** Resend's MCP server, unmodified, pointed here by RESEND_BASE_URL and asked over its standard input. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Receiver } from '../webhooks/receiver.ts'

const SERVER = fileURLToPath(new URL('../../node_modules/resend-mcp/dist/index.js', import.meta.url))
const UNKNOWN = '0198f0c0-0000-7000-8000-000000000000'
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

interface ToolResult {
  isError?: boolean
  content: { type: string; text: string }[]
}

interface Message {
  id?: number
  result?: unknown
  error?: { message: string }
}

/** A client of the protocol: JSON-RPC, a message a line. */
class Mcp implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (message: Message) => void>()
  #last = 0

  constructor(env: Record<string, string | undefined>) {
    this.#child = spawn(process.execPath, [SERVER], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const message = JSON.parse(line) as Message
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message)
    })
  }

  async start(): Promise<void> {
    await this.#ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    this.#write({ method: 'notifications/initialized' })
  }

  async tools(): Promise<string[]> {
    const { tools } = (await this.#ask('tools/list', {})) as { tools: { name: string }[] }
    return tools.map(({ name }) => name)
  }

  /** What the tool says. */
  async call(name: string, given: object = {}): Promise<string> {
    const { isError, text } = await this.outcome(name, given)
    assert.ok(!isError, `${name}: ${text}`)
    return text
  }

  async outcome(name: string, given: object): Promise<{ isError: boolean; text: string }> {
    const result = (await this.#ask('tools/call', { name, arguments: given })) as ToolResult
    const text = result.content.map((part) => part.text).join('\n')
    return { isError: result.isError === true, text }
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${error.message}`)),
      )
      this.#write({ id, method, params })
    })
  }

  #write(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }
}

function idIn(text: string): string {
  const id = ID.exec(text)?.[0]
  assert.ok(id, text)
  return id
}

describe('resend-mcp', () => {
  let dns: FakeDns
  let service: Service
  let mcp: Mcp
  const called = new Set<string>()
  const call = (name: string, given?: object) => {
    called.add(name)
    return mcp.call(name, given)
  }

  before(async () => {
    dns = await startDns({})
    service = await startService({ allowPrivateNetworks: true, dnsServers: [dns.address] })
    const { company } = await service.tenant('mcp.test')
    const { token } = await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })
    mcp = new Mcp({
      ...{ PATH: process.env.PATH, RESEND_BASE_URL: service.url, RESEND_API_KEY: token },
      SENDER_EMAIL_ADDRESS: 'a@mcp.test',
    })
    await mcp.start()
  })
  after(async () => {
    await mcp[Symbol.asyncDispose]()
    await service.close()
    await dns.close()
  })

  const letter = { from: 'a@mcp.test', to: ['b@x.test'], subject: 's', text: 't' }

  test('emails', async () => {
    const id = idIn(await call('send-email', letter))
    assert.match(await call('get-email', { id }), /Subject: s/)
    assert.match(await call('list-emails', {}), new RegExp(id))
    await call('send-batch-emails', { emails: [letter, letter] })
    const later = idIn(await call('send-email', { ...letter, scheduledAt: 'in 1 hour' }))
    await call('update-email', { id: later, scheduledAt: new Date(Date.now() + 7_200_000).toISOString() })
    await call('cancel-email', { id: later })
    const url = /https?:\S+\/share\?\S+/.exec(await call('share-email', { id, expiresIn: '2 hours' }))?.[0]
    assert.equal((await fetch(url!)).status, 200)
    await until(
      async () => /delivered\W+[1-9]/i.test(await call('get-email-metrics', {})),
      'the counts of what was sent',
    )
    const metrics = { dimensions: ['period', 'domain'], metrics: ['sent'], granularity: 'hourly' }
    assert.match(await call('get-email-metrics', metrics), /mcp\.test/)
    const attachments = [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64') }]
    const withFile = idIn(await call('send-email', { ...letter, attachments }))
    const listed = await call('list-sent-email-attachments', { emailId: withFile })
    assert.match(listed, /a\.txt/)
    const attachmentId = listed.match(new RegExp(ID, 'g'))!.find((each) => each !== withFile)!
    await call('get-sent-email-attachment', { emailId: withFile, id: attachmentId })
  })

  test('domains', async () => {
    const id = idIn(await call('create-domain', { name: 'made.test' }))
    assert.match(await call('list-domains', {}), /made\.test/)
    assert.match(await call('get-domain', { id }), /made\.test/)
    await call('update-domain', { id, openTracking: true })
    await call('verify-domain', { id })
    await call('remove-domain', { id })
  })

  test('API keys and suppressions', async () => {
    const key = idIn(await call('create-api-key', { name: 'Shop', permission: 'sending_access' }))
    assert.match(await call('list-api-keys', {}), /Shop/)
    await call('update-api-key', { id: key, name: 'Store' })
    await call('remove-api-key', { id: key })
    await call('add-suppression', { email: 'gone@x.test' })
    assert.match(await call('list-suppressions', {}), /gone@x\.test/)
    const suppression = idIn(await call('get-suppression', { idOrEmail: 'gone@x.test' }))
    await call('remove-suppression', { idOrEmail: suppression })
    const emails = ['one@x.test', 'two@x.test']
    await call('batch-add-suppressions', { emails })
    await call('batch-remove-suppressions', { emails })
  })

  test('webhooks', async () => {
    await using receiver = await Receiver.start()
    const events = ['email.sent']
    const webhookId = idIn(await call('create-webhook', { endpoint: receiver.url, events }))
    assert.match(await call('list-webhooks', {}), new RegExp(webhookId))
    await call('get-webhook', { webhookId })
    await call('send-email', letter)
    await receiver.until(({ length }) => length === 1)
    let eventId: string | undefined
    await until(async () => {
      eventId = /ID: (\S+)/.exec(await call('list-webhook-events', { webhookId }))?.[1]
      return eventId !== undefined
    }, 'the event that was told')
    await call('get-webhook-event', { webhookId, eventId })
    await call('list-webhook-event-attempts', { webhookId, eventId })
    await call('replay-webhook-event', { webhookId, eventId })
    await receiver.until(({ length }) => length === 2)
    await call('rotate-webhook-signing-secret', { webhookId })
    await call('update-webhook', { webhookId, events: ['email.bounced'] })
    await call('remove-webhook', { webhookId })
  })

  test('logs', async () => {
    const list = await call('list-logs', {})
    assert.match(list, /User Agent: resend-mcp/)
    const id = idIn(list)
    assert.match(await call('get-log', { logId: id }), new RegExp(id))
  })

  test('the server reports an error for each feature that Postroad does not have, and offers every sending tool', async () => {
    for (const [name, given] of [
      ['list-received-emails', {}],
      ['list-templates', {}],
      ['list-contacts', {}],
      ['list-segments', {}],
      ['list-topics', {}],
      ['list-broadcasts', {}],
      ['list-contact-properties', {}],
      ['list-oauth-grants', {}],
      ['get-domain-claim', { id: UNKNOWN }],
    ] as const) {
      const { text, isError } = await mcp.outcome(name, given)
      assert.ok(isError, `${name}: ${text}`)
      assert.match(text, /does not exist|not found/i, name)
    }
    const sending = /^(?!.*(received|domain-claim)).*(email|domain|api-key|suppression|webhook)/
    const left = (await mcp.tools()).filter((name) => sending.test(name) && !called.has(name))
    assert.deepEqual(left, [])
  })
})
