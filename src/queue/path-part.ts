/** The mail on a path that a trouble concerns: all of it, or that of a company, or less. */
import type { Path } from '../delivery/path/path.ts'
import type { ReadyDelivery } from './deliveries.ts'

export interface PathPart {
  key: string
  /** Key of the path. */
  path: string
  /** The only company, sending domain (ids) and recipient domain concerned; null: all. */
  companyId: string | null
  domainId: string | null
  to: string | null
}

/** The parts that a delivery belongs to, widest first. */
export interface PathParts {
  whole: PathPart
  /** The mail to the same servers, which are some of the site's; `whole` where the site has no others. */
  servers: PathPart
  company: PathPart
  companyToServers: PathPart
  sendingDomain: PathPart
  /** The mail of the sending domain to one recipient domain. */
  pair: PathPart
}

/** Mail of a sender that takes, or would take, a path. */
export interface PathMail {
  path: Path
  email: Pick<ReadyDelivery['email'], 'companyId' | 'domainId'>
  recipients: readonly Pick<ReadyDelivery['recipients'][number], 'domain'>[]
}

export function partsOf({ path, email, recipients }: PathMail, to = recipients[0]?.domain): PathParts {
  const { companyId, domainId } = email
  const whole = { key: path.key, path: path.key, companyId: null, domainId: null, to: null }
  const serversKey = serversKeyOf(path)
  const servers = serversKey === path.key ? whole : { ...whole, key: serversKey }
  const company = ofCompany(whole, companyId)
  const key = `${path.key}\0${domainId}`
  return {
    whole,
    servers,
    company,
    companyToServers: servers === whole ? company : ofCompany(servers, companyId),
    sendingDomain: { ...company, key, domainId },
    pair: { ...company, key: `${key}\0${to ?? ''}`, domainId, to: to ?? '' },
  }
}

/**
 * The key of the mail on the path to the same servers, which are some of the site's; that of the path if they are all.
 */
export function serversKeyOf({ key, site }: Path): string {
  return site.serversKey === undefined ? key : `${key}\0${site.serversKey}`
}

/** The keys of the parts that the mail belongs to. */
export function partKeys(mail: PathMail): string[] {
  const { whole, servers, company, companyToServers, sendingDomain, pair } = partsOf(mail)
  const keys = [whole.key, company.key, sendingDomain.key]
  if (servers !== whole) keys.push(servers.key, companyToServers.key)
  // A transaction with several domains finds out about each of them.
  if (mail.recipients.every(({ domain }) => domain === pair.to)) keys.push(pair.key)
  return keys
}

function ofCompany(whole: PathPart, companyId: string): PathPart {
  return { ...whole, key: companyKey(whole.key, companyId), companyId }
}

/** The key of the company's part of the whole with this key. */
export function companyKey(key: string, companyId: string): string {
  return `${key}\0company:${companyId}`
}

/** The company (id) whose part the key is of; null: the part is not that of one company. */
export function companyIn(key: string): string | null {
  return /\0company:([^\0]+)$/.exec(key)?.[1] ?? null
}

/** The key of the path in the key of one of its parts: source, site and policy. */
export function pathKeyOf(key: string): string {
  return key.split('\0', 3).join('\0')
}
