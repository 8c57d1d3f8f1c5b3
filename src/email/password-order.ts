/**
 * Links for a new password, in the service's own mail. Such a link opens an account, and members of the company that
 * this mail belongs to can read it. So the stored email has only an order, in the recipient's variables. The token of
 * the link is made from the order when the message is delivered, so that only the recipient gets it.
 */
import { type Secrets, SignedTokens } from '../common/signed-tokens.ts'
import { UUID_OCTETS, uuidAt, uuidOctets } from '../mail/uuid.ts'

/** The purpose for which the secret of these tokens is derived. */
const PURPOSE = 'password links'

/** The recipient variables with the order, and with its token. */
const ORDER = 'postroad:password_order'
const TOKEN = 'postroad:password_token'

/** Stands for the token in the text of the email. */
export const PASSWORD_TOKEN = `%recipient.${TOKEN}%`

export interface PasswordOrder {
  personId: string
  /** Changes with the password and the address of the account. */
  fingerprint: Uint8Array
  /** Unix ms. */
  expiresAt: number
}

export const FINGERPRINT_OCTETS = 16
const EXPIRY = 6
const OCTETS = UUID_OCTETS + EXPIRY + FINGERPRINT_OCTETS

/** The recipient's variables of the email. */
export function orderVariables(order: PasswordOrder): Record<string, string> {
  return { [ORDER]: encoded(order).toString('base64url') }
}

export class PasswordTokens {
  readonly #tokens: SignedTokens

  constructor(secrets: Secrets) {
    this.#tokens = new SignedTokens(secrets, PURPOSE)
  }

  /** The variables of a recipient, with the token if there is an order for one. */
  withToken(variables: Record<string, string>): Record<string, string> {
    const order = variables[ORDER]
    if (order === undefined) return variables
    return { ...variables, [TOKEN]: this.#tokens.token(Buffer.from(order, 'base64url')) }
  }

  /** Null: this installation did not make the token. */
  parse(token: string): PasswordOrder | null {
    const octets = this.#tokens.octetsIn(token)
    return octets?.length === OCTETS ? decoded(octets) : null
  }
}

function encoded({ personId, fingerprint, expiresAt }: PasswordOrder): Buffer {
  const expiry = Buffer.alloc(EXPIRY)
  expiry.writeUIntBE(expiresAt, 0, EXPIRY)
  return Buffer.concat([uuidOctets(personId), expiry, fingerprint])
}

function decoded(octets: Buffer): PasswordOrder {
  return {
    personId: uuidAt(octets),
    expiresAt: octets.readUIntBE(UUID_OCTETS, EXPIRY),
    fingerprint: octets.subarray(UUID_OCTETS + EXPIRY),
  }
}
