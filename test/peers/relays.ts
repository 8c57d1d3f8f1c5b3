/** Mail servers that hand all their mail in at Postroad, set up as docs/compatibility.md has it. */
import { Jail, SASL_PLAIN, type ServerName, user } from './jail.ts'
import { PostfixClient } from './postfix-client.ts'
import type { Relay, RelayOptions } from './relay.ts'
import { AUTHORITIES, relayCommands, relayFiles } from './relays-page.ts'

interface RelayKind {
  /** Its heading in the page. */
  name: string
  server: ServerName
  start(options: RelayOptions): Promise<Relay>
  /** The words of its log about a server whose certificate it does not trust. */
  distrusts: RegExp
}

class Jailed implements Relay {
  readonly #jail: Jail
  readonly #retry: readonly string[]

  constructor(jail: Jail, retry: readonly string[]) {
    this.#jail = jail
    this.#retry = retry
  }

  async retry(): Promise<void> {
    await this.#jail.run(this.#retry)
  }

  get log(): string {
    return this.#jail.log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jail[Symbol.asyncDispose]()
  }
}

async function startExim(options: RelayOptions): Promise<Relay> {
  await using starting = new AsyncDisposableStack()
  const jail = starting.use(new Jail('exim', ['usr/sbin/exim4']))
  const exim = user('Debian-exim')
  jail.directory('var/spool/exim4', exim, 0o750)
  jail.directory('var/log/exim4', exim)
  jail.directory('etc/exim4')
  writeFiles(jail, 'Exim', options)
  const { host, listenAt: port } = options
  await jail.start(['/usr/sbin/exim4', '-bdf', '-oX', `[${host}]:${port}`], [{ host, port }])
  starting.move()
  return new Jailed(jail, ['/usr/sbin/exim4', '-qff'])
}

async function startOpenSmtpd(options: RelayOptions): Promise<Relay> {
  await using starting = new AsyncDisposableStack()
  const jail = starting.use(new Jail('opensmtpd', ['usr/sbin/smtpd', 'usr/sbin/smtpctl', 'bin/sh']))
  jail.directory('var/lib/opensmtpd/empty', undefined, 0o711)
  jail.directory('var/spool/smtpd', undefined, 0o711)
  jail.setGroup('usr/sbin/smtpctl', user('opensmtpq'))
  const { host, listenAt: port } = options
  writeFiles(jail, 'OpenSMTPD', options, (text) =>
    text.replace('listen on 127.0.0.1', `listen on ${host} port ${port}`),
  )
  await jail.start(['/usr/sbin/smtpd', '-d'], [{ host, port }])
  starting.move()
  return new Jailed(jail, ['/usr/sbin/smtpctl', 'schedule', 'all'])
}

async function startSendmail(options: RelayOptions): Promise<Relay> {
  await using starting = new AsyncDisposableStack()
  const folder = 'usr/libexec/sendmail'
  const programs = [`${folder}/sendmail`, `${folder}/makemap`, 'usr/bin/m4', 'bin/sh', SASL_PLAIN]
  const jail = starting.use(new Jail('sendmail', programs))
  jail.directory('var/spool/mqueue', user('root', 'smmsp'), 0o750)
  jail.directory('run/sendmail/mta')
  jail.directory('var/lib/sendmail/host_status')
  jail.directory('var/log')
  jail.directory('etc/mail')
  const { host, listenAt: port } = options
  writeFiles(jail, 'sendmail', options, (text) =>
    text
      .replace('Addr=127.0.0.1, Port=25', `Addr=${host}, Port=${port}`)
      // No name server is there.
      .replace(
        'MAILER(`local',
        "FEATURE(`accept_unresolvable_domains')dnl\nFEATURE(`nocanonify')dnl\nMAILER(`local",
      ),
  )
  const [command] = relayCommands('sendmail')
  await jail.run(['/bin/sh', '-e', '-c', command!.replaceAll('makemap', `/${folder}/makemap`)])
  const sendmail = `/${folder}/sendmail`
  await jail.start([sendmail, '-bD', '-X', '/var/log/transcript'], [{ host, port }])
  starting.move()
  return new Jailed(jail, [sendmail, '-q'])
}

function startPostfix({ host, listenAt: port, port: at, ...relay }: RelayOptions): Promise<Relay> {
  return PostfixClient.start({ host, port, relay: { ...relay, port: at } })
}

function writeFiles(
  jail: Jail,
  name: string,
  options: RelayOptions,
  change: (text: string) => string = (text) => text,
): void {
  for (const [path, text] of relayFiles(name, options)) jail.write(path, change(text), 0o640)
  jail.write(AUTHORITIES, options.certificate.cert)
}

export const RELAYS: readonly RelayKind[] = [
  {
    name: 'Postfix',
    server: 'postfix',
    start: startPostfix,
    distrusts: /status=deferred \(Server certificate not verified/,
  },
  { name: 'Exim', server: 'exim', start: startExim, distrusts: /defer .*certificate verification failed/ },
  {
    name: 'OpenSMTPD',
    server: 'opensmtpd',
    start: startOpenSmtpd,
    distrusts: /SSL certificate check failed/,
  },
  {
    name: 'sendmail',
    server: 'sendmail',
    start: startSendmail,
    distrusts: /^(\d+) <<< 220 2\.0\.0 Go ahead[\r\n]+(?:(?!\1 ).*[\r\n]+)*\1 >>> QUIT/m,
  },
]
