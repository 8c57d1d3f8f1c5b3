/**
 * Looks up the keys of the signatures of a mail, and verifies them in a worker. Strangers choose both: so the work for
 * one mail, and the number of mails under way, have limits.
 */
import type { Lookup } from '../dns/lookup.ts'
import { WorkerDied, WorkersBusy } from '../workers/error.ts'
import { jobAt } from '../workers/job.ts'
import { SMALL, type TaskOptions, type Workers } from '../workers/workers.ts'
import { type ProofParty, ProofPlaces } from './proof-places.ts'
import type { DkimReference } from './read-mail.ts'
import { keyForMail } from './signature-key.ts'
import type { SignatureCheck } from './verify-job.ts'

/** Looks up the records at a name, such as `selector._domainkey.example.com`. */
export type KeyLookup = (name: string) => Promise<Pick<Lookup<string>, 'kind'> & { records?: string[] }>

/** A mail with signatures, and the client that handed it in. */
export interface SignedMail {
  signatures: readonly DkimReference[]
  /** Lower-case names of the fields that a signature has to cover. */
  covering: readonly string[]
  /** The client, company or mailbox that it came from: each has few proofs at a time. */
  client: string
  /** The network of the client, or the company that handed the mail in; null: unknown. */
  network: string | null
  /** The company that handed it in, in whose turns it is verified; null: it came over SMTP or from a mailbox. */
  company: string | null
  raw: Uint8Array
}

/** The company in whose turns strangers' mail is verified: it does not wait behind large mail. */
const PROOFS = 'inbound proofs'
const VERIFY = jobAt<SignatureCheck, string[]>(new URL('./verify-job.ts', import.meta.url))
/** The most DKIM keys that are looked up for one mail. */
const MAX_KEYS = 4
/** Ms for all keys: a question whose first answer was lost is asked again within them. */
const LOOKED_UP_WITHIN = 4_000
/** Ms for the whole proof. */
const PROVEN_WITHIN = 5_000

export class MailSignatures {
  readonly #keys: KeyLookup
  readonly #workers: Workers | null
  readonly #places = new ProofPlaces()

  /** `workers`: null to verify on this thread. */
  constructor(keys: KeyLookup, workers: Workers | null) {
    this.#keys = keys
    this.#workers = workers
  }

  /**
   * Whether one of these signatures of the mail is valid; null: unknown for now, and worth another try. `organization`:
   * the one of all their domains. `subject`: what the mail is about; a network may send a limited number of invalid
   * signatures about each subject.
   */
  async haveValid(
    mail: SignedMail,
    signatures: readonly DkimReference[],
    { organization, subject }: Pick<ProofParty, 'organization' | 'subject'>,
  ): Promise<boolean | null> {
    const party = { client: mail.client, network: mail.network, organization, subject }
    const names = [...new Set(signatures.map(keyName))].slice(0, MAX_KEYS)
    const unanswered = new Set(names.filter((name) => !this.#places.isSilent(name)))
    const skipsNames = unanswered.size < names.length
    const leave = unanswered.size === 0 ? null : this.#places.take(party)
    if (leave === null) return null
    using lookedUp = new ProofDeadline(LOOKED_UP_WITHIN)
    using proven = new ProofDeadline(PROVEN_WITHIN)
    const keys = new Map<string, string>()
    const looking = this.#lookUp(unanswered, signatures, keys)
    // The place is kept for as long as the work lasts.
    const work: Promise<unknown>[] = [looking]
    try {
      await lookedUp.of(looking)
      if (unanswered.size > 0) this.#places.unanswered(party, unanswered)
      const answered = unanswered.size === 0 && !skipsNames
      const verifying = this.#verifyWith(new Map(keys), mail, signatures)
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

  /** Adds the keys that DNS has for the names, and removes each name that DNS has answered from `unanswered`. */
  async #lookUp(
    unanswered: Set<string>,
    signatures: readonly DkimReference[],
    keys: Map<string, string>,
  ): Promise<void> {
    const lookups = [...unanswered].map(async (name) => {
      const { kind, records } = await this.#keys(name)
      const made = signatures.filter((signature) => keyName(signature) === name)
      const identified = made.every(({ domain, signedFor }) => domain === signedFor)
      const key = keyForMail(records ?? [], identified)
      if (key !== null) keys.set(name, key)
      if (kind !== 'failed') unanswered.delete(name)
    })
    await Promise.all(lookups)
  }

  /** Null: the workers are too busy. */
  async #verifyWith(
    keys: SignatureCheck['keys'],
    { raw, covering, client, company }: SignedMail,
    signatures: readonly DkimReference[],
  ): Promise<boolean | null> {
    if (keys.size === 0) return false
    try {
      const turn = { company: company ?? PROOFS, party: client }
      const valid = await this.#verify({ raw, keys, covering }, turn)
      return valid.some((domain) => signatures.some((signature) => signature.domain === domain))
    } catch (error) {
      if (error instanceof WorkerDied) return false
      if (error instanceof WorkersBusy) return null
      throw error
    }
  }

  /**
   * Loads the verifier only when it is used. Its work is bounded, but too long for a small task, which others wait for.
   */
  async #verify(
    verification: SignatureCheck,
    turn: Pick<TaskOptions, 'company' | 'party'>,
  ): Promise<string[]> {
    if (this.#workers === null) return await (await import('./verify-job.ts')).default(verification)
    const weight = Math.max(verification.raw.byteLength, SMALL + 1)
    return await this.#workers.run(VERIFY, verification, { ...turn, weight })
  }
}

const keyName = ({ selector, domain }: DkimReference) => `${selector}._domainkey.${domain}`

/** A time limit in ms that begins now. */
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
