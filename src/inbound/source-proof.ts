/**
 * Whether a report without a valid return path comes from a server that handled the email. Anybody who got the email
 * knows its Message-ID, and could write a report about another recipient. So the report has to be written by a mail
 * system, and:
 *
 * - it has a DKIM signature (RFC 6376) of the domain in its From, and that domain is the recipient's, or that of the
 *   server that took the email for the recipient, or one that the operator of this server signs with (`SIGNERS`); or
 * - it came straight from the address of that server with an empty reverse path, as reports have (RFC 5321 4.5.5,
 *   RFC 3464 2), and its author is at such a domain. Users of the server can send from its address, but it gives them
 *   no such author. The address has to be public: a server in our own network may relay mail of anybody.
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

/**
 * Domains with which operators of large mail services sign reports, if they are not parent domains of the servers.
 * `authors`: further addresses that write reports, in addition to `SYSTEMS`.
 */
const SIGNERS: readonly { servers: string; domains: readonly string[]; authors?: readonly string[] }[] = [
  { servers: 'google.com', domains: ['googlemail.com', 'gmail.com'] },
  {
    servers: 'outlook.com',
    // Not onmicrosoft.com: every customer has a domain below it, and sends with any address there.
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'microsoft.com'],
    authors: ['staff@hotmail.com'],
  },
  {
    servers: 'yahoodns.net',
    domains: ['yahoo.com', 'yahoo-inc.com', 'aol.com'],
    authors: ['feedback@arf.mail.yahoo.com'],
  },
  { servers: 'icloud.com', domains: ['icloud.com', 'apple.com', 'me.com'] },
]

/**
 * Local parts of mail systems (RFC 2142 5, and those that servers use), which users of a domain cannot have.
 */
const SYSTEMS = /^(?:mailer-daemon|mail-daemon|postmaster|abuse|microsoftexchange[0-9a-f]{32})$/i

/** Whether an address is one that mail systems write reports with. */
function isSystemAuthor(address: string): boolean {
  if (SYSTEMS.test(address.slice(0, address.lastIndexOf('@')))) return true
  return SIGNERS.some(({ authors }) => authors?.includes(address.toLowerCase()))
}

/** Looks up the records at a name, such as `selector._domainkey.example.com`. */
export type KeyLookup = (name: string) => Promise<Pick<Lookup<string>, 'kind'> & { records?: string[] }>

/** The author of a report, its signatures, and the client that handed it in. */
export interface ReportSource {
  author: string
  signatures: readonly DkimReference[]
  /** Lower-case names of the fields that a signature has to cover. */
  covering: readonly string[]
  /** '' unless it came over SMTP from the empty reverse path. */
  peer: string
  /** The client, company or mailbox that it came from: each has few proofs at a time. */
  client: string
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

  /** `signed`: whether signatures may be verified; otherwise only the address of the client counts. */
  async prove(
    source: ReportSource,
    recipients: readonly AddressedRecipient[],
    { signed }: { signed: boolean },
  ): Promise<Proof> {
    if (!isSystemAuthor(source.author)) return { positions: new Set(), unfinished: false }
    const direct = recipients.filter((recipient) => isFromServer(source, recipient))
    const signatures =
      signed && direct.length < recipients.length ? provingSignatures(source, recipients) : []
    const signers = await this.#signers(source, signatures)
    const proven = recipients.filter((recipient) => signers?.some((signer) => speaksFor(signer, recipient)))
    return {
      positions: new Set([...direct, ...proven].map(({ position }) => position)),
      unfinished: signers === null,
    }
  }

  /** The domains whose signatures among these are valid; null: for now nobody can tell. */
  async #signers(source: ReportSource, signatures: readonly DkimReference[]): Promise<string[] | null> {
    if (signatures.length === 0) return []
    // The author is at or below each of the domains that sign, so all of them are of one organization.
    const organization = organizationOf(domainOf(source.author))
    const leave = this.#places.take(organization, source.client)
    if (leave === null) return null
    using lookedUp = new ProofDeadline(LOOKED_UP_WITHIN)
    using proven = new ProofDeadline(PROVEN_WITHIN)
    const keys = new Map<string, string>()
    const looking = this.#lookUp(signatures, keys)
    // The place is kept for as long as the work lasts.
    const work: Promise<unknown>[] = [looking]
    try {
      const answered = await lookedUp.of(looking)
      if (answered !== true) this.#places.pause(organization)
      const verifying = this.#verifyWith(new Map(keys), source, signatures)
      work.push(verifying)
      const signers = await proven.of(verifying)
      return answered === true || (signers !== null && signers.length > 0) ? signers : null
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
  ): Promise<string[]> {
    if (keys.size === 0) return []
    try {
      const valid = await this.#verify({ raw, keys, covering })
      return valid.filter((domain) => signatures.some((signature) => signature.domain === domain))
    } catch (error) {
      if (error instanceof WorkerDied) return []
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

/** The signatures that would prove the source, if they are valid. */
function provingSignatures(
  { author, signatures }: ReportSource,
  recipients: readonly AddressedRecipient[],
): DkimReference[] {
  const at = domainOf(author)
  return signatures.filter(
    ({ domain }) => isWithin(at, domain) && recipients.some((recipient) => speaksFor(domain, recipient)),
  )
}

/** Whether a report is from the address of the server that took the email for this recipient, and written by it. */
function isFromServer(
  { peer, author }: Pick<ReportSource, 'peer' | 'author'>,
  recipient: Pick<AddressedRecipient, 'address' | 'server'>,
): boolean {
  const address = recipient.server === null ? null : parseServer(recipient.server).address
  if (address === null || peer !== address || isNear(peer)) return false
  return speaksFor(domainOf(author), recipient)
}

/** Whether reports about this recipient may come from this domain: as their author, and as their signer. */
function speaksFor(
  signer: string,
  { address, server }: Pick<AddressedRecipient, 'address' | 'server'>,
): boolean {
  const domain = domainOf(address)
  if (isWithin(domain, signer) || isWithin(signer, domain)) return true
  if (server === null) return false
  const { host } = parseServer(server)
  if (isWithin(host, signer)) return true
  return SIGNERS.some(
    ({ servers, domains }) => isWithin(host, servers) && domains.some((own) => isWithin(signer, own)),
  )
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
