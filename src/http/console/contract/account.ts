/** A person's own account. */
import { ALERT_KINDS, ROLES } from '../../../people/person.ts'
import { LINE, PASSAGE, WORD } from '../../bounds.ts'
import { routes } from './route.ts'
import { ME, OPENID_RETURN, OPENID_START } from './session.ts'
import { DONE, NAMED, object, orNull, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

const SHORT_TEXT = { type: 'string', maxLength: 1_000 } as const

const ACCOUNT = object({
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

const PROFILE_CHANGE = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    name: { type: 'string', maxLength: 300 },
    address: { type: 'string', maxLength: 300 },
    alerts: { type: 'array', maxItems: ALERT_KINDS.length, items: { enum: ALERT_KINDS } },
  },
} as const

const NEW_PASSWORD = object({ password: SHORT_TEXT })

const TOTP_SETUP = object({
  secret: TEXT,
  uri: TEXT,
  ticket: TEXT,
})

const TOTP_PROOF = object({ ticket: SHORT_TEXT, code: { type: 'string', maxLength: 100 } })

const RECOVERY_CODES = object({ codes: { type: 'array', items: TEXT } })

const SESSIONS = object({
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
const PASSKEY_OPTIONS = object({
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

const NEW_PASSKEY = object({ name: { type: 'string', maxLength: 300 }, response: PASSKEY_RESPONSE })

const PASSKEY_NAME = object({ name: { type: 'string', maxLength: 300 } })

const PASSKEY_SIGN_IN = object({ response: PASSKEY_RESPONSE })

/** The id of a session, a passkey or an identity. */
const OWN_ID = { id: { type: 'string', maxLength: 2_000 } } as const

export const ACCOUNT_ROUTES = routes('person', {
  'GET /account': { operation: 'account_read', answer: ACCOUNT },
  'PATCH /account': { operation: 'account_change', body: PROFILE_CHANGE, answer: ME },
  /** The password once more, before a change that needs a fresh proof. */
  'POST /account/proof': { operation: 'account_proof', body: NEW_PASSWORD, answer: ME },
  /** Ends all other sessions. */
  'PUT /account/password': { operation: 'password_change', body: NEW_PASSWORD, answer: ME },
  'GET /account/sessions': { operation: 'sessions_list', answer: SESSIONS },
  'DELETE /account/sessions/:id': { operation: 'session_end', params: OWN_ID, answer: DONE },
  /** Ends all other sessions. */
  'DELETE /account/sessions': { operation: 'sessions_end', answer: DONE },
})

export const TOTP_ROUTES = routes('person', {
  'POST /account/totp': { operation: 'totp_begin', answer: TOTP_SETUP },
  'PUT /account/totp': { operation: 'totp_on', body: TOTP_PROOF, answer: RECOVERY_CODES },
  'DELETE /account/totp': { operation: 'totp_off', answer: DONE },
  'POST /account/recovery-codes': { operation: 'recovery_codes', answer: RECOVERY_CODES },
})

export const PASSKEY_ROUTES = {
  ...routes('stranger', {
    'POST /session/passkey/options': { operation: 'passkey_ask', answer: PASSKEY_OPTIONS },
    'POST /session/passkey': { operation: 'sign_in', body: PASSKEY_SIGN_IN, answer: ME },
  }),
  ...routes('person', {
    'POST /account/passkeys/options': { operation: 'passkey_begin', answer: PASSKEY_OPTIONS },
    'POST /account/passkeys': { operation: 'passkey_add', body: NEW_PASSKEY, answer: ME },
    'PATCH /account/passkeys/:id': {
      operation: 'passkey_rename',
      params: OWN_ID,
      body: PASSKEY_NAME,
      answer: DONE,
    },
    'DELETE /account/passkeys/:id': { operation: 'passkey_remove', params: OWN_ID, answer: DONE },
  }),
} as const

/** `id`: of the company. */
export const MEMBERSHIP_ROUTES = routes('person', {
  'POST /account/memberships/:id': { operation: 'membership_confirm', answer: DONE },
  'DELETE /account/memberships/:id': { operation: 'membership_leave', answer: DONE },
})

export const IDENTITY_ROUTES = routes('person', {
  'POST /account/identities/begin': { operation: 'identity_begin', answer: OPENID_START },
  'POST /account/identities': { operation: 'identity_connect', body: OPENID_RETURN, answer: ME },
  'DELETE /account/identities/:id': { operation: 'identity_remove', params: OWN_ID, answer: DONE },
})
