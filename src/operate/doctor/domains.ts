/** The records of sending domains in DNS. */

import type { RecordState, SendingDomain } from '../../accounts/account.ts'
import type { RecordCheck } from '../../accounts/record-check.ts'
import { RECORD_NAMES } from '../../accounts/record-names.ts'
import { acceptsMail } from '../../accounts/sending.ts'
import { verifyDomain } from '../../accounts/verify.ts'
import { namedFew } from '../../common/named-few.ts'
import { isReserved } from '../go-live/company-steps.ts'
import { commandFor } from '../problem-command.ts'
import { serviceNames } from '../service-names.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

/** Domains whose records are asked for now; for the others, the last check of the service counts. */
const MAX_ASKED = 50

/** Plans one check for each domain that sends. */
export function domainChecks(op: Operation): PlannedCheck[] {
  const domains = op.accounts.domains.filter((domain) => acceptsMail(domain) && !isReserved(domain.name))
  if (domains.length === 0) {
    return [{ id: 'domains', title: 'Sending domains', run: async () => noDomain(op) }]
  }
  const asked = domains.slice(0, MAX_ASKED)
  const others = domains.slice(MAX_ASKED)
  return [
    ...asked.map(
      (domain): PlannedCheck => ({
        id: `domain:${domain.name}`,
        title: domain.name,
        run: () => domainCheck(op, domain),
      }),
    ),
    ...(others.length === 0 ? [] : [furtherDomains(others)]),
  ]
}

function furtherDomains(domains: readonly SendingDomain[]): PlannedCheck {
  return { id: 'domains', title: 'Further sending domains', run: async () => lastSeen(domains) }
}

function noDomain({ setup, accounts }: Operation): CheckFinding {
  const tries = accounts.domains.filter(acceptsMail).map(({ name }) => name)
  const found =
    tries.length === 0
      ? 'No domain sends mail.'
      : tries.length === 1
        ? `${tries[0]} is a test domain that cannot exist in DNS, so receivers refuse its mail.`
        : `${namedFew(tries, 'and')} are test domains that cannot exist in DNS, so receivers refuse their mail.`
  if (setup.delivery.kind === 'capture') return ok(found)
  const advice = 'Add a domain on the page Domains, and publish its records.'
  return { ...warning(found, advice), code: 'bin/postroad domain add example.com --company NAME' }
}

async function domainCheck(op: Operation, domain: SendingDomain): Promise<CheckFinding> {
  const { records } = await verifyDomain(domain, serviceNames(op, domain), op.resolver())
  const bad = records.filter(({ state }) => state === 'missing' || state === 'different')
  const silent = records.filter(({ state }) => state === 'unknown')
  const needed = bad.filter(({ required }) => required)
  const code = commandFor(`domain:${domain.name}`)
  const advice = ([first]: RecordCheck[]) => {
    const publish = 'Publish the records that the page of the domain shows.'
    return first!.state === 'missing' || first!.advice === null ? publish : `${first!.advice} ${publish}`
  }
  if (needed.length > 0) {
    return { ...problem(lacking(needed), advice(needed)), memberAdvice: advice(needed), code }
  }
  if (silent.length > 0) {
    return unknown(`DNS did not answer for ${namesOf(silent)}.`, 'Try again in a minute.')
  }
  if (bad.length > 0) return { ...warning(lacking(bad), advice(bad)), code }
  return ok('DNS has all of its records.')
}

function lacking(records: readonly RecordCheck[]): string {
  return `${records.map(({ kind, name, state }) => `${RECORD_NAMES[kind]} record ${WORDS[state]} (${name})`).join('; ')}.`
}

const WORDS: Readonly<Record<RecordState, string>> = {
  right: 'right',
  missing: 'missing',
  different: 'with another value',
  unknown: 'unknown',
}

function namesOf(records: readonly RecordCheck[]): string {
  return records.map(({ name }) => name).join(', ')
}

function lastSeen(domains: readonly SendingDomain[]): CheckFinding {
  const lost = domains.filter(({ status }) => status === 'pending').map(({ name }) => name)
  if (lost.length === 0) return ok(`${domains.length} further domains had their records at the last check.`)
  return problem(
    `${namedFew(lost, 'and')} lacked required records at the last check.`,
    'Publish the records that the pages of the domains show.',
  )
}
