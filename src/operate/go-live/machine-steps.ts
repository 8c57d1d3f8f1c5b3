/** Steps about the machine: its name, how clients reach it, and whether its data would survive its loss. */
import type { X509Certificate } from 'node:crypto'
import { DAY_MS } from '../../common/utc-day.ts'
import { NoAnswer } from '../../network/outgoing.ts'
import { lastBackup } from '../../store/backup-note.ts'
import { certificateEnd } from '../certificate-end.ts'
import { ASK_AGAIN, addressAdvice, reverseFault } from '../reverse-dns.ts'
import type { Operation } from '../verb.ts'
import { done, open, type StepResult, unknown, unneeded, whileCaptured, wrong } from './step.ts'

/** Ms for a request to this service itself. */
const ASKED_WITHIN = 10_000
/** Days after which a backup counts as old. */
const OLD = 7

/**
 * Checks that the EHLO name resolves to an address, and the address back to the name: many receivers refuse mail
 * otherwise (RFC 1912 2.1).
 */
export async function hostnameStep(op: Operation): Promise<StepResult> {
  const { hostname, setup } = op
  if (setup.delivery.kind === 'relay') return unneeded('The relay uses its own name.')
  if (setup.delivery.kind === 'capture') return whileCaptured()
  if (!hostname.includes('.')) {
    return wrong(
      `The name "${hostname}" is not a fully qualified domain name.`,
      'Choose a name that resolves to this machine, add it to .env and restart.',
      'POSTROAD_HOSTNAME=mail.example.com',
    )
  }
  const resolver = op.hosts()
  const addresses = await resolver.addresses(hostname)
  if (addresses.kind === 'failed') {
    return unknown(`DNS answers ${addresses.reason} for ${hostname}.`, ASK_AGAIN)
  }
  if (addresses.kind === 'absent') return wrong(`${hostname} has no address in DNS.`, addressAdvice(hostname))
  const all = addresses.records.map(({ address }) => address)
  const faults = await Promise.all(all.map((address) => reverseFault(resolver, hostname, address)))
  const fault = faults.find((each) => each !== null)
  if (fault) return (fault.state === 'unknown' ? unknown : wrong)(fault.found, fault.advice)
  const listed = all.join(' and ')
  const back = all.length === 1 ? 'resolves' : 'resolve'
  return done(`${hostname} resolves to ${listed}, and ${listed} ${back} back to ${hostname}.`)
}

const PUBLIC_HTTPS = `POSTROAD_PUBLIC_URL=https://mail.example.com
POSTROAD_TLS_CERT=/etc/letsencrypt/live/mail.example.com/fullchain.pem
POSTROAD_TLS_KEY=/etc/letsencrypt/live/mail.example.com/privkey.pem`

export async function httpsStep(op: Operation): Promise<StepResult> {
  if (op.publicUrl === null) {
    return open(
      'The address at which applications reach this service is not set.',
      'Add these lines to .env and restart. With a TLS proxy in front, the first line is enough.',
      PUBLIC_HTTPS,
    )
  }
  const url = new URL('/health', op.publicUrl)
  let certificate: X509Certificate | null = null
  const onCertificate = (shown: X509Certificate) => {
    certificate = shown
  }
  const outgoing = op.outgoing({ anywhere: true, onCertificate })
  try {
    const request = { method: 'GET', url, headers: {}, timeoutMs: ASKED_WITHIN, maxOctets: 1_024 } as const
    const { status, body } = await outgoing.ask(request)
    if (status !== 200 || !body.toString().includes('"ok"')) {
      return wrong(
        `${url} answers with status ${status}, not like this service.`,
        'Check the proxy in front.',
      )
    }
    if (url.protocol === 'https:') return judgedEnd(`${url} answers over TLS.`, certificate, op.now())
    return wrong(`${url} answers without encryption: keys and mail can be read in transit.`, 'Use https://.')
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return wrong(
      `${url} does not answer: ${error.message}.`,
      'Check the address, its certificate and the firewall.',
    )
  } finally {
    await outgoing.close()
  }
}

/** Judges the end of the certificate that the URL shows: behind a proxy, that is the proxy's. */
function judgedEnd(answers: string, certificate: X509Certificate | null, now: number): StepResult {
  if (certificate === null) return done(answers)
  const { state, sentence } = certificateEnd(certificate, now)
  const found = `${answers} Its certificate ${sentence}.`
  if (state === 'fine') return done(found)
  const advice =
    'Renew it where TLS ends: at the proxy in front, or in the file that POSTROAD_TLS_CERT names.'
  return (state === 'soon' ? open : wrong)(found, advice)
}

/** `days`: whole ones; below zero if the clock has been set back since. */
function backupAge(days: number): string {
  if (days <= 0) return 'within the last day'
  return days === 1 ? 'a day ago' : `${days} days ago`
}

export async function backupStep(op: Operation): Promise<StepResult> {
  if (op.setup.database.engine === 'postgres') {
    return unknown(
      'PostgreSQL is backed up outside of Postroad.',
      'Make sure that pg_dump or WAL archiving runs, and that POSTROAD_SECRET_KEY is kept in a separate place.',
    )
  }
  const last = lastBackup(op.setup.database.path)
  const advice = 'Run this command every day, and keep the file and the secret key on another machine.'
  const command = 'bin/postroad backup --force postroad-backup.db'
  if (last === null) return open('There is no backup yet.', advice, command)
  const days = Math.floor((op.now() - last.at) / DAY_MS)
  if (days >= OLD) return wrong(`The last backup is ${days} days old.`, advice, command)
  return done(`The last backup was made ${backupAge(days)}: ${last.file}.`)
}
