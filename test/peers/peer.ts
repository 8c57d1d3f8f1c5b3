import { join } from 'node:path'
import { type Jail, maildir } from './jail.ts'

/** The domains whose boxes each of them has; bücher.test in ASCII. */
export const BOX_DOMAINS = [
  'good.test',
  'xn--bcher-kva.test',
  'proven.test',
  'unusable.test',
  'testing.test',
  'both.test',
]

/** Options of a real mail server in the tests. */
export interface PeerOptions {
  /** The port, which is the same at all of its addresses: direct delivery knows one port only. */
  port: number
  certificate: { cert: string; key: string }
  /** Local parts that have a box, the same of each of its domains. */
  boxes: readonly string[]
}

/** A real mail server in its jail, with a Maildir for each box. */
export abstract class Peer implements AsyncDisposable {
  protected readonly jail: Jail

  protected constructor(jail: Jail) {
    this.jail = jail
  }

  /** The messages in this box, oldest first, as the server wrote them. */
  delivered(box: string): Buffer[] {
    return maildir(join(this.jail.root, 'var/mail', box))
  }

  /** The last lines of its log. */
  get log(): string {
    return this.jail.log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.jail[Symbol.asyncDispose]()
  }
}

/** An address in 127.0.0.0/8 for each way of answering; the third number tells servers apart. */
export function addressesOf<Way extends string>(server: number, ways: readonly Way[]): Record<Way, string> {
  const entries = ways.map((way, index) => [way, `127.0.${server}.${index + 1}`])
  return Object.fromEntries(entries) as Record<Way, string>
}
