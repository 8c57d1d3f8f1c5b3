import { Jail, user } from './jail.ts'
import { addressesOf, BOX_DOMAINS, Peer, type PeerOptions } from './peer.ts'

/** What follows `listen on` at each of its addresses. */
const WAYS = {
  /** Delivers to boxes of its domains, knows no other recipients, relays nothing. Ten recipients a message, see below. */
  plain: 'tls pki mail',
  /** Accepts mail for every recipient, but knows the same boxes only. */
  relay: '',
  /** 530 without TLS. */
  tlsRequired: 'tls-require pki mail',
  /** Filters, by the step they speak at. */
  rejecting: 'filter atConnect',
  rejectingHelo: 'filter atHelo',
  busy: 'filter atRcpt',
  /** Accepts mail for every recipient, and reports the result to its sender. */
  returning: '',
  /** Offers no STARTTLS. */
  withoutTls: '',
} as const

export type OpenSmtpdWay = keyof typeof WAYS

export const openSmtpdAddresses = addressesOf(27, Object.keys(WAYS) as OpenSmtpdWay[])

/** Recipients it takes for a message: RFC 5321 4.5.3.1.8 has it take a hundred, not every server does. */
export const MAX_RECIPIENTS = 10

function configuration(port: number): string {
  const listeners = Object.entries(WAYS).map(([way, options]) => {
    return `listen on ${openSmtpdAddresses[way as OpenSmtpdWay]} port ${port} hostname opensmtpd.test tag "${way}" ${options}\n`
  })
  return `pki mail cert "/etc/cert.pem"
pki mail key "/etc/key.pem"
table boxes file:/etc/boxes
table everyone { "0.0.0.0/0" }
smtp max-message-size 60M
# What was put off is told of after a second.
bounce warn-interval 1s
smtp limit max-rcpt ${MAX_RECIPIENTS}
filter atConnect phase connect match src <everyone> disconnect "554 5.7.1 No mail from you"
filter refuseEhlo phase ehlo match src <everyone> reject "550 5.7.1 Who are you?"
filter refuseHelo phase helo match src <everyone> reject "550 5.7.1 Who are you?"
filter atHelo chain { refuseEhlo, refuseHelo }
filter atRcpt phase rcpt-to match src <everyone> reject "451 4.7.1 Come back later"
${listeners.join('')}
action box maildir "/var/mail/%{rcpt.user}" virtual <boxes>
action refused relay host "smtp://${openSmtpdAddresses.plain}:${port}"
action later relay host "smtp://${openSmtpdAddresses.busy}:${port}"
match tag "returning" from any for domain "refused.test" action refused
match tag "returning" from any for domain "later.test" action later
match tag "relay" from any for any action box
match from any for domain { ${BOX_DOMAINS.map((domain) => `"${domain}"`).join(' ')} } action box
`
}

export class OpenSmtpd extends Peer {
  static async start({ port, certificate, boxes }: PeerOptions): Promise<OpenSmtpd> {
    await using starting = new AsyncDisposableStack()
    const programs = ['usr/sbin/smtpd', 'usr/libexec/opensmtpd/mail.maildir', 'bin/sh']
    const jail = starting.use(new Jail('opensmtpd', programs))
    jail.directory('var/lib/opensmtpd/empty', undefined, 0o711)
    jail.directory('var/spool/smtpd', undefined, 0o711)
    jail.directory('var/mail', user('vmail'))
    jail.write('etc/smtpd.conf', configuration(port))
    jail.write('etc/cert.pem', certificate.cert)
    jail.write('etc/key.pem', certificate.key, 0o600)
    jail.write('etc/boxes', boxes.map((box) => `${box} vmail\n`).join(''))
    const listeners = Object.values(openSmtpdAddresses).map((host) => ({ host, port }))
    await jail.start(['/usr/sbin/smtpd', '-d'], listeners)
    starting.move()
    return new OpenSmtpd(jail)
  }
}
