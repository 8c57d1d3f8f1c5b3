/** The next step of a domain's DMARC policy, by what receivers reported. */
import type { Disposition } from '../mail/domain-report/dmarc-report.ts'

export interface DmarcFacts {
  days: number
  policy: Disposition | null
  messages: number
  failing: number
  /** Where this service takes reports about the domain; null: nowhere. */
  address: string | null
}

/** Less says nothing about senders that send once a week. */
const LEAST_DAYS = 7
const LEAST_MESSAGES = 100
/** The share of failing messages up to which a stricter policy stops forgers and mailing lists alone. */
const FEW = 0.01

export function dmarcAdvice({ days, policy, messages, failing, address }: DmarcFacts): string {
  if (messages === 0) {
    return address === null
      ? 'No DMARC report has arrived: this service takes none, because it has no listener or mailbox for returned mail.'
      : `No DMARC report has arrived yet. Receivers send them daily to the addresses in rua= of the DMARC record: mailto:${address} has to be one of them.`
  }
  if (days < LEAST_DAYS || messages < LEAST_MESSAGES) {
    return `Reports about ${messages} messages on ${days} days are too few for advice: it needs ${LEAST_MESSAGES} messages on ${LEAST_DAYS} days.`
  }
  const share = `${failing} of ${messages} messages (${percent(failing / messages)}) pass neither DKIM nor SPF`
  if (failing / messages > FEW) {
    return policy === 'reject' || policy === 'quarantine'
      ? `${share}, and p=${policy} stops them. Look at the failing sources: sign their mail, or add them to SPF.`
      : `${share}: p=quarantine would stop them. Look at the failing sources first: sign their mail, or add them to SPF.`
  }
  if (policy === 'reject') return `${share}. The policy is p=reject: there is no stricter one.`
  if (policy === 'quarantine') return `${share}. The next step is p=reject.`
  return `${share}. The next step is p=quarantine.`
}

const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`
