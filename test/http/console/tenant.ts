/** A company with people of every role, and objects of its own for each call that needs one. */
import { randomUUIDv7 } from 'node:crypto'
import type { Company } from '../../../src/accounts/account.ts'
import { OPERATOR } from '../../../src/operate/authority.ts'
import { addDkimKey } from '../../../src/operate/dkim-keys.ts'
import { rotateDkimKey } from '../../../src/operate/dkim-rotation.ts'
import { activateDomain, addDomain } from '../../../src/operate/domains.ts'
import { operationOn } from '../../../src/operate/open.ts'
import { setRoute } from '../../../src/operate/routes.ts'
import { addSuppression } from '../../../src/operate/suppressions.ts'
import { invite } from '../../../src/operate/team.ts'
import type { Operation } from '../../../src/operate/verb.ts'
import { addWebhook } from '../../../src/operate/webhooks.ts'
import type { Role } from '../../../src/people/person.ts'
import type { Service } from '../../support/service.ts'
import { Visitor } from './visitor.ts'

export class Tenant {
  readonly service: Service
  readonly company: Company
  /** Which may send. */
  readonly domain: { id: string; name: string }

  static async make(service: Service, name: string): Promise<Tenant> {
    const company = await service.company(name)
    const domain = await service.domain(company.id, `${name.toLowerCase()}.example`)
    return new Tenant(service, company, domain)
  }

  private constructor(service: Service, company: Company, domain: Tenant['domain']) {
    this.service = service
    this.company = company
    this.domain = domain
  }

  /** A new person who belongs to it, and has signed in. */
  visitor(role: Role): Promise<Visitor> {
    return Visitor.signIn(this.service, [{ companyId: this.company.id, role }])
  }

  async member(): Promise<string> {
    return (await this.visitor('viewer')).person.id
  }

  async invitation(): Promise<string> {
    const asked = { company: this.company.id, address: newAddress(), role: 'viewer' as const }
    return (await invite(await this.operation(), asked)).invitation.id
  }

  async key(): Promise<string> {
    return (await this.service.key(this.company.id)).id
  }

  /** Id of a domain of its own that nothing else depends on. */
  async otherDomain(): Promise<string> {
    const op = await this.operation()
    const { domain } = await addDomain(op, { company: this.company.id, name: newDomainName() })
    await this.service.app.refreshAccounts()
    return domain.id
  }

  /** Selector of a DKIM key of its domain. */
  async selector(): Promise<string> {
    const selector = `s${randomUUIDv7()}`
    const domain = await this.otherDomain()
    await addDkimKey(await this.operation(), { domain, selector })
    await this.service.app.refreshAccounts()
    return `${domain}/${selector}`
  }

  /** Its domain that sends. */
  async sendingDomain(): Promise<string> {
    const domain = await this.otherDomain()
    await activateDomain(await this.operation(), { domain })
    await this.service.app.refreshAccounts()
    return domain
  }

  /** Its domain whose next DKIM key waits for DNS. */
  async rotatingDomain(): Promise<string> {
    const domain = await this.sendingDomain()
    await rotateDkimKey(await this.operation(), { domain })
    await this.service.app.refreshAccounts()
    return domain
  }

  async webhook(): Promise<string> {
    const op = await this.operation()
    const { webhook } = await addWebhook(op, { company: this.company.id, url: 'https://hook.example/' })
    return webhook.id
  }

  async suppression(): Promise<string> {
    const entry = { company: this.company.id, address: newAddress(), type: 'manual' as const }
    return (await addSuppression(await this.operation(), entry)).id
  }

  /** An email of it. */
  async email(more: object = {}): Promise<string> {
    const { token } = await this.service.key(this.company.id)
    const response = await fetch(`${this.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: `a@${this.domain.name}`, to: 'b@x.example', text: 'x', ...more }),
    })
    return ((await response.json()) as { id: string }).id
  }

  /** With a relay of its own. */
  async routed(domain?: string): Promise<void> {
    const of = domain === undefined ? { company: this.company.id } : { domain }
    await setRoute(await this.operation(), { ...of, url: 'smtp://relay.example' })
    await this.service.app.refreshAccounts()
  }

  /** An operator's. */
  async operation(): Promise<Operation> {
    const { settings, store, app } = this.service
    return operationOn(settings, store, OPERATOR, await store.accounts(), { seal: app.seal })
  }
}

export function newAddress(): string {
  return `${randomUUIDv7()}@people.example`
}

export function newDomainName(): string {
  return `d${randomUUIDv7()}.example`
}
