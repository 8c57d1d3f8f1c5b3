import { ALERT_KINDS, ROLES } from '../../../people/person.ts'
import { routes } from './route.ts'
import { DONE, INTEGER, object, orNull, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

const SMTP_ENDPOINT = object({
  host: TEXT,
  port: INTEGER,
  security: {
    enum: ['tls', 'starttls', 'none'],
    description: 'TLS from the start, by STARTTLS, or none at all.',
  },
  inbox: {
    description: 'The company that gets mail without a login; null: a login is required.',
    ...TEXT_OR_NULL,
  },
})

/** The person who has signed in, and the person's rights. */
export const ME = object({
  person: object({
    id: TEXT,
    address: TEXT_OR_NULL,
    name: TEXT,
    operator: { type: 'boolean' },
    password: { type: 'boolean', description: 'One is set.' },
    totp: { type: 'boolean' },
    passkeys: INTEGER,
    identities: { type: 'integer', description: 'Accounts of an OpenID Connect provider.' },
    alerts: { type: 'array', items: { enum: ALERT_KINDS } },
  }),
  session: object({ id: TEXT, way: TEXT }),
  companies: {
    type: 'array',
    items: object({
      id: TEXT,
      name: TEXT,
      logo: { ...TEXT_OR_NULL, description: 'Its digest.' },
      role: { enum: ['operator', ...ROLES] },
    }),
  },
  installation: object({
    version: TEXT,
    delivery: { enum: ['capture', 'direct', 'relay'] },
    mails: { type: 'boolean', description: 'It sends mail of its own to people.' },
    url: { type: 'string', description: 'Where clients reach the service.' },
    smtp: {
      type: 'array',
      description: 'Where it takes mail over SMTP.',
      items: SMTP_ENDPOINT,
    },
    smtpSuggestion: orNull(
      object({
        setting: { type: 'string', description: 'The one that turns SMTP on.' },
        note: {
          enum: ['certificate', 'open', null],
          description: 'It needs a certificate, or everybody who reaches the address can send.',
        },
        endpoint: SMTP_ENDPOINT,
      }),
    ),
  }),
})

/** Ways to sign in here, in addition to passwords and passkeys. */
const SIGN_IN_WAYS = object({
  openid: {
    description: 'The host of the OpenID Connect provider; null: there is none.',
    ...TEXT_OR_NULL,
  },
  forgotten: { type: 'boolean', description: 'It mails links for a new password.' },
})

const PASSWORD = object({
  address: { type: 'string', maxLength: 300 },
  password: { type: 'string', maxLength: 1_000 },
})

/** The password was right; the code of the authenticator app is still required. */
const SECOND_STEP = object({
  ticket: { type: 'string', description: 'To be given back with the code.' },
})

const SECOND_FACTOR = object({
  ticket: { type: 'string', maxLength: 1_000 },
  code: { type: 'string', maxLength: 100, description: 'Of the authenticator app, or a recovery code.' },
})

export const OPENID_START = object({ url: TEXT })

export const OPENID_RETURN = object({
  query: { type: 'string', maxLength: 8_000, description: 'Of the address, without its `?`.' },
})

const TOKEN = { type: 'string', maxLength: 100 } as const

const LINK = object({ token: TOKEN })

const LINK_USE = object(
  { token: TOKEN },
  {
    instead: {
      type: 'boolean',
      description:
        'End the session of another person in this browser; without it, the link is refused there.',
    },
  },
)

export const LINK_CONTENT = object({
  kind: { enum: ['invitation', 'sign-in'] },
  name: { type: 'string', description: 'Who is invited, or who is signed in by it.' },
  invitation: orNull(
    object({
      company: TEXT,
      role: { enum: ROLES },
      inviter: { description: 'As the inviter was called then; null: an operator.', ...TEXT_OR_NULL },
      expiresAt: TIME,
    }),
  ),
  signedInAs: { description: 'Who has signed in in this browser; null: nobody.', ...TEXT_OR_NULL },
  isOwn: { type: 'boolean', description: 'The link is for the person who has signed in.' },
})

const FORGOTTEN = object({ address: { type: 'string', maxLength: 300 } })

/** The account that a link gives a new password to. */
const PASSWORD_LINK = object({
  address: TEXT_OR_NULL,
  secondFactor: { type: 'boolean', description: 'A code is needed, too.' },
})

const NEW_PASSWORD = object(
  { token: TOKEN, password: { type: 'string', maxLength: 1_000 } },
  {
    code: { type: 'string', maxLength: 100, description: 'Of the authenticator app, or a recovery code.' },
  },
)

export const SESSION_ROUTES = routes('person', {
  'GET /session': { operation: 'session_read', answer: ME },
  'DELETE /session': { operation: 'sign_out', answer: DONE },
})

export const SIGN_IN_ROUTES = routes('stranger', {
  'POST /session/password': { operation: 'sign_in', body: PASSWORD, answer: ME, pending: SECOND_STEP },
  'POST /session/second-factor': { operation: 'sign_in', body: SECOND_FACTOR, answer: ME },
})

export const LINK_ROUTES = routes('stranger', {
  'POST /session/link/read': { operation: 'link_read', body: LINK, answer: LINK_CONTENT },
  /** Signs in by a link, or accepts an invitation by its own; each works once. */
  'POST /session/link': { operation: 'sign_in', body: LINK_USE, answer: ME },
  'POST /session/link/decline': { operation: 'invitation_decline', body: LINK, answer: DONE },
})

export const NEW_PASSWORD_ROUTES = routes('stranger', {
  /** Mails a link, if there is such an account: the answer does not say. */
  'POST /session/forgotten': { operation: 'password_link', body: FORGOTTEN, answer: DONE },
  'POST /session/new-password/read': { operation: 'password_link_read', body: LINK, answer: PASSWORD_LINK },
  'POST /session/new-password': { operation: 'password_reset', body: NEW_PASSWORD, answer: ME },
})

export const OPENID_ROUTES = routes('stranger', {
  'GET /session/ways': { operation: 'sign_in_ways', answer: SIGN_IN_WAYS },
  'POST /session/oidc': { operation: 'openid_begin', answer: OPENID_START },
  'POST /session/oidc/return': { operation: 'sign_in', body: OPENID_RETURN, answer: ME },
})
