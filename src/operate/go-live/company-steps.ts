/** The steps that a company takes itself: a first message, a domain of its own, and its DNS records. */
import type { RecordState, SendingDomain } from '../../accounts/account.ts'
import { dnsRecords } from '../../accounts/dns-records.ts'
import { RECORD_NAMES } from '../../accounts/record-names.ts'
import { clip } from '../../common/clip.ts'
import { namedFew } from '../../common/named-few.ts'
import { accountsOf, visibleAccounts } from '../authority.ts'
import { serviceNames } from '../service-names.ts'
import type { Operation } from '../verb.ts'
import { done, open, type StepResult, unknown, wrong } from './step.ts'

/** RFC 6761 6.2: names under it never resolve. The domain of the first start is one of them. */
const TEST_NAME = /(^|\.)test$/

export async function messageStep(op: Operation, companyId: string): Promise<StepResult> {
  const [email] = await op.store.listEmails({ companyId, limit: 1 })
  if (email !== undefined)
    return done(`The latest email is "${clip(email.subject)}", to ${email.to[0] ?? 'no one'}.`)
  return open('No email has been sent yet.', 'Send a test message to check that mail is accepted.')
}

export async function domainStep(op: Operation, companyId: string): Promise<StepResult> {
  const names = ownDomains(op, companyId).map(({ name }) => name)
  if (names.length > 0) return done(`Added: ${namedFew(names, 'and')}.`)
  return open(
    'The company has no domain of its own yet.',
    'Add the domain that you send mail from, such as mail.example.com. The next steps depend on it.',
  )
}

export async function dnsStep(op: Operation, companyId: string): Promise<StepResult> {
  const domains = ownDomains(op, companyId)
  if (domains.length === 0)
    return open('There is no domain yet, so there are no records to publish.', 'Add a domain first.')
  const verified = domains.filter(({ status }) => status === 'verified').map(({ name }) => name)
  if (verified.length > 0) return done(`The records of ${namedFew(verified, 'and')} were found.`)
  return recordsStep(op, domains[0]!)
}

function recordsStep(op: Operation, domain: SendingDomain): StepResult {
  const { name } = domain
  const advice = `Publish the records of ${name} at your DNS provider. Copy them from the page of the domain, then verify them there.`
  if (Object.keys(domain.seen).length === 0)
    return open(`The DNS records of ${name} have not been checked yet.`, advice)
  const records = dnsRecords(domain, serviceNames(op, domain)).filter(({ required }) => required)
  const namesOf = (state: RecordState) =>
    records.flatMap(({ kind, seen }) => (seen === state ? RECORD_NAMES[kind] : []))
  const [missing, different, silent] = [namesOf('missing'), namesOf('different'), namesOf('unknown')]
  if (different.length > 0) {
    const also = missing.length > 0 ? ` Missing: ${missing.join(', ')}.` : ''
    return wrong(`DNS has other values for these records of ${name}: ${different.join(', ')}.${also}`, advice)
  }
  if (missing.length > 0) return open(`DNS lacks these records of ${name}: ${missing.join(', ')}.`, advice)
  if (silent.length > 0)
    return unknown(`DNS did not answer for ${name}.`, 'Verify the domain again in a minute.')
  if (records.some(({ seen }) => seen === null))
    return open(`Some DNS records of ${name} have not been checked yet.`, advice)
  return wrong(
    `The DNS records of ${name} are right, but another company of this service already sends from this name.`,
    'The domain stays pending until that company or the operator of this service removes the other one.',
  )
}

export function domainsOf(op: Operation, companyId: string): SendingDomain[] {
  return accountsOf(visibleAccounts(op), companyId).domains
}

/** The domains that can have records in DNS. */
export function ownDomains(op: Operation, companyId: string): SendingDomain[] {
  return domainsOf(op, companyId).filter(({ name }) => !isReserved(name))
}

/** True for a name that nobody can have in DNS. */
export function isReserved(name: string): boolean {
  return TEST_NAME.test(name)
}
