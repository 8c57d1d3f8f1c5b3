/** Exim with one address for each way of answering, in the words of its example configuration: mostly without enhanced codes. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Jail, maildir, user } from './jail.ts'
import { addressesOf, BOX_DOMAINS, type Peer, type PeerOptions } from './peer.ts'

/** What each of its addresses does otherwise than plain Exim: access rules for RCPT, unless their name says another step. */
const WAYS = {
  /** Delivers to boxes of its domains, knows no other recipients, relays nothing. */
  plain: '',
  /** While `greylisting` is set. */
  greylisting: `defer condition = \${if exists{/etc/greylisting}}\n  message = greylisted - please try again later\n`,
  /** For authenticated clients only, refused at RCPT as by many smarthosts. */
  smarthost: 'deny !authenticated = *\n  message = authentication required\n',
  blocklisting:
    'deny message = rejected because $sender_host_address is in a black list at zen.test\\n$sender_host_address is listed\n',
  /** At MAIL. */
  badSender: '',
  /** At the greeting. */
  rejecting: '',
  /** After the final dot. */
  spamFilter: '',
  fewConnections: '',
  /** Offers no STARTTLS. */
  withoutTls: '',
  /** Accepts mail for every recipient, and reports the result to its sender. */
  returning: 'accept\n',
} as const

export type EximWay = keyof typeof WAYS

export const eximAddresses = addressesOf(26, Object.keys(WAYS) as EximWay[])

/** True where the connection came in at the address of this way. */
function at(way: EximWay): string {
  return `condition = \${if eq{$received_ip_address}{${eximAddresses[way]}}}`
}

function configuration(port: number): string {
  const interfaces = Object.values(eximAddresses).map((address) => `${address}.${port}`)
  const rules = Object.entries(WAYS).filter(([, rule]) => rule !== '')
  return `primary_hostname = exim.test
local_interfaces = <; ${interfaces.join(' ; ')}
spool_directory = /var/spool/exim4
log_file_path = /var/log/%s
pid_file_path = /run/exim.pid
host_lookup =
rfc1413_query_timeout = 0s
smtp_enforce_sync = true
smtputf8_advertise_hosts = *
tls_advertise_hosts = \${if eq{$received_ip_address}{${eximAddresses.withoutTls}}{}{*}}
dsn_advertise_hosts = *
delay_warning = 1s
tls_certificate = /etc/cert.pem
tls_privatekey = /etc/key.pem
message_size_limit = 60M
recipients_max = 0
smtp_accept_max = 100
smtp_accept_max_per_connection = 1000
smtp_accept_max_per_host = \${if eq{$received_ip_address}{${eximAddresses.fewConnections}}{1}{0}}
smtp_accept_queue_per_connection = 0
keep_environment =
acl_smtp_connect = connect
acl_smtp_mail = mail
acl_smtp_rcpt = rcpt
acl_smtp_data = data
local_from_check = false
trusted_users = Debian-exim
domainlist local_domains = ${BOX_DOMAINS.join(' : ')} : b\u00fccher.test
begin acl
connect:
 deny ${at('rejecting')}
  message = we do not take mail from $sender_host_address
 accept
mail:
 deny ${at('badSender')}
  message = sender <$sender_address> is not welcome
 accept
rcpt:
${rules.map(([way, rule]) => ` ${rule.replace('\n', `\n  ${at(way as EximWay)}\n`)}`).join('')}
 deny authenticated = *
  domains = +local_domains
  !verify = recipient
 accept authenticated = *
 require message = relay not permitted
  domains = +local_domains
 require verify = recipient
 accept
data:
 deny ${at('spamFilter')}
  message = This message scored 12.3 spam points.
 accept
begin routers
later:
 driver = redirect
 domains = later.test
 allow_defer
 data = :defer: the host is down for maintenance
gone:
 driver = redirect
 domains = gone.test
 allow_fail
 data = :fail: this account has been closed
refused:
 driver = manualroute
 domains = refused.test
 route_list = * ${eximAddresses.plain}::${port}
 self = send
 transport = smtp
boxes:
 driver = accept
 domains = +local_domains : else.test
 local_parts = lsearch;/etc/boxes
 transport = box
begin transports
smtp:
 driver = smtp
 port = ${port}
 hosts_try_dane =
 hosts_avoid_tls = *
box:
 driver = appendfile
 directory = /var/mail/$local_part_data
 maildir_format
 create_directory
 user = vmail
 group = vmail
 delivery_date_add
 envelope_to_add
 return_path_add
begin retry
* * F,1h,15m
begin authenticators
plain:
 driver = plaintext
 public_name = PLAIN
 server_condition = \${if and{{eq{$auth2}{relay}}{eq{$auth3}{secret}}}}
 server_set_id = $auth2
 server_advertise_condition = \${if eq{$received_ip_address}{${eximAddresses.smarthost}}}
`
}

export class Exim implements Peer {
  readonly #jail: Jail

  private constructor(jail: Jail) {
    this.#jail = jail
  }

  static async start({ port, certificate, boxes }: PeerOptions): Promise<Exim> {
    await using starting = new AsyncDisposableStack()
    const jail = starting.use(new Jail('exim', ['usr/sbin/exim4']))
    const exim = user('Debian-exim')
    jail.directory('var/spool/exim4', exim, 0o750)
    jail.directory('var/log', exim)
    jail.directory('var/mail', user('vmail'))
    jail.directory('etc/exim4')
    // Where Debian's looks for its configuration.
    jail.write('var/lib/exim4/config.autogenerated', configuration(port))
    jail.write('etc/cert.pem', certificate.cert)
    jail.write('etc/key.pem', certificate.key, 0o644)
    jail.write('etc/greylisting', '')
    jail.write('etc/boxes', boxes.map((box) => `${box}: ${box}\n`).join(''))
    // Without -q: no queue run.
    const listeners = Object.values(eximAddresses).map((host) => ({ host, port }))
    await jail.start(['/usr/sbin/exim4', '-bdf'], listeners)
    starting.move()
    return new Exim(jail)
  }

  /** Whether all recipients are deferred. */
  set greylisting(on: boolean) {
    if (on) this.#jail.write('etc/greylisting', '')
    else rmSync(join(this.#jail.root, 'etc/greylisting'))
  }

  /** Tries deferred mail again. */
  async runQueue(): Promise<void> {
    await this.#jail.run(['/usr/sbin/exim4', '-qff'])
  }

  delivered(box: string): Buffer[] {
    return maildir(join(this.#jail.root, 'var/mail', box))
  }

  get log(): string {
    return this.#jail.log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jail[Symbol.asyncDispose]()
  }
}
