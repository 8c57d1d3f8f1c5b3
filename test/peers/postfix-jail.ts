/** What every Postfix needs, whichever way mail goes through it: its queue, its users, and the services behind smtpd. */
import { Jail, user } from './jail.ts'

/** Its command in the jail. */
export const MASTER = ['/usr/lib/postfix/sbin/master', '-s']

const PROGRAMS = [
  'master',
  'cleanup',
  'qmgr',
  'tlsmgr',
  'bounce',
  'trivial-rewrite',
  'proxymap',
  'anvil',
  'postlogd',
  'error',
  'showq',
]

const QUEUES = [
  'active',
  'bounce',
  'corrupt',
  'defer',
  'deferred',
  'flush',
  'hold',
  'incoming',
  'private',
  'saved',
  'trace',
]

const SETTINGS = {
  compatibility_level: '3.6',
  mail_owner: 'postfix',
  setgid_group: 'postdrop',
  maillog_file: '/var/log/mail.log',
  myhostname: 'postfix.test',
  mydestination: '',
  inet_protocols: 'ipv4',
  alias_maps: '',
  alias_database: '',
  smtpd_peername_lookup: 'no',
  smtputf8_enable: 'yes',
  smtpd_tls_cert_file: '/etc/postfix/cert.pem',
  smtpd_tls_key_file: '/etc/postfix/key.pem',
}

const SERVICES = `cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
tlsmgr unix - - n 1000? 1 tlsmgr
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
showq unix n - n - - showq
postlog unix-dgram n - n - 1 postlogd
`

export interface PostfixOptions {
  /** Of main.cf, beside what every Postfix has. */
  settings: Readonly<Record<string, string>>
  /** Of master.cf, in front of the services that every Postfix has. */
  master: string
  certificate: { cert: string; key: string }
  /** Paths of libraries that it loads while it runs. */
  modules?: readonly string[]
}

/** `programs`: what it runs beside master and the queue. */
export function postfixJail(
  programs: readonly string[],
  { settings, master, certificate, modules = [] }: PostfixOptions,
): Jail {
  const paths = [...PROGRAMS, ...programs].map((name) => `usr/lib/postfix/sbin/${name}`)
  const jail = new Jail('postfix', [...paths, ...modules])
  const postfix = user('postfix')
  const drop = user('postfix', 'postdrop')
  for (const name of QUEUES) jail.directory(`var/spool/postfix/${name}`, postfix, 0o700)
  jail.directory('var/spool/postfix/pid')
  jail.directory('var/spool/postfix/maildrop', drop, 0o730)
  jail.directory('var/spool/postfix/public', drop, 0o710)
  jail.directory('var/lib/postfix', postfix, 0o700)
  jail.directory('var/log')
  const lines = Object.entries({ ...SETTINGS, ...settings }).map(([name, value]) => `${name} = ${value}`)
  jail.write('etc/postfix/main.cf', `${lines.join('\n')}\n`)
  jail.write('etc/postfix/master.cf', `${master}${SERVICES}`)
  jail.write('etc/postfix/cert.pem', certificate.cert)
  jail.write('etc/postfix/key.pem', certificate.key, 0o600)
  return jail
}
