/** Postfix as a client: it takes mail from programs on its machine and hands all of it to a relay, where it logs in. */
import { join } from 'node:path'
import { maildir, SASL_PLAIN, user, VMAIL } from './jail.ts'
import { MASTER, postfixJail } from './postfix-jail.ts'
import type { Relay } from './relay.ts'
import { AUTHORITIES, relayFiles } from './relays-page.ts'

const HOST = '127.0.27.1'
export interface PostfixClientOptions {
  host?: string
  /** Where it listens. */
  port: number
  /** Where it hands mail in, at localhost. */
  relay: { port: number; password: string; certificate: { cert: string; key: string } }
}

export class PostfixClient implements Relay {
  readonly host: string
  readonly port: number
  readonly #jail: ReturnType<typeof postfixJail>

  private constructor(jail: ReturnType<typeof postfixJail>, { host, port }: { host: string; port: number }) {
    this.#jail = jail
    this.host = host
    this.port = port
  }

  static async start({ host = HOST, port, relay }: PostfixClientOptions): Promise<PostfixClient> {
    await using starting = new AsyncDisposableStack()
    const files = relayFiles('Postfix', relay)
    const jail = starting.use(
      postfixJail(['smtpd', 'smtp', 'virtual'], {
        modules: [SASL_PLAIN],
        settings: {
          mynetworks: '127.0.0.0/8',
          ...settingsIn(files.get('/etc/postfix/main.cf')!),
          smtp_host_lookup: 'native',
          // Bounces of mail from there go to boxes.
          virtual_mailbox_domains: 'box.test',
          virtual_mailbox_base: '/var/mail',
          virtual_mailbox_maps: 'static:box/',
          virtual_uid_maps: `static:${VMAIL}`,
          virtual_gid_maps: `static:${VMAIL}`,
          // Not at once: it finds a file that its client has just written locked, and does not look at it again.
          minimal_backoff_time: '3s',
          maximal_backoff_time: '3s',
          queue_run_delay: '1s',
        },
        master: `${host}:${port} inet n - n - - smtpd\nsmtp unix - - n - - smtp\nrelay unix - - n - - smtp\n`,
        certificate: relay.certificate,
      }),
    )
    jail.directory('var/mail', user('vmail'))
    jail.write('etc/postfix/sasl_passwd', files.get('/etc/postfix/sasl_passwd')!, 0o600)
    jail.write(AUTHORITIES, relay.certificate.cert)
    await jail.start(MASTER, [{ host, port }])
    starting.move()
    return new PostfixClient(jail, { host, port })
  }

  /** By itself, each second. */
  async retry(): Promise<void> {}

  /** Bounces that it has sent, oldest first. */
  get bounces(): string[] {
    return maildir(join(this.#jail.root, 'var/mail/box')).map(String)
  }

  get log(): string {
    return this.#jail.log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jail[Symbol.asyncDispose]()
  }
}

/** `name = value` of each line. */
function settingsIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value]) => [name!, value!]))
}
