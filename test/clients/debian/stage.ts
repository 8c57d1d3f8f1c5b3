/** The service over HTTPS and SMTP with TLS, which keeps what it would send, for the clients that come as packages. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import type { Settings } from '../../../src/config/settings.ts'
import { OPERATOR } from '../../../src/operate/authority.ts'
import { operationOn } from '../../../src/operate/open.ts'
import { rawCopies } from '../../../src/operate/raw-copies.ts'
import type { Operation } from '../../../src/operate/verb.ts'
import type { StoredEmail } from '../../../src/store/store.ts'
import { DOMAIN, type SubmissionRig, startRig } from '../../submission/rig.ts'

export interface Kept {
  email: StoredEmail
  recipients: string[]
  parsed: Email
}

export class Stage implements AsyncDisposable {
  readonly rig: SubmissionRig

  private constructor(rig: SubmissionRig) {
    this.rig = rig
  }

  static async set(settings: Partial<Settings> = {}): Promise<Stage> {
    return new Stage(await startRig(settings))
  }

  /** Addresses and credentials for a client. */
  get place() {
    const { url } = this.rig.service
    return {
      url: url.replace('localhost', '127.0.0.1'),
      port: Number(new URL(url).port),
      smtpPort: this.rig.implicitPort,
      domain: DOMAIN,
      key: this.rig.key.token,
      trust: join(this.rig.directory, 'cert.pem'),
    }
  }

  async operation(): Promise<Operation> {
    const { store, settings } = this.rig.service
    return operationOn(settings, store, OPERATOR, await store.accounts())
  }

  /** The one email to this address, as it leaves. */
  async keptFor(address: string): Promise<Kept> {
    const { store } = this.rig.service
    const found: Kept[] = []
    for (const { id } of await store.listEmails({ limit: 100 })) {
      const { email, recipients } = (await store.readHistory(id))!
      const addresses = recipients.map((recipient) => recipient.address)
      if (!addresses.includes(address)) continue
      const [copy] = await rawCopies(await this.operation(), { id, recipient: address })
      found.push({ email, recipients: addresses, parsed: await PostalMime.parse(copy!.message) })
    }
    assert.equal(found.length, 1, `${address} gets ${found.length} emails`)
    return found[0]!
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]()
  }
}

/** Holds the message that both programs send against what leaves. */
export function assertWhole({ email, recipients, parsed }: Kept, name: string, subject: string): void {
  assert.deepEqual(recipients.toSorted(), [`${name}-bcc@in.test`, `${name}-cc@in.test`, `${name}@in.test`])
  assert.equal(parsed.subject, subject)
  assert.deepEqual([parsed.from?.name, parsed.from?.address], ['Acme Größe', `shop@${DOMAIN}`])
  assert.deepEqual(parsed.to, [{ name: 'Doe, Jane', address: `${name}@in.test` }])
  assert.equal(parsed.cc?.[0]?.address, `${name}-cc@in.test`)
  assert.equal(parsed.bcc, undefined)
  assert.equal(parsed.replyTo?.[0]?.address, 'replies@in.test')
  assert.equal(parsed.text?.replace(/\r\n/g, '\n').trimEnd(), 'Hello Jörg,\n.a dot')
  assert.equal(parsed.headers.find(({ key }) => key === 'x-order')?.value, '4711')
  const byType = new Map(parsed.attachments.map((file) => [file.mimeType, file]))
  const pdf = byType.get('application/pdf')
  assert.equal(pdf?.filename, 'Übersicht 2026.pdf')
  assert.ok(Buffer.from(pdf!.content as ArrayBuffer).equals(Buffer.from('größe\r\n'.repeat(20_000))))
  // What it is called is the client's: one gives it the name of its content id.
  const logo = byType.get('image/png')
  const shown = /cid:([^"]+)"/.exec(parsed.html ?? '')?.[1]
  assert.equal(logo?.contentId, `<${shown}>`)
  assert.ok(email.tags.some(({ value }) => value === 'autumn'))
  assert.deepEqual(email.variables, { order: '4711' })
}
