/**
 * The next step of a domain's DMARC policy, by what receivers reported. Anybody can write a report, so only those with
 * a proven author count; and anybody can be such an author, so the worst reporter decides, and a stricter policy needs
 * two organizations.
 */
import type { DmarcPolicy } from '../accounts/dmarc.ts'
import { organizationOf } from '../dns/organization.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import type { DmarcReporterSum } from '../store/store.ts'
import { numberText } from './number-text.ts'

export interface DmarcFacts {
  /** Days and messages in reports with a proven author. */
  days: number
  messages: number
  failing: number
  /** Their reporters. */
  reporters: readonly DmarcReporterSum[]
  /** Messages in other reports. */
  unverified: number
  /** In DNS; null: there is none, or it is not valid; `unknown`: DNS did not answer. */
  policy: DmarcPolicy | null | 'unknown'
  /** Where this service takes reports about the domain; null: nowhere. */
  address: string | null
}

/** Less says nothing about senders that send once a week. */
const LEAST_DAYS = 7
/**
 * The least for advice, from all reporters together; also the least of one reporter whose failing messages count alone.
 */
const LEAST_MESSAGES = 100
const LEAST_ORGANIZATIONS = 2
/** The share of failing messages up to which a stricter policy stops forgers and mailing lists alone. */
const FEW = 0.01

export function dmarcAdvice(facts: DmarcFacts): string {
  const { days, policy, messages, failing, reporters } = facts
  if (messages === 0) return withoutReports(facts)
  if (days < LEAST_DAYS || messages < LEAST_MESSAGES) {
    return `Reports about ${numberText(messages)} messages on ${days} days are too few for advice: it needs ${LEAST_MESSAGES} messages on ${LEAST_DAYS} days, in verified reports.`
  }
  const all = `${numberText(failing)} of ${numberText(messages)} messages (${percent(failing / messages)}) pass neither DKIM nor SPF`
  const worst = worstOf(reporters)
  const isMany = failing / messages > FEW
  if (isMany || worst !== null) {
    const share =
      isMany || worst === null
        ? all
        : `${all}, but ${numberText(worst.failing)} of the ${numberText(worst.messages)} that ${worst.name} saw`
    return policy === 'reject' || policy === 'quarantine'
      ? `${share}, and p=${policy} stops them. Look at the failing sources: sign their mail, or add them to SPF.`
      : `${share}: p=quarantine would stop them. Look at the failing sources first: sign their mail, or add them to SPF.`
  }
  if (policy === 'reject') return `${all}. The policy is p=reject: there is no stricter one.`
  if (policy === 'unknown')
    return `${all}. DNS does not answer for the DMARC record, so the next step is not known.`
  if (policy === null) return `${all}. DNS has no valid DMARC record for the domain: publish one first.`
  const organizations = new Set(reporters.map(({ author }) => organizationOf(domainOf(author ?? ''))))
  if (organizations.size < LEAST_ORGANIZATIONS) {
    return `${all}, but all verified reports come from ${[...organizations][0]}. For a stricter policy, wait for those of a second organization.`
  }
  return `${all}. The next step is ${policy === 'quarantine' ? 'p=reject' : 'p=quarantine'}.`
}

function withoutReports({ unverified, address }: DmarcFacts): string {
  if (unverified > 0) {
    return `There are reports about ${numberText(unverified)} messages, but none of them has a valid signature of its sender, so anybody may have written them. No advice follows from them.`
  }
  return address === null
    ? 'No DMARC report has arrived: this service takes none, because it has no listener or mailbox for returned mail.'
    : `No DMARC report has arrived yet. Receivers send them daily to the addresses in rua= of the DMARC record: mailto:${address} has to be one of them.`
}

/**
 * The reporter that saw the largest share of failing messages, if that is more than a few: reports by another reporter
 * do not change it. Reporters that saw few messages, with failing ones among them, count as one.
 */
function worstOf(reporters: readonly DmarcReporterSum[]): Omit<DmarcReporterSum, 'author'> | null {
  // Not those that saw all messages pass: reporters of that kind can be added at will.
  const small = reporters.filter(({ messages, failing }) => messages < LEAST_MESSAGES && failing > 0)
  const sum = (of: (each: DmarcReporterSum) => number) => small.reduce((total, each) => total + of(each), 0)
  const rest = {
    name: 'small receivers',
    messages: sum(({ messages }) => messages),
    failing: sum(({ failing }) => failing),
  }
  const large = reporters.filter(({ messages }) => messages >= LEAST_MESSAGES)
  const named = large.map((each) => ({ ...each, name: domainOf(each.author ?? '') }))
  const [worst] = [...named, rest].toSorted((a, b) => shareOf(b) - shareOf(a))
  return worst !== undefined && shareOf(worst) > FEW ? worst : null
}

const shareOf = ({ messages, failing }: Pick<DmarcReporterSum, 'messages' | 'failing'>) =>
  failing / Math.max(messages, LEAST_MESSAGES)

const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`
