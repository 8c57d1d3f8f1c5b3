/**
 * Limits the reports that a zone makes this service send. RFC 8460 asks no target for its consent, as RFC 7489 7.1 does
 * for DMARC: the owner of a zone may name any address, in the records of any number of its domains. All nodes count
 * together.
 */
import { DAY_MS } from '../../common/utc-day.ts'
import { organizationOf } from '../../dns/organization.ts'
import { mailboxKey } from '../../mail/address/mailbox-key.ts'
import { mailtoAddress } from '../../mail/domain-report/tls-report-record.ts'
import {
  type Attempt,
  type AttemptCounter,
  type AttemptLane,
  attemptLane,
  countAttempt,
  TooManyAttempts,
} from '../../people/attempts.ts'

/** Reports at once, and as many again spread over a day. */
const MAX = {
  /** About all domains of one organization. */
  zone: 200,
  /** About all domains of one organization, to other organizations. */
  zoneToOthers: 50,
  /** To one address or URL of another organization. Services that read reports have an address for each customer. */
  address: 100,
  /** To all addresses and URLs of another organization. */
  organization: 1_000,
  all: 20_000,
} as const

/**
 * Counts a report to the URI. The caller takes it back if the report reaches nobody. A report beyond the limits is not
 * counted, and the result is the reason, for people.
 */
export async function countReport(
  counter: AttemptCounter,
  { domain, uri }: { domain: string; uri: string },
  now: number,
): Promise<Pick<Attempt, 'takeBack'> | { excess: string }> {
  const target = targetOf(uri)
  // The sender refuses this URI later.
  if (target === null) return { takeBack: async () => {} }
  const zone = organizationOf(domain)
  const organization = organizationOf(target.host)
  const lanes = [lane('zone', zone), lane('all')]
  if (organization !== zone) {
    lanes.push(lane('zoneToOthers', zone), lane('address', target.key), lane('organization', organization))
  }
  const attempt = await countAttempt(counter, lanes, now, 0)
  if (attempt instanceof TooManyAttempts) {
    return { excess: `too many reports are sent to ${organization}, or about domains of ${zone}` }
  }
  return attempt
}

function lane(what: keyof typeof MAX, ...of: string[]): AttemptLane {
  const free = MAX[what]
  return attemptLane(`report ${what}`, { free, every: Math.ceil(DAY_MS / free) }, ...of)
}

/** Null: the URI names no address and no host. */
function targetOf(uri: string): { key: string; host: string } | null {
  if (!/^mailto:/i.test(uri)) {
    const url = URL.parse(uri)
    return url === null ? null : { key: `${url.origin}${url.pathname}`, host: url.hostname }
  }
  const key = mailboxKey(mailtoAddress(uri) ?? '')
  return key === '' ? null : { key, host: key.slice(key.lastIndexOf('@') + 1) }
}
