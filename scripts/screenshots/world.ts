/**
 * A small internet on loopback addresses: mail servers that take mail, refuse it, put it off, or are not there. Its names
 * are of the kind that documentation may use (RFC 2606).
 */
import { selfSigned } from '../../harness/certificate.ts'
import { type FakeDns, startDns, type Zone } from '../../harness/dns.ts'
import { freePort } from '../../harness/free-port.ts'
import { type Script, type Sink, startSink } from '../../test/support/sink.ts'

/** By the step `rcpt`: what is answered to an address. */
type Answers = Record<string, string>

interface Provider {
  mx: string
  host: string
  domains: string[]
  answers?: Answers
}

const PROVIDERS: readonly Provider[] = [
  {
    mx: 'mx.bigmail.example',
    host: '127.0.0.2',
    domains: ['bigmail.example', 'mail.example'],
    answers: {
      'sofia.old@bigmail.example':
        '550 5.1.1 The email account that you tried to reach does not exist. Please check the address',
      'full@bigmail.example': '452 4.2.2 The recipient is over quota',
    },
  },
  { mx: 'mail.analytical.example', host: '127.0.0.3', domains: ['analytical.example', 'tokyo.example'] },
  {
    mx: 'mx1.navy.example',
    host: '127.0.0.4',
    domains: ['navy.example'],
    answers: { 'grace@navy.example': '451 4.7.1 Greylisted, please come back in 5 minutes' },
  },
  {
    mx: 'gateway.muenchen.example',
    host: '127.0.0.5',
    domains: ['muenchen.example'],
    answers: { 'karl@muenchen.example': '554 5.7.1 Message refused: it looks like spam' },
  },
]

/** Nobody listens there. */
const AWAY = { mx: 'mail.away.example', host: '127.0.0.9', domains: ['away.example'] }

export interface World extends AsyncDisposable {
  dns: FakeDns
  smtpPort: number
}

export async function openWorld(): Promise<World> {
  const all = [...PROVIDERS, AWAY]
  const zone: Zone = Object.fromEntries(
    all.flatMap(({ mx, host, domains }) => [
      [`${mx}/A`, [host]],
      ...domains.map((domain) => [`${domain}/MX`, [`10 ${mx}`]]),
    ]),
  )
  zone['acme.test/NS'] = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com']
  const dns = await startDns(zone)
  const smtpPort = await freePort()
  const tls = selfSigned(PROVIDERS.map(({ mx }) => mx))
  const sinks: Sink[] = []
  for (const { mx, host, answers = {} } of PROVIDERS) {
    sinks.push(await startSink({ name: mx, host, port: smtpPort, tls, script: answering(answers) }))
  }
  return {
    dns,
    smtpPort,
    async [Symbol.asyncDispose]() {
      await Promise.all([dns.close(), ...sinks.map((sink) => sink.close())])
    },
  }
}

function answering(answers: Answers): Script {
  return ({ step, recipient }) => {
    const reply = step === 'rcpt' ? answers[recipient ?? ''] : undefined
    return reply === undefined ? undefined : { reply }
  }
}
