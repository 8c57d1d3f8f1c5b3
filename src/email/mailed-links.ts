/**
 * Links in the service's own mail that open an account or join a company. Members of the company that this mail belongs
 * to can read it. So the stored email has only an order, in the recipient's variables, and the token of the link is
 * made of it when the message is delivered: nobody but the recipient gets it.
 */
import { type Secrets, SignedTokens } from '../common/signed-tokens.ts'
import { UUID_OCTETS, uuidAt, uuidOctets } from '../mail/uuid.ts'

const KINDS = ['password', 'invitation'] as const
type LinkKind = (typeof KINDS)[number]

/** The recipient variables with the order, and with its token. */
const orderName = (kind: LinkKind) => `postroad:${kind}_order`
const tokenName = (kind: LinkKind) => `postroad:${kind}_token`

/** Stand for the token in the text of the email. */
export const PASSWORD_TOKEN = `%recipient.${tokenName('password')}%`
export const INVITATION_TOKEN = `%recipient.${tokenName('invitation')}%`

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
export function passwordVariables(order: PasswordOrder): Record<string, string> {
  return { [orderName('password')]: encoded(order).toString('base64url') }
}

export function invitationVariables(id: string): Record<string, string> {
  return { [orderName('invitation')]: uuidOctets(id).toString('base64url') }
}

export class LinkTokens {
  readonly #tokens: Readonly<Record<LinkKind, SignedTokens>>

  constructor(secrets: Secrets) {
    this.#tokens = {
      password: new SignedTokens(secrets, 'password links'),
      invitation: new SignedTokens(secrets, 'invitation links'),
    }
  }

  /** The variables of a recipient, with the token of each order among them. */
  withTokens(variables: Record<string, string>): Record<string, string> {
    const all = { ...variables }
    for (const kind of KINDS) {
      const order = variables[orderName(kind)]
      if (order !== undefined)
        all[tokenName(kind)] = this.#tokens[kind].token(Buffer.from(order, 'base64url'))
    }
    return all
  }

  /** The token of an invitation; the store finds the invitation by its hash. */
  ofInvitation(id: string): string {
    return this.#tokens.invitation.token(uuidOctets(id))
  }

  /** Null: this installation did not make the token. */
  parsePassword(token: string): PasswordOrder | null {
    const octets = this.#tokens.password.octetsIn(token)
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
