/**
 * Carries the state between two steps of signing in, or of setting something up. A ticket is sealed, expires soon and
 * is held by the client, so that any node can continue and nothing piles up here.
 */
import { Seal, SealError } from '../accounts/seal.ts'

/** The content of each kind of ticket. */
interface TicketKinds {
  /** The password was right; the second factor is still to come. */
  'second-factor': { personId: string; version: number }
  /** A secret that is shown, and takes effect once a code has proved that it was copied. */
  totp: { personId: string; secret: string }
  /** The challenge for a passkey. `personId`: null at sign-in. */
  passkey: { challenge: string; personId: string | null; issuedAt: number }
  /** The values that the answer of an OpenID Connect provider is checked against. `personId`: null at sign-in. */
  oidc: { state: string; nonce: string; verifier: string; redirectUri: string; personId: string | null }
  /** A file that is imported in parts, as one entry of the audit list. */
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

  /** @param key 32 octets for this purpose only; called when they are first needed */
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

  /** Null when it is not a ticket of this kind, or has expired. */
  readTicket<Kind extends TicketKind>(kind: Kind, ticket: string, now: number): TicketKinds[Kind] | null {
    try {
      const octets = this.#seal.open(Buffer.from(ticket, 'base64url'), kind)
      const { held, until } = JSON.parse(octets.toString()) as { held: TicketKinds[Kind]; until: number }
      return now < until ? held : null
    } catch (error) {
      if (error instanceof SealError) return null
      throw error
    }
  }
}
