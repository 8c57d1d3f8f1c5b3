/** A person's own account. */
import { ROLES } from '../../../people/person.ts'
import { LINE, PASSAGE, WORD } from '../../bounds.ts'
import { ID, NAMED, object, orNull, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

const SHORT_TEXT = { type: 'string', maxLength: 1_000 } as const

export const ACCOUNT = object({
  recoveryCodes: { type: 'integer', description: 'Those that are left.' },
  passkeys: {
    type: 'array',
    items: object({
      id: TEXT,
      name: TEXT,
      createdAt: TIME,
      usedAt: TIME_OR_NULL,
    }),
  },
  identities: {
    type: 'array',
    description: 'Accounts of an OpenID Connect provider.',
    items: object({
      id: TEXT,
      provider: { type: 'string', description: 'Its host.' },
      address: TEXT_OR_NULL,
      createdAt: TIME_OR_NULL,
    }),
  },
  memberships: {
    type: 'array',
    items: object({
      company: NAMED,
      role: { enum: ROLES },
      confirmed: {
        type: 'boolean',
        description:
          'Confirmed by the holder of the address. Owners see the sign-ins of confirmed members only.',
      },
    }),
  },
  fresh: { type: 'boolean', description: 'Whether changes that require a fresh sign-in are possible now.' },
})

export const PROFILE_CHANGE = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: { name: { type: 'string', maxLength: 300 }, address: { type: 'string', maxLength: 300 } },
} as const

export const NEW_PASSWORD = object({ password: SHORT_TEXT })

export const TOTP_SETUP = object({
  secret: TEXT,
  uri: TEXT,
  ticket: TEXT,
})

export const TOTP_PROOF = object({ ticket: SHORT_TEXT, code: { type: 'string', maxLength: 100 } })

export const RECOVERY_CODES = object({ codes: { type: 'array', items: TEXT } })

export const SESSIONS = object({
  sessions: {
    type: 'array',
    items: object({
      id: TEXT,
      current: { type: 'boolean' },
      way: TEXT,
      address: TEXT,
      userAgent: TEXT,
      createdAt: TIME,
      seenAt: TIME,
    }),
  },
})

/** The options of WebAuthn, in the form that its library for browsers takes (W3C WebAuthn 3, 5.1.8). */
export const PASSKEY_OPTIONS = object({
  options: { type: 'object', additionalProperties: true, properties: {} },
})

/** The browser's response. The verification validates it strictly. */
const PASSKEY_RESPONSE = {
  type: 'object',
  required: ['id', 'rawId', 'response', 'type'],
  properties: {
    id: { type: 'string', maxLength: 2_000 },
    rawId: { type: 'string', maxLength: 2_000 },
    response: {
      type: 'object',
      properties: {
        clientDataJSON: PASSAGE,
        authenticatorData: PASSAGE,
        // Includes the certificates of the authenticator's manufacturer.
        attestationObject: { type: 'string', maxLength: 64 * 1024 },
        signature: PASSAGE,
        userHandle: orNull(LINE),
        transports: { type: 'array', maxItems: 20, items: WORD },
      },
    },
    type: { enum: ['public-key'] },
  },
} as const

export const NEW_PASSKEY = object({ name: { type: 'string', maxLength: 300 }, response: PASSKEY_RESPONSE })

export const PASSKEY_NAME = object({ name: { type: 'string', maxLength: 300 } })

export const PASSKEY_SIGN_IN = object({ response: PASSKEY_RESPONSE })

export const MEMBERSHIP_PARAMS = object({ id: ID })

export const ID_PARAMS = object({ id: { type: 'string', maxLength: 2_000 } })
