/**
 * What is remembered between two steps of signing in, or of setting something up. It is sealed, ends soon and is kept
 * by whoever it is about, so that any node can go on with it and nothing piles up here.
 */
import { Seal, SealBroken } from '../accounts/seal.ts'

/** What each kind holds. */
export interface TicketKinds {
  /** The password was right; the second factor is still to come. */
  'second-factor': { personId: string; version: number }
  /** A secret that is shown, and counts once a code has proved that it was taken over. */
  totp: { personId: string; secret: string }
  /** What a passkey has to sign. `personId`: null at sign-in. */
  passkey: { challenge: string; personId: string | null; issuedAt: number }
  /** What the answer of an OpenID Connect provider is checked against. `personId`: null at sign-in. */
  oidc: { state: string; nonce: string; verifier: string; redirectUri: string; personId: string | null }
  /** A file of which this has come, as one entry of the audit list. */
  import: {
    personId: string
    company: string
    list: string
    file: string | undefined
    sum: { entry: number; added: number; present: number; bad: number }
  }
  /** A device on which these people have signed in before. */
  device: { id: string; people: string[] }
}
export type TicketKind = keyof TicketKinds

export class Tickets {
  readonly #key: () => Buffer
  #made: Seal | null = null

  /** @param key 32 octets for this purpose only; asked for when they are first needed */
  constructor(key: () => Buffer) {
    this.#key = key
  }

  get #seal(): Seal {
    this.#made ??= new Seal(this.#key())
    return this.#made
  }

  /** Text of letters, digits, `-` and `_`. `lasts`: ms. */
  issue<Kind extends TicketKind>(kind: Kind, held: TicketKinds[Kind], lasts: number, now: number): string {
    const octets = this.#seal.seal(Buffer.from(JSON.stringify({ held, until: now + lasts })), kind)
    return Buffer.from(octets).toString('base64url')
  }

  /** Null for what is no ticket of this kind, or has ended. */
  read<Kind extends TicketKind>(kind: Kind, ticket: string, now: number): TicketKinds[Kind] | null {
    try {
      const octets = this.#seal.open(Buffer.from(ticket, 'base64url'), kind)
      const { held, until } = JSON.parse(octets.toString()) as { held: TicketKinds[Kind]; until: number }
      return now < until ? held : null
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }
}
