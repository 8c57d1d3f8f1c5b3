/** Mail that a real server takes and then has to report on, and what our reader finds in its reports. */
import assert from 'node:assert/strict'
import { createTransport } from 'nodemailer'
import { readReport } from '../../src/mail/report/read-report.ts'
import type { Peer } from './peer.ts'
import { inBox, type Stage } from './stage.ts'

/** The box for reports. */
export const RETURNED = 'returned'
const SENDER = `${RETURNED}@good.test`

type Notify = 'success' | 'failure' | 'delay'

interface ExpectedReport {
  kind: 'bounce' | 'delay' | 'none'
  address: string
  action: string
  status?: string
  permanent?: boolean
  category?: string
}

/** Reports of servers on their own mail, each for its own message. */
export class Reports {
  readonly #stage: Stage<Peer>
  readonly #host: string
  #count = 0

  constructor(stage: Stage<Peer>, host: string) {
    this.#stage = stage
    this.#host = host
  }

  /** Sends a message to this recipient, and compares the returned report with the expected one. */
  async expect(to: string, notify: Notify, { kind, ...expected }: ExpectedReport): Promise<void> {
    const messageId = `<report-${this.#count++}@good.test>`
    const client = createTransport({
      host: this.#host,
      port: this.#stage.port,
      secure: false,
      ignoreTLS: true,
    })
    await client.sendMail({
      envelope: { from: SENDER, to: [to] },
      dsn: { id: `env${this.#count}`, return: 'headers', notify: [notify], recipient: `rfc822;${to}` },
      raw: `From: Sender <${SENDER}>\r\nTo: ${to}\r\nSubject: Report\r\nMessage-ID: ${messageId}\r\n\r\nHello.\r\n`,
    })
    const all = await inBox(this.#stage.peer, RETURNED, this.#count)
    const raw = all.find((each) => each.includes(messageId))
    assert.ok(raw, `no report names ${messageId}:\n${all.at(-1)?.toString('latin1')}`)
    const report = readReport(raw)
    const said = raw.toString('latin1')
    assert.equal(report.kind, kind, said)
    assert.equal(report.returned.messageId, messageId, said)
    assert.equal(report.recipients.length, 1, said)
    const [found] = report.recipients
    assert.deepEqual({ ...found, ...expected }, found, said)
  }
}
