/** A service with a listener for returned mail, an email that was sent, and the return paths of its recipients. */
import assert from 'node:assert/strict'
import net from 'node:net'
import type { Company } from '../../src/accounts/account.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { InboundMail } from '../../src/email/inbound-mail.ts'
import { RETURN_PATHS, ReturnPathKey, returnPath } from '../../src/mail/return-path/return-path.ts'
import { SmtpClient, STARTTLS } from '../submission/rig.ts'
import { type Service, startService, type TestKey } from '../support/service.ts'
import { until } from '../support/until.ts'

export const DOMAIN = 'acme.example'
export const HOST = `bounces.${DOMAIN}`

export interface SentEmail {
  id: string
  messageId: string
  /** The return path that names this recipient, or this domain; null: the one that names the email alone. */
  path(named: number | string | null, at?: number): string
}

export class InboundRig implements AsyncDisposable {
  readonly service: Service
  readonly company: Company
  readonly key: TestKey

  private constructor(service: Service, company: Company, key: TestKey) {
    this.service = service
    this.company = company
    this.key = key
  }

  static async start(settings: Partial<Settings> = {}): Promise<InboundRig> {
    const service = await startService({ bounceListeners: [STARTTLS], ...settings })
    const company = await service.company()
    await service.domain(company.id, DOMAIN)
    const key = await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })
    return new InboundRig(service, company, key)
  }

  /** Sends an email, and waits until it was delivered (captured) to all. */
  async send(to: string[], token = this.key.token): Promise<SentEmail> {
    const answer = await fetch(`${this.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: `news@${DOMAIN}`, to, subject: 'Hello', text: 'Hello' }),
    })
    assert.equal(answer.status, 200, await answer.clone().text())
    const { id } = (await answer.json()) as { id: string }
    const delivered = to.map(() => 'delivered')
    await until(async () => String(await this.states(id)) === String(delivered), 'the email to be delivered')
    const stored = await this.service.store.readOutline(id, {
      from: 0,
      limit: 1,
      eventOctets: 1,
      attempts: 1,
    })
    return { id, messageId: stored!.email.messageId, path: this.pathsOf(id) }
  }

  pathsOf(emailId: string): SentEmail['path'] {
    const key = new ReturnPathKey(this.service.app.seal.derive(RETURN_PATHS))
    return (named, at = Date.now()) => {
      const [recipient, domain] = typeof named === 'string' ? [null, named] : [named, null]
      return returnPath(key, { emailId, recipient, domain, at }, HOST)
    }
  }

  /** A client that was greeted. `localAddress`: an address of the loopback network. */
  async connect(localAddress = '127.0.0.1'): Promise<SmtpClient> {
    const port = Number(new URL(this.service.app.bounces[0]!).port)
    const client = new SmtpClient(net.connect({ host: '127.0.0.1', port, localAddress }))
    assert.match(await client.reply(), /^220 /)
    await client.say('EHLO mx.rcpt.test', /^250-/)
    return client
  }

  /** Hands in a mail with the null sender; gives the reply to the final dot. */
  async handIn(mail: string, recipient: string, localAddress?: string): Promise<string> {
    const client = await this.connect(localAddress)
    const answer = await client.send(mail, [recipient], '')
    client.socket.destroy()
    return answer
  }

  /** Hands in a mail that has to be kept; returns its record. */
  async keep(mail: string, recipient: string): Promise<InboundMail> {
    const answer = await this.handIn(mail, recipient)
    const [, id] = /^250 2\.0\.0 Kept as ([0-9a-f-]{36})\r\n$/.exec(answer) ?? assert.fail(answer)
    const [kept] = await this.service.store.inboundMails({ companyId: null, id, limit: 1 })
    return kept ?? assert.fail('the mail was not kept')
  }

  async states(id: string): Promise<string[]> {
    return (await this.service.store.readHistory(id))?.recipients.map(({ state }) => state) ?? []
  }

  /** The events of an email after its delivery, each with the position of its recipient. */
  async events(id: string): Promise<string[]> {
    const { events } = (await this.service.store.readHistory(id)) ?? assert.fail('no email')
    const names = events.map(({ type, recipient }) => `${recipient}:${type}`)
    return names.slice(names.findLastIndex((name) => name.endsWith(':delivered')) + 1)
  }

  async suppressed(): Promise<string[]> {
    const { id: companyId } = this.company
    const found = await this.service.store.listSuppressions({ companyId, limit: 100 })
    return found.map(({ type, address }) => `${type} ${address}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
  }
}
