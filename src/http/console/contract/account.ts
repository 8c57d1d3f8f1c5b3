/** What people see and change of themselves. */
const TIME = { type: 'string', description: 'RFC 3339, in UTC.' } as const
const OPTIONAL_TIME = { anyOf: [TIME, { type: 'null' }] } as const
const TEXT = { type: 'string', maxLength: 1_000 } as const

export const ACCOUNT = {
  type: 'object',
  additionalProperties: false,
  required: ['recoveryCodes', 'passkeys', 'identities', 'fresh'],
  properties: {
    recoveryCodes: { type: 'integer', description: 'Those that are left.' },
    passkeys: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name', 'createdAt', 'usedAt'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          createdAt: TIME,
          usedAt: OPTIONAL_TIME,
        },
      },
    },
    identities: { type: 'array', items: { type: 'string', description: 'The host of the provider.' } },
    fresh: { type: 'boolean', description: 'Whether what needs a fresh proof can be changed now.' },
  },
} as const

export const PROFILE_CHANGE = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: { name: { type: 'string', maxLength: 300 }, address: { type: 'string', maxLength: 300 } },
} as const

export const NEW_PASSWORD = {
  type: 'object',
  additionalProperties: false,
  required: ['password'],
  properties: { password: TEXT },
} as const

export const TOTP_SETUP = {
  type: 'object',
  additionalProperties: false,
  required: ['secret', 'uri', 'ticket'],
  properties: { secret: { type: 'string' }, uri: { type: 'string' }, ticket: { type: 'string' } },
} as const

export const TOTP_PROOF = {
  type: 'object',
  additionalProperties: false,
  required: ['ticket', 'code'],
  properties: { ticket: TEXT, code: { type: 'string', maxLength: 100 } },
} as const

export const RECOVERY_CODES = {
  type: 'object',
  additionalProperties: false,
  required: ['codes'],
  properties: { codes: { type: 'array', items: { type: 'string' } } },
} as const

export const SESSIONS = {
  type: 'object',
  additionalProperties: false,
  required: ['sessions'],
  properties: {
    sessions: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'current', 'way', 'address', 'userAgent', 'createdAt', 'seenAt'],
        properties: {
          id: { type: 'string' },
          current: { type: 'boolean' },
          way: { type: 'string' },
          address: { type: 'string' },
          userAgent: { type: 'string' },
          createdAt: TIME,
          seenAt: TIME,
        },
      },
    },
  },
} as const

/** What WebAuthn is asked with, as its library for browsers takes it (W3C WebAuthn 3, 5.1.8). */
export const PASSKEY_OPTIONS = {
  type: 'object',
  additionalProperties: false,
  required: ['options'],
  properties: { options: { type: 'object', additionalProperties: true, properties: {} } },
} as const

/** What the browser has answered. It is read strictly where it is verified. */
export const PASSKEY_RESPONSE = {
  type: 'object',
  additionalProperties: true,
  required: ['id', 'rawId', 'response', 'type'],
  properties: {
    id: { type: 'string', maxLength: 2_000 },
    rawId: { type: 'string', maxLength: 2_000 },
    response: { type: 'object', additionalProperties: true, properties: {} },
    type: { enum: ['public-key'] },
  },
} as const

export const NEW_PASSKEY = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'response'],
  properties: { name: { type: 'string', maxLength: 300 }, response: PASSKEY_RESPONSE },
} as const

export const PASSKEY_NAME = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 300 } },
} as const

export const PASSKEY_SIGN_IN = {
  type: 'object',
  additionalProperties: false,
  required: ['response'],
  properties: { response: PASSKEY_RESPONSE },
} as const

export const ID = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string', maxLength: 2_000 } },
} as const
