/**
 * Whether a report without a valid return path comes from a server that handled the email. Anybody who got the email
 * knows its Message-ID, and could write a report about another recipient. So its author has to be a mail system of the
 * recipient's domain, of the server that took the email, of a parent of one of these, or of a domain that the operator
 * of the server writes reports with (`OPERATORS`). Not of a domain below it: that may be a customer's. And:
 *
 * - it has a DKIM signature (RFC 6376) of the author's domain or of a parent; or
 * - it came straight from the address of that server with an empty reverse path, as reports have (RFC 5321 4.5.5,
 *   RFC 3464 2). Users of the server can send from its address, but it gives them no such author. The address has to be
 *   public: a server in our own network may relay mail of anybody.
 */
import type { Lookup } from '../dns/lookup.ts'
import { organizationOf } from '../dns/organization.ts'
import { parseServer } from '../email/server-name.ts'
import { domainOf, isAtOrBelow } from '../mail/address/address-domain.ts'
import { isNear } from '../network/private-address.ts'
import type { AddressedRecipient } from '../store/store.ts'
import { WorkerDied } from '../workers/error.ts'
import { jobAt } from '../workers/job.ts'
import { SMALL, type Workers } from '../workers/workers.ts'
import { STRANGERS } from './arrived-mail.ts'
import { ProofPlaces } from './proof-places.ts'
import type { DkimReference } from './read-mail.ts'
import { keyForMail } from './signature-key.ts'
import type { SignatureCheck } from './verify-job.ts'

interface Operator {
  /** The domain of its servers. */
  servers: string
  /** Domains that it writes reports with, if they are no parents of its servers. */
  domains: readonly string[]
  /** Further addresses that it writes reports with, in addition to `SYSTEMS`. */
  authors?: readonly string[]
  /** Local parts of its systems at the domains of its customers. Users of its own domains could have them. */
  ofCustomers?: RegExp
}

/** Operators of large mail services. */
const OPERATORS: readonly Operator[] = [
  { servers: 'google.com', domains: ['googlemail.com', 'gmail.com'] },
  {
    servers: 'outlook.com',
    // Not onmicrosoft.com: every customer has a domain below it, and sends with any address there.
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'microsoft.com'],
    authors: ['staff@hotmail.com'],
    ofCustomers: /^microsoftexchange[0-9a-f]{32}$/i,
  },
  {
    servers: 'yahoodns.net',
    domains: ['yahoo.com', 'yahoo-inc.com', 'aol.com'],
    authors: ['feedback@arf.mail.yahoo.com'],
  },
  { servers: 'icloud.com', domains: ['icloud.com', 'apple.com', 'me.com'] },
]

/** Local parts of mail systems (RFC 2142 5, and that of servers), which users of no domain can have. */
const SYSTEMS = /^(?:mailer-daemon|postmaster|abuse)$/i

/** Looks up the records at a name, such as `selector._domainkey.example.com`. */
export type KeyLookup = (name: string) => Promise<Pick<Lookup<string>, 'kind'> & { records?: string[] }>

/** The author of a report, its signatures, and the client that handed it in. */
export interface ReportSource {
  emailId: string
  author: string
  signatures: readonly DkimReference[]
  /** Lower-case names of the fields that a signature has to cover. */
  covering: readonly string[]
  /** '' unless it came over SMTP from the empty reverse path. */
  peer: string
  /** The client, company or mailbox that it came from: each has few proofs at a time. */
  client: string
  /** The group of the client's address; null: unknown. */
  network: string | null
  raw: Uint8Array
}

const VERIFY = jobAt<SignatureCheck, string[]>(new URL('./verify-job.ts', import.meta.url))
/** The most DKIM keys that are looked up for one mail. */
const MOST_KEYS = 4
/** Ms for all keys: a question whose first answer was lost is asked again within them. */
const LOOKED_UP_WITHIN = 4_000
/** Ms for the whole proof. */
const PROVEN_WITHIN = 5_000

export interface Proof {
  /** The positions of the recipients for whom the source is proven. */
  positions: Set<number>
  /**
   * A signature could not be verified for now: DNS did not answer in time, or too many proofs are under way. Later it
   * may prove more.
   */
  unfinished: boolean
}

export class SourceProof {
  readonly #keys: KeyLookup
  readonly #workers: Workers | null
  readonly #places = new ProofPlaces()

  /** `workers`: null to verify on this thread. */
  constructor(keys: KeyLookup, workers: Workers | null) {
    this.#keys = keys
    this.#workers = workers
  }

  async prove(source: ReportSource, recipients: readonly AddressedRecipient[]): Promise<Proof> {
    const own = recipients.filter((recipient) => isSystemOf(recipient, source.author))
    const direct = own.filter((recipient) => isFromServer(source, recipient))
    const isSigned = direct.length < own.length ? await this.#isSigned(source) : false
    const proven = isSigned === true ? own : direct
    return { positions: new Set(proven.map(({ position }) => position)), unfinished: isSigned === null }
  }

