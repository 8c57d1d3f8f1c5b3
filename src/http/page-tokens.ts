/**
 * Tokens for positions in lists, which clients return to continue there. They are sealed: the number of an event would
 * reveal the amount of mail of all companies, and a token that cannot be forged needs no further checks.
 */
import { Seal, SealError } from '../accounts/seal.ts'
import type { HttpDeps } from './deps.ts'

/** The purpose for which the secret of these tokens is derived. */
const PURPOSE = 'page tokens'

export class PageTokens {
  readonly #parts: Pick<HttpDeps, 'derive'>
  #seal: Seal | null = null

  constructor(parts: Pick<HttpDeps, 'derive'>) {
    this.#parts = parts
  }

  /** `place`: a JSON value. Only the same company can use the token. */
  tokenOf(companyId: string, place: unknown): string {
    const octets = this.#sealing().seal(Buffer.from(JSON.stringify(place)), contextOf(companyId))
    return Buffer.from(octets).toString('base64url')
  }

  /** Undefined when the text is not a token, or another company's. */
  placeOf(companyId: string, token: string): unknown {
    try {
      const octets = this.#sealing().open(Buffer.from(token, 'base64url'), contextOf(companyId))
      return JSON.parse(octets.toString()) as unknown
    } catch (error) {
      if (error instanceof SealError) return undefined
      throw error
    }
  }

  /** The seal is the same on every node, so that each node can read the tokens of all. */
  #sealing(): Seal {
    this.#seal ??= new Seal(this.#parts.derive(PURPOSE))
    return this.#seal
  }
}

function contextOf(companyId: string): string {
  return `page of ${companyId}`
}
