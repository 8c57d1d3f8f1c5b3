import { user, VMAIL } from './jail.ts'
import { addressesOf, BOX_DOMAINS, Peer, type PeerOptions } from './peer.ts'
import { MASTER, postfixJail } from './postfix-jail.ts'

export type PostfixWay = keyof typeof WAYS

/** What each of its addresses does otherwise than plain Postfix: settings of its smtpd (or of postscreen, which stands before it). */
const WAYS = {
  /** Delivers to boxes of its domains, knows no other recipients, relays nothing. */
  plain: {},
  /** Put off for ever, at RCPT. */
  busy: { smtpd_recipient_restrictions: 'check_recipient_access static:{451 4.3.0 Try again later}' },
  /** As greylisting policy servers say it. */
  greylisting: {
    smtpd_recipient_restrictions:
      'check_recipient_access static:{450 4.2.0 Greylisted, see http://postgrey.test}',
  },
  /** RFC 1870: announces what it takes. */
  small: { message_size_limit: '20000' },
  /** The same, without a word about it beforehand. */
  smallUnannounced: { message_size_limit: '20000', smtpd_discard_ehlo_keywords: 'size' },
  fewRecipients: { smtpd_recipient_limit: '5' },
  fewConnections: { smtpd_client_connection_count_limit: '1' },
  fewMessages: { smtpd_client_message_rate_limit: '2' },
  /** At the greeting. */
  rejecting: { smtpd_delay_reject: 'no', smtpd_client_restrictions: 'reject' },
  /** The same as Debian configures it: refused at RCPT. */
  rejectingLate: { smtpd_client_restrictions: 'reject' },
  blocklisting: {
    smtpd_client_restrictions:
      'check_client_access static:{554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using zen.test}',
  },
  /** 504 at EHLO where our name has no dot. */
  nameless: {
    smtpd_delay_reject: 'no',
    smtpd_helo_required: 'yes',
    smtpd_helo_restrictions: 'reject_non_fqdn_helo_hostname',
  },
  tlsRequired: { smtpd_tls_security_level: 'encrypt' },
  withoutTls: { smtpd_tls_security_level: 'none' },
  /**
   * Defers a new client throughout its first session, and accepts it when it comes again (postscreen's tests
   * after the greeting).
   */
  postscreen: {
    postscreen_greet_wait: '1s',
    postscreen_pipelining_enable: 'yes',
    postscreen_bare_newline_enable: 'yes',
    postscreen_access_list: '',
    postscreen_cache_map: 'btree:/var/lib/postfix/postscreen',
  },
  /** Takes no UTF-8 addresses. */
  asciiOnly: { smtputf8_enable: 'no' },
  /** Accepts mail for every recipient, and reports the result to its sender. */
  returning: {
    mynetworks: '127.0.0.0/8',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtpd_reject_unlisted_recipient: 'no',
  },
} as const

export const postfixAddresses = addressesOf(25, Object.keys(WAYS) as PostfixWay[])

const SETTINGS = {
  mynetworks: '192.0.2.1',
  smtpd_client_event_limit_exceptions: '',
  smtpd_error_sleep_time: '0',
  anvil_rate_time_unit: '600s',
  virtual_mailbox_domains: BOX_DOMAINS.join(', '),
  virtual_mailbox_base: '/var/mail',
  virtual_mailbox_maps: 'texthash:/etc/postfix/boxes',
  virtual_uid_maps: `static:${VMAIL}`,
  virtual_gid_maps: `static:${VMAIL}`,
  message_size_limit: '60000000',
  mailbox_size_limit: '0',
  virtual_mailbox_limit: '0',
  smtpd_relay_restrictions: 'reject_unauth_destination',
  smtpd_tls_security_level: 'may',
  // A delay is reported after a second, and deferred mail is given up when the server ends.
  transport_maps: 'texthash:/etc/postfix/transport',
  delay_warning_time: '1s',
  minimal_backoff_time: '1s',
  queue_run_delay: '1s',
  maximal_queue_lifetime: '1d',
}

/** What becomes of mail for other domains, once it was taken. */
const DESTINATIONS = {
  'gone.test': 'error:5.1.1 The email account that you tried to reach does not exist',
  'full.test': 'error:5.2.2 The mailbox is full',
  'later.test': 'retry:4.4.1 Connection timed out',
}

export class Postfix extends Peer {
  static async start({ port, certificate, boxes }: PeerOptions): Promise<Postfix> {
    await using starting = new AsyncDisposableStack()
    const jail = starting.use(
      postfixJail(['smtpd', 'smtp', 'virtual', 'discard', 'postscreen', 'tlsproxy', 'dnsblog'], {
        settings: SETTINGS,
        master: masterFile(port),
        certificate,
      }),
    )
    jail.directory('var/mail', user('vmail'))
    jail.write(
      'etc/postfix/boxes',
      boxes.flatMap((box) => BOX_DOMAINS.map((domain) => `${box}@${domain} ${box}/\n`)).join(''),
    )
    const destinations = { ...DESTINATIONS, 'refused.test': `smtp:[${postfixAddresses.plain}]:${port}` }
    jail.write(
      'etc/postfix/transport',
      Object.entries(destinations)
        .map(([domain, way]) => `${domain} ${way}\n`)
        .join(''),
    )
    const addresses = Object.values(postfixAddresses).map((host) => ({ host, port }))
    await jail.start(MASTER, addresses)
    starting.move()
    return new Postfix(jail)
  }

  /** Everything that it has logged. */
  get wholeLog(): string {
    return this.jail.read('var/log/mail.log')
  }
}

function masterFile(port: number): string {
  const listeners = Object.entries(WAYS).map(([way, settings]) => {
    const options = Object.entries(settings).map(([name, value]) => ` -o { ${name} = ${value} }`)
    // One process of postscreen sees all that come.
    const program = way === 'postscreen' ? '1 postscreen' : '- smtpd'
    return `${postfixAddresses[way as PostfixWay]}:${port} inet n - n - ${program}${options.join('')}\n`
  })
  return `${listeners.join('')}smtpd pass - - n - - smtpd
tlsproxy unix - - n - 0 tlsproxy
dnsblog unix - - n - 0 dnsblog
discard unix - - n - - discard
smtp unix - - n - - smtp
`
}