  /** Whether the author's domain, or a parent of it, has signed the mail; null: for now nobody can tell. */
  async #isSigned(source: ReportSource): Promise<boolean | null> {
    const at = domainOf(source.author)
    const signatures = source.signatures.filter(({ domain }) => isWithin(at, domain))
    if (signatures.length === 0) return false
    const party = { ...source, organization: organizationOf(at) }
    const leave = this.#places.take(party)
    if (leave === null) return null
    using lookedUp = new ProofDeadline(LOOKED_UP_WITHIN)
    using proven = new ProofDeadline(PROVEN_WITHIN)
    const keys = new Map<string, string>()
    const looking = this.#lookUp(signatures, keys)
    // The place is kept for as long as the work lasts.
    const work: Promise<unknown>[] = [looking]
    try {
      const answered = (await lookedUp.of(looking)) === true
      if (!answered) this.#places.pause(party.organization)
      const verifying = this.#verifyWith(new Map(keys), source, signatures)
      work.push(verifying)
      const isValid = await proven.of(verifying)
      if (isValid === true) return true
      if (!answered || isValid === null) return null
      this.#places.failed(party)
      return false
    } finally {
      void Promise.allSettled(work).then(leave)
    }
  }

  /** Adds the keys as they are found. Whether DNS answered about all of them. */
  async #lookUp(signatures: readonly DkimReference[], keys: Map<string, string>): Promise<boolean> {
    const names = [...new Set(signatures.map(keyName))].slice(0, MOST_KEYS)
    const answered = names.map(async (name) => {
      const { kind, records } = await this.#keys(name)
      const made = signatures.filter((signature) => keyName(signature) === name)
      const identified = made.every(({ domain, signedFor }) => domain === signedFor)
      const key = keyForMail(records ?? [], identified)
      if (key !== null) keys.set(name, key)
      return kind !== 'failed'
    })
    return (await Promise.all(answered)).every(Boolean)
  }

  async #verifyWith(
    keys: SignatureCheck['keys'],
    { raw, covering }: ReportSource,
    signatures: readonly DkimReference[],
  ): Promise<boolean> {
    if (keys.size === 0) return false
    try {
      const valid = await this.#verify({ raw, keys, covering })
      return valid.some((domain) => signatures.some((signature) => signature.domain === domain))
    } catch (error) {
      if (error instanceof WorkerDied) return false
      throw error
    }
  }

  /**
   * Loads the verifier only when it is used. Its work is bounded, but no small task, of which others wait for the end.
   */
  async #verify(verification: SignatureCheck): Promise<string[]> {
    if (this.#workers === null) return await (await import('./verify-job.ts')).default(verification)
    const weight = Math.max(verification.raw.byteLength, SMALL + 1)
    return await this.#workers.run(VERIFY, verification, { company: STRANGERS, weight })
  }
}

const keyName = ({ selector, domain }: DkimReference) => `${selector}._domainkey.${domain}`

/** Whether a report is from the address of the server that took the email for this recipient. */
function isFromServer(
  { peer }: Pick<ReportSource, 'peer'>,
  { server }: Pick<AddressedRecipient, 'server'>,
): boolean {
  const address = server === null ? null : parseServer(server).address
  return address !== null && peer === address && !isNear(peer)
}

/** Whether this is an address with which mail systems that handle the mail of the recipient write reports. */
function isSystemOf(
  { address, server }: Pick<AddressedRecipient, 'address' | 'server'>,
  author: string,
): boolean {
  const local = author.slice(0, author.lastIndexOf('@'))
  const [domain, at] = [domainOf(address), domainOf(author)]
  const host = server === null ? null : parseServer(server).host
  const operator = OPERATORS.find(({ servers }) => host !== null && isWithin(host, servers))
  if (operator?.authors?.includes(author.toLowerCase())) return true
  const isOperators = operator?.domains.includes(at) ?? false
  if (SYSTEMS.test(local)) return isOperators || isWithin(domain, at) || (host !== null && isWithin(host, at))
  return !isOperators && at === domain && (operator?.ofCustomers?.test(local) ?? false)
}

/** Whether a name is the domain, or lies below it. Nobody signs for a top-level domain. */
function isWithin(name: string, domain: string): boolean {
  return domain.includes('.') && isAtOrBelow(name, domain)
}

/** Ms from now on. */
class ProofDeadline implements Disposable {
  readonly #timer: NodeJS.Timeout
  readonly #passed: Promise<null>

  constructor(ms: number) {
    const { promise, resolve } = Promise.withResolvers<null>()
    this.#passed = promise
    this.#timer = setTimeout(resolve, ms, null)
  }

  /** The result of the work; null when it did not end in time. */
  of<Result>(work: Promise<Result>): Promise<Result | null> {
    return Promise.race([work, this.#passed])
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
