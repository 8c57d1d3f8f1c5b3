/** The check of one DNS record of a domain: the resolver that it needs, and its result. */
import type { DnsRecord } from './dns-records.ts'
import type { Judgement } from './judge-record.ts'
import type { SpfAnswer, SpfResolver } from './spf.ts'

/** Asks DNS. `failed` in its answers: DNS did not answer, which says nothing about a record. */
export interface RecordResolver extends SpfResolver {
  mx(name: string): Promise<SpfAnswer<{ exchange: string; preference: number }>>
  cname(name: string): Promise<SpfAnswer<string>>
}

export interface RecordCheck extends DnsRecord, Judgement {
  /**
   * The values found: those under the name, or the DMARC record of a domain above that applies. Values of MX records as
   * in a zone file, such as `10 mx.example.com`.
   */
  found: string[]
}
