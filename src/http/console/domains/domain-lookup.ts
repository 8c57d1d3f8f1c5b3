/** A sending domain as the page shows it, and its look-up by the id in a path. */
import type { Static } from 'typebox'
import type { CustomRoute, DkimIdentity, SendingDomain } from '../../../accounts/account.ts'
import { isDelegated } from '../../../accounts/dkim-delegation.ts'
import { dkimRecordName, dnsRecords } from '../../../accounts/dns-records.ts'
import { visibleAccounts } from '../../../operate/authority.ts'
import { retiresAt, sendsUntil } from '../../../operate/domain-schedule.ts'
import { companyName, noSuchDomain } from '../../../operate/find.ts'
import { returnPathState } from '../../../operate/return-path.ts'
import { serviceNames } from '../../../operate/service-names.ts'
import { dnsRecordJson } from '../../../operate/shapes/domain.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import type { Operation } from '../../../operate/verb.ts'
import type { DOMAIN, RELAY, WHOLE_DOMAIN } from '../contract/domains.ts'

/** Throws `not_found`: a domain of another company than the path's does not exist, for operators too. */
export function requireDomain(op: Operation, company: string | null, id: string): void {
  const found = visibleAccounts(op).domains.find((domain) => domain.id === id)
  if (found === undefined || (company !== null && found.companyId !== company)) throw noSuchDomain(id)
}

export function domainJson(op: Operation, domain: SendingDomain): Static<typeof DOMAIN> {
  const { id, name, companyId, status, sending, createdAt } = domain
  const company = { id: companyId, name: companyName(op, companyId) }
  return { id, name, company, status, sending, createdAt: isoTime(createdAt) }
}

export async function wholeDomainJson(
  op: Operation,
  domain: SendingDomain,
): Promise<Static<typeof WHOLE_DOMAIN>> {
  const { accounts, hostname } = op
  const times = await op.store.domainCheckTimes(domain.id)
  const routeOf = (domainId: string | null) =>
    accounts.routes.find((route) => route.companyId === domain.companyId && route.domainId === domainId)
  return {
    ...domainJson(op, domain),
    records: dnsRecords(domain, serviceNames(op, domain)).map((record) => ({
      ...dnsRecordJson(record),
      seen: record.seen,
    })),
    dkim: domain.dkim.map((key) => dkimKeyJson(domain, key)),
    speaksFor: accounts.domains
      .filter(({ id }) => domain.speaksFor.includes(id))
      .map(({ id, name }) => ({ id, name })),
    relay: relayJson(routeOf(domain.id)),
    companyRelay: relayJson(routeOf(null)),
    hostname,
    returnPath: {
      ...returnPathState(op, domain),
      isChosen: domain.settings.returnPath !== undefined,
    },
    delegation: {
      offered: op.setup.dkimZone !== null,
      used: isDelegated(domain, op.setup.dkimZone),
    },
    contentRetention: domain.settings.contentRetention ?? null,
    lostSince: isoTime(domain.lostSince),
    sendsUntil: isoTime(sendsUntil(domain, op.setup.domainGrace)),
    checkedAt: isoTime(times?.checkedAt ?? null),
  }
}

function dkimKeyJson(domain: SendingDomain, key: DkimIdentity) {
  const { selector, algorithm, active, delegated, rotation, seen } = key
  return {
    selector,
    algorithm,
    active,
    delegated,
    record: dkimRecordName(key, domain),
    stage: rotation?.stage ?? null,
    since: isoTime(rotation?.since ?? null),
    keepUntil: rotation?.stage === 'retiring' ? isoTime(retiresAt(rotation)) : null,
    seen,
  }
}

/** Without the password, and without the user name, which is sealed together with it. */
export function relayJson(route: CustomRoute | undefined): Static<typeof RELAY> | null {
  if (route === undefined) return null
  return { url: route.url, login: route.sealed !== null, createdAt: isoTime(route.createdAt) }
}
