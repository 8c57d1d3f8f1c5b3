/** Steps about the machine: its name, how clients reach it, and whether its data would survive its loss. */
import { NoAnswer } from '../../network/outgoing.ts'
import { lastBackup } from '../../store/backup-note.ts'
import type { Operation } from '../verb.ts'
import { done, open, type StepResult, unknown, unneeded, wrong } from './step.ts'

/** Ms for a request to this service itself. */
const ASKED_WITHIN = 10_000
const DAY = 86_400_000
/** Days after which a backup counts as old. */
const OLD = 7

/**
 * Checks that the EHLO name resolves to an address, and the address back to the name: many receivers refuse mail
 * otherwise (RFC 1912 2.1).
 */
export async function hostnameStep(op: Operation): Promise<StepResult> {
  const { hostname, setup } = op
  if (setup.delivery.kind === 'relay') return unneeded('The relay goes by its own name.')
  const setName = 'Set POSTROAD_HOSTNAME to a name such as mail.example.com that leads to this machine.'
  if (!hostname.includes('.')) return wrong(`The name "${hostname}" is no full domain name.`, setName)
  const resolver = op.hosts()
  const addresses = await resolver.addresses(hostname)
  if (addresses.kind === 'failed') {
    return unknown(`The DNS says ${addresses.reason} for ${hostname}.`, 'Try again in a minute.')
  }
  if (addresses.kind === 'absent') return wrong(`There is no address of ${hostname} in the DNS.`, setName)
  const { address } = addresses.records[0]!
  const names = await resolver.names(address)
  const back = names.kind === 'found' ? names.records : []
  if (back.includes(hostname)) return done(`${hostname} is ${address}, and ${address} is ${hostname}.`)
  const found = back.length === 0 ? 'has no name in reverse DNS' : `is called ${back.join(', ')} there`
  return wrong(
    `${hostname} is ${address}, but ${address} ${found}.`,
    `Whoever gave you the address sets its reverse DNS (PTR) to ${hostname}.`,
  )
}

export async function httpsStep(op: Operation): Promise<StepResult> {
  if (op.publicUrl === null) {
    return open(
      'Nobody has said where applications reach this service.',
      'Set POSTROAD_PUBLIC_URL to its https:// address, and POSTROAD_TLS_CERT and _KEY, or put a proxy with TLS in front.',
    )
  }
  const url = new URL('/health', op.publicUrl)
  const outgoing = op.outgoing({ anywhere: true })
  try {
    const request = { method: 'GET', url, headers: {}, timeoutMs: ASKED_WITHIN, maxOctets: 1_024 } as const
    const { status, body } = await outgoing.ask(request)
    if (status !== 200 || !body.toString().includes('"ok"')) {
      return wrong(
        `${url} answers with status ${status}, not as this service would.`,
        'Look at the proxy in front.',
      )
    }
    if (url.protocol === 'https:') return done(`${url} answers over TLS.`)
    return wrong(`${url} answers, but in the clear: keys and mail can be read on the way.`, 'Use https://.')
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return wrong(
      `${url} does not answer: ${error.message}.`,
      'Look at the address, its certificate and the firewall.',
    )
  } finally {
    await outgoing.close()
  }
}

export async function backupStep(op: Operation): Promise<StepResult> {
  if (op.setup.database.engine === 'postgres') {
    return unknown(
      'Backups of PostgreSQL are made outside of Postroad.',
      'See that pg_dump or WAL archiving runs, and that POSTROAD_SECRET_KEY is kept apart from it.',
    )
  }
  const last = lastBackup(op.setup.database.path)
  const advice = 'Run bin/postroad backup FILE every day, and keep the file with the secret key elsewhere.'
  if (last === null) return open('No backup was made yet.', advice)
  const days = Math.floor((op.now() - last.at) / DAY)
  if (days >= OLD) return wrong(`The last backup is ${days} days old.`, advice)
  return done(`The last one was made ${days === 0 ? 'today' : `${days} days ago`}: ${last.file}.`)
}
