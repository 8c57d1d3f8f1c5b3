/** Postfix as a client: it takes mail from programs on its machine and hands all of it to a relay, where it logs in. */
import { join } from 'node:path'
import { maildir, user, VMAIL } from './jail.ts'
import { MASTER, postfixJail } from './postfix-jail.ts'

const HOST = '127.0.27.1'
/** A module of Cyrus SASL, which logs in for it. */
const SASL = `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/sasl2/libplain.so`

export interface PostfixClientOptions {
  /** Where it listens. */
  port: number
  /** Where it hands mail in, at localhost. */
  relay: { port: number; user: string; password: string; certificate: { cert: string; key: string } }
}

export class PostfixClient implements AsyncDisposable {
  readonly host = HOST
  readonly port: number
  readonly #jail: ReturnType<typeof postfixJail>

  private constructor(jail: ReturnType<typeof postfixJail>, port: number) {
    this.#jail = jail
    this.port = port
  }

  static async start({ port, relay }: PostfixClientOptions): Promise<PostfixClient> {
    await using starting = new AsyncDisposableStack()
    const nexthop = `[localhost]:${relay.port}`
    const jail = starting.use(
      postfixJail(['smtpd', 'smtp', 'virtual'], {
        modules: [SASL],
        settings: {
          mynetworks: '127.0.0.0/8',
          relayhost: nexthop,
          // As docs say it to whoever has a Postfix.
          smtp_tls_security_level: 'secure',
          smtp_tls_CAfile: '/etc/postfix/cert.pem',
          smtp_sasl_auth_enable: 'yes',
          smtp_sasl_password_maps: `inline:{ { ${nexthop} = ${relay.user}:${relay.password} } }`,
          smtp_sasl_tls_security_options: 'noanonymous',
          smtp_host_lookup: 'native',
          // Bounces go to boxes.
          virtual_mailbox_domains: 'box.test',
          virtual_mailbox_base: '/var/mail',
          virtual_mailbox_maps: 'static:box/',
          virtual_uid_maps: `static:${VMAIL}`,
          virtual_gid_maps: `static:${VMAIL}`,
          // Not at once: what its client has just put down it finds locked, and does not look at again.
          minimal_backoff_time: '3s',
          maximal_backoff_time: '3s',
          queue_run_delay: '1s',
        },
        master: `${HOST}:${port} inet n - n - - smtpd\nsmtp unix - - n - - smtp\nrelay unix - - n - - smtp\n`,
        certificate: relay.certificate,
      }),
    )
    jail.directory('var/mail', user('vmail'))
    await jail.start(MASTER, [{ host: HOST, port }])
    starting.move()
    return new PostfixClient(jail, port)
  }

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
