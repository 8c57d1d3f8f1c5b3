/** Sending domains of a service that asks a DNS server which the test writes, at times of the test. */
import assert from 'node:assert/strict'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import type { Settings } from '../../src/config/settings.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import type { DomainChecksParts } from '../../src/operate/check-rounds.ts'
import { DomainChecks } from '../../src/operate/domain-checks.ts'
import { operationOn } from '../../src/operate/open.ts'
import { SetupChecks } from '../../src/operate/setup-checks.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { type Service, startService } from '../support/service.ts'

export class CheckedDomains implements AsyncDisposable {
  readonly dns: FakeDns
  readonly service: Service
  readonly company: string

  private constructor(dns: FakeDns, service: Service, company: string) {
    this.dns = dns
    this.service = service
    this.company = company
  }

  static async start(settings: Partial<Settings>): Promise<CheckedDomains> {
    const dns = await startDns({})
    const service = await startService({ dnsServers: [dns.address], ...settings })
    return new CheckedDomains(dns, service, (await service.company()).id)
  }

  /** Removes all domains and records. */
  async clear(): Promise<void> {
    const { service } = this
    this.clearRecords()
    const { domains } = await service.store.accounts()
    for (const { id } of domains) await service.store.removeDomain(id, Date.now())
  }

  clearRecords(): void {
    const { zone } = this.dns
    for (const name of Object.keys(zone)) delete zone[name]
  }

  readonly operation = async (now = Date.now()): Promise<Operation> => {
    const { settings, app, store } = this.service
    const op = operationOn(settings, store, OPERATOR, await store.accounts(), { seal: app.seal })
    return { ...op, now: () => now }
  }

  /** A node that asks DNS at a time of the test. Returns its news. */
  readonly checksAt = async (now: number): Promise<string[]> => {
    const { parts, told } = this.#partsAt(await this.operation(now))
    await new DomainChecks(parts).checkDue()
    return told
  }

  /** The same for domains that wait for their first records. */
  readonly setupChecksAt = async (now: number): Promise<string[]> => {
    const { parts, told } = this.#partsAt(await this.operation(now))
    const checks = new SetupChecks(parts)
    await checks.takeDue()
    await checks.settled()
    return told
  }

  #partsAt(op: Operation): { parts: DomainChecksParts; told: string[] } {
    const told: string[] = []
    const parts: DomainChecksParts = {
      operation: () => op,
      onNews: ({ news }) => told.push(...news),
      onFault: (error) => assert.fail(String(error)),
    }
    return { parts, told }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
    await this.dns.close()
  }
}
