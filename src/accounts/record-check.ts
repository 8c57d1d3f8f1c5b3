/** A look at one record of a domain in DNS: who is asked, and the result. */
import type { DnsRecord } from './dns-records.ts'
import type { Judgement } from './judge-record.ts'
import type { SpfAnswer, SpfResolver } from './spf.ts'

/** Asks DNS. `failed` in its answers: DNS did not answer, which says nothing about a record. */
export interface RecordResolver extends SpfResolver {
  mx(name: string): Promise<SpfAnswer<{ exchange: string; preference: number }>>
  cname(name: string): Promise<SpfAnswer<string>>
}

export interface RecordCheck extends DnsRecord, Judgement {
  /** All values found under the name; of MX records as in a zone file, such as `10 mx.example.com`. */
  found: string[]
}
