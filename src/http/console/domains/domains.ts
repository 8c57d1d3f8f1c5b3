/** Sending domains: the list, their settings, and the permission to send. */
import { domainToUnicode } from 'node:url'
import { delegateDkim } from '../../../operate/dkim-delegation.ts'
import {
  activateDomain,
  addDomain,
  listDomains,
  removeDomain,
  showDomain,
  suspendDomain,
  updateDomain,
} from '../../../operate/domains.ts'
import type { DOMAIN_ROUTES } from '../contract/domains.ts'
import { MAX_LISTED } from '../contract/shapes.ts'
import type { Handlers } from '../handlers.ts'
import { oneCompany } from '../one-company.ts'
import { domainJson, requireDomain, wholeDomainJson } from './domain-lookup.ts'

export const domainHandlers: Handlers<typeof DOMAIN_ROUTES> = {
  'GET /companies/:company/domains': async ({ op, company, query }) => {
    const all = await listDomains(op, company === null ? {} : { company })
    const search = query.search?.trim().toLowerCase().normalize() ?? ''
    const isFound = (name: string) => name.includes(search) || domainToUnicode(name).includes(search)
    const found = all
      .filter(({ name, sending }) => sending === (query.sending ?? sending) && isFound(name))
      .toSorted((a, b) => b.createdAt - a.createdAt)
    const domains = found.slice(0, MAX_LISTED).map((domain) => domainJson(op, domain))
    return { domains, total: found.length }
  },

  'POST /companies/:company/domains': async ({ op, company, body }) => {
    const { domain } = await addDomain(op, { company: oneCompany(company), ...body })
    return wholeDomainJson(op, domain)
  },

  'GET /companies/:company/domains/:domain': async ({ op, company, params }) => {
    requireDomain(op, company, params.domain)
    const { domain } = await showDomain(op, params)
    return wholeDomainJson(op, domain)
  },

  'PATCH /companies/:company/domains/:domain': async ({ op, company, params, body }) => {
    requireDomain(op, company, params.domain)
    for (const id of body.speaksFor ?? []) requireDomain(op, company, id)
    const { speaksFor, returnPath, contentRetention, delegated } = body
    if (delegated !== undefined) {
      const moved = await delegateDkim(op, { domain: params.domain, delegated })
      if (Object.keys(body).length === 1) return wholeDomainJson(op, moved)
    }
    const settings = {
      ...(returnPath !== undefined && { returnPath }),
      ...(contentRetention !== undefined && { contentRetention: contentRetention ?? 0 }),
    }
    const domain = await updateDomain(op, {
      domain: params.domain,
      ...(speaksFor && { speaksFor }),
      settings,
    })
    return wholeDomainJson(op, domain)
  },

  'PUT /companies/:company/domains/:domain/sending': async ({ op, company, params, body }) => {
    requireDomain(op, company, params.domain)
    const change = body.sending === 'active' ? activateDomain : suspendDomain
    return wholeDomainJson(op, await change(op, params))
  },

  'DELETE /companies/:company/domains/:domain': async ({ op, company, params }, core) => {
    requireDomain(op, company, params.domain)
    await removeDomain(op, params)
    // This node stops accepting mail from the domain now. Other nodes follow within a second.
    await core.deps.accounts.look()
    return {}
  },
}
