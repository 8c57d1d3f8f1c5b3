import { ROLES } from '../../../people/person.ts'

const OPTIONAL_TEXT = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const

/** Who has signed in, and what he may see. */
export const ME = {
  type: 'object',
  additionalProperties: false,
  required: ['person', 'session', 'companies', 'installation'],
  properties: {
    person: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'address', 'name', 'operator', 'password', 'totp', 'passkeys', 'identities'],
      properties: {
        id: { type: 'string' },
        address: OPTIONAL_TEXT,
        name: { type: 'string' },
        operator: { type: 'boolean' },
        password: { type: 'boolean', description: 'One is set.' },
        totp: { type: 'boolean' },
        passkeys: { type: 'integer' },
        identities: { type: 'integer', description: 'Accounts of an OpenID Connect provider.' },
      },
    },
    session: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'way'],
      properties: { id: { type: 'string' }, way: { type: 'string' } },
    },
    companies: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name', 'role'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          role: { enum: ['operator', ...ROLES] },
        },
      },
    },
    installation: {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'delivery', 'url', 'smtp'],
      properties: {
        version: { type: 'string' },
        delivery: { enum: ['capture', 'direct', 'relay'] },
        url: { type: 'string', description: 'Where clients reach the service.' },
        smtp: {
          type: 'array',
          description: 'Where it takes mail over SMTP.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['host', 'port', 'security'],
            properties: {
              host: { type: 'string' },
              port: { type: 'integer' },
              security: {
                enum: ['tls', 'starttls', 'none'],
                description: 'TLS from the start, by STARTTLS, or none at all.',
              },
            },
          },
        },
      },
    },
  },
} as const

/** What signs people in here, beside passwords and passkeys. */
export const SIGN_IN_WAYS = {
  type: 'object',
  additionalProperties: false,
  required: ['openid'],
  properties: {
    openid: {
      description: 'The host of the OpenID Connect provider; null: there is none.',
      ...OPTIONAL_TEXT,
    },
  },
} as const

export const PASSWORD = {
  type: 'object',
  additionalProperties: false,
  required: ['address', 'password'],
  properties: {
    address: { type: 'string', maxLength: 300 },
    password: { type: 'string', maxLength: 1_000 },
  },
} as const

/** The password was right; a code of the authenticator app is still to come. */
export const SECOND_STEP = {
  type: 'object',
  additionalProperties: false,
  required: ['ticket'],
  properties: { ticket: { type: 'string', description: 'To be given back with the code.' } },
} as const

export const SECOND_FACTOR = {
  type: 'object',
  additionalProperties: false,
  required: ['ticket', 'code'],
  properties: {
    ticket: { type: 'string', maxLength: 1_000 },
    code: { type: 'string', maxLength: 100, description: 'Of the authenticator app, or a recovery code.' },
  },
} as const

export const OPENID_START = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: { url: { type: 'string' } },
} as const

export const OPENID_RETURN = {
  type: 'object',
  additionalProperties: false,
  required: ['query'],
  properties: {
    query: { type: 'string', maxLength: 8_000, description: 'Of the address, without its `?`.' },
  },
} as const

export const LINK = {
  type: 'object',
  additionalProperties: false,
  required: ['token'],
  properties: { token: { type: 'string', maxLength: 100 } },
} as const

export const DONE = { type: 'object', additionalProperties: false, properties: {} } as const
