/** Organizations by the Public Suffix List. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
/** Loaded at the first use: it brings the list, which takes 11 MB and 70 ms. */
const tldts = (): typeof import('tldts') => require('tldts')

/**
 * The domain that an organization has registered (`example.co.uk`); the name itself when the list knows no more.
 * Suffixes below a TLD (`asso.fr`, `github.io`) count as well, because the domains below them belong to different
 * people.
 */
export function organizationOf(name: string): string {
  return tldts().getDomain(name, { allowPrivateDomains: true }) ?? name
}

/** Whether a host belongs to the owner of a domain. All names below the domain do, whatever the list says. */
export function isInOrganization(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`) || organizationOf(host) === organizationOf(domain)
}
