/** Dovecot with mailboxes that open for any user with the right password. Mail comes in through the files of a maildir. */
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImapMailbox } from '../../src/config/settings.ts'
import { Jail, user, VMAIL } from './jail.ts'

export const HOST = '127.0.28.1'
const PASSWORD = 'p@ss/word:1'

const PROGRAMS = ['usr/sbin/dovecot', 'usr/bin/doveconf']
const SERVICES = ['log', 'config', 'anvil', 'auth', 'imap-login', 'imap', 'stats']

/** `port`: in clear; `tlsPort`: with TLS from the start. */
export interface DovecotOptions {
  port: number
  tlsPort: number
  certificate: { cert: string; key: string }
}

function configuration({ port, tlsPort }: DovecotOptions): string {
  return `protocols = imap
listen = ${HOST}
base_dir = /run/dovecot
log_path = /var/log/dovecot.log
instance_name = postroad-test
ssl = yes
ssl_cert = </etc/cert.pem
ssl_key = </etc/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
auth_debug = no
mail_location = maildir:/var/mail/%u
mail_plugins =
mailbox_list_index = yes
first_valid_uid = 1000
namespace inbox {
  inbox = yes
  separator = /
}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${VMAIL} gid=${VMAIL} home=/var/mail/%u
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
# Wrong passwords are answered at once.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  unix_listener stats-reader {
    mode = 0600
  }
}
`
}

export class Dovecot implements AsyncDisposable {
  readonly #jail: Jail
  readonly #options: DovecotOptions
  #count = 0

  private constructor(jail: Jail, options: DovecotOptions) {
    this.#jail = jail
    this.#options = options
  }

  static async start(options: DovecotOptions): Promise<Dovecot> {
    await using starting = new AsyncDisposableStack()
    const services = SERVICES.map((name) => `usr/lib/dovecot/${name}`)
    const modules = ['usr/lib/dovecot/modules/libssl_iostream_openssl.so']
    const jail = starting.use(new Jail('dovecot', [...PROGRAMS, ...services, ...modules]))
    jail.directory('var/log')
    jail.directory('var/lib/dovecot')
    jail.directory('var/mail', user('vmail'))
    jail.write('etc/dovecot/dovecot.conf', configuration(options))
    jail.write('etc/cert.pem', options.certificate.cert)
    jail.write('etc/key.pem', options.certificate.key, 0o600)
    const ports = [options.port, options.tlsPort]
    await jail.start(
      ['/usr/sbin/dovecot', '-F'],
      ports.map((port) => ({ host: HOST, port })),
    )
    starting.move()
    return new Dovecot(jail, options)
  }

  /** The mailbox of this user, in clear unless `implicitTls`. */
  mailbox(name: string, { implicitTls = false } = {}): ImapMailbox {
    const { port, tlsPort } = this.#options
    return {
      host: HOST,
      port: implicitTls ? tlsPort : port,
      implicitTls,
      user: name,
      password: PASSWORD,
      folder: 'INBOX',
    }
  }

  /** Puts a message into the inbox, as of this time. `mode`: of its file; Dovecot cannot read one with 0. */
  deliver(name: string, message: string | Uint8Array, { at = new Date(), mode = 0o644 } = {}): void {
    const box = join(this.#jail.root, 'var/mail', name)
    for (const folder of ['', 'new', 'cur', 'tmp']) this.#ownFolder(join(box, folder))
    const file = `${Math.floor(at.getTime() / 1000)}.M${this.#count++}P1.test`
    const part = join(box, 'tmp', file)
    writeFileSync(part, message, { mode })
    chownSync(part, VMAIL, VMAIL)
    utimesSync(part, at, at)
    renameSync(part, join(box, 'new', file))
  }

  #ownFolder(path: string): void {
    if (existsSync(path)) return
    mkdirSync(path)
    chownSync(path, VMAIL, VMAIL)
  }

  /** The flags of each message of a folder, as letters of maildir; keywords are the small ones. */
  flags(name: string, folder = ''): string[] {
    const path = join(this.#jail.root, 'var/mail', name, folder)
    if (!existsSync(path)) return []
    const seen = readdirSync(join(path, 'cur')).map((file) => file.split(':2,')[1] ?? '')
    return [...seen, ...readdirSync(join(path, 'new')).map(() => '')]
  }

  /** Ends all sessions as a crash would, and returns whether there was one. */
  crash(): boolean {
    return this.#jail.kill('imap')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jail[Symbol.asyncDispose]()
  }
}
