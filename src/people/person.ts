/** People who use the console: their credentials, their memberships, and the changes that they have made. */

import { randomUUIDv7 } from 'node:crypto'

/**
 * A person's rights in a company.
 * - `viewer`: sees the company's emails and their status, and its setup.
 * - `developer`: also sends, and changes the company's domains, keys, webhooks and suppressions.
 * - `owner`: also manages its members.
 */
export const ROLES = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/**
 * The kinds of problem that the service can report to people by mail.
 * - `installation`: a check of the doctor; for operators.
 * - `domains`: DNS lacks records of a domain that sends.
 * - `webhooks`: a webhook fails.
 * - `rates`: many bounces or complaints.
 * - `waiting`: mail waits for an hour without being tried.
 */
export const ALERT_KINDS = ['installation', 'domains', 'webhooks', 'rates', 'waiting'] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export interface Membership {
  companyId: string
  role: Role
  /**
   * The membership was accepted before the account's address was verified, so the holder of the address may not have
   * accepted it, and has not confirmed it since.
   */
  unconfirmed?: true
}

export interface Person {
  id: string
  /**
   * The address to sign in with, in lower case; no two people have the same. Null: the first operator, before giving
   * one.
   */
  address: string | null
  /** The name shown to others; '' when none was given. */
  name: string
  /** Sees and changes everything of the installation. */
  operator: boolean
  createdAt: number
  /** Raised by every change of this object. */
  version: number
  credentials: Credentials
  /** The kinds of problem that are reported to the person by mail. */
  alerts: readonly AlertKind[]
  /** Sorted by company id. */
  memberships: Membership[]
}

/**
 * The ways to prove a person's identity. They are stored as one value that is replaced as a whole, so a used recovery
 * code is removed in the same write.
 */
export interface Credentials {
  /** Hash in PHC string format (password.ts); null: none is set. */
  password: string | null
  totp: TotpSecret | null
  /** Base64 of the SHA-256 of unused codes. */
  recoveryCodes: string[]
  passkeys: Passkey[]
  identities: Identity[]
}

/** An account at an identity provider (OpenID Connect Core 2: `iss` and `sub`). */
export interface Identity {
  issuer: string
  subject: string
  /** The address that the provider had verified when the account was connected; helps its owner to recognise it. */
  address?: string | null
  /** When it was connected. */
  createdAt?: number
}

interface TotpSecret {
  /** Sealed (accounts/seal.ts), in base64. */
  sealed: string
  /** Time step of the last accepted code, so that no code counts twice (RFC 6238 5.2); 0: none yet. */
  lastStep: number
}

/** A WebAuthn credential. */
export interface Passkey {
  /** Credential id in base64url. */
  id: string
  /** COSE key in base64url. */
  publicKey: string
  counter: number
  transports: string[]
  /** The name that its owner gave it. */
  name: string
  createdAt: number
  usedAt: number | null
}

export const NO_CREDENTIALS: Readonly<Credentials> = {
  password: null,
  totp: null,
  recoveryCodes: [],
  passkeys: [],
  identities: [],
}

/**
 * True when the account is known to belong to the holder of its address, because the identity provider has verified the
 * address.
 */
export function isProved({
  address,
  credentials: { identities },
}: Pick<Person, 'address' | 'credentials'>): boolean {
  return address !== null && identities.some((identity) => identity.address?.toLowerCase() === address)
}

/**
 * True when the account must make room for the holder of its address: the address is not verified, and the account
 * gives access to nothing. Otherwise somebody who opens another person's invitation could keep the address from its
 * holder for ever.
 */
export function givesWay(
  person: Pick<Person, 'address' | 'credentials' | 'operator' | 'memberships'>,
): boolean {
  return !person.operator && person.memberships.length === 0 && !isProved(person)
}

/** A new person with an id and the given fields; all other fields are empty. */
export function newPerson(createdAt: number, given: Partial<Person> = {}): Person {
  return {
    id: randomUUIDv7(),
    address: null,
    name: '',
    operator: false,
    createdAt,
    version: 0,
    credentials: NO_CREDENTIALS,
    alerts: [],
    memberships: [],
    ...given,
  }
}

/** How a session began. */
export type SignInWay = 'link' | 'password' | 'passkey' | 'oidc'

export interface ConsoleSession {
  /** Shown to its person. It is not the token in the cookie, of which only the hash is stored. */
  id: string
  personId: string
  way: SignInWay
  /** IP address and browser when the session began. */
  address: string
  userAgent: string
  /** Unix ms, as below. */
  createdAt: number
  /** Time of the last use, within some minutes. */
  seenAt: number
  expiresAt: number
}

/** A link that signs a person in, once. */
export interface SignInLink {
  personId: string
  createdAt: number
  expiresAt: number
}

/** An invitation to a company. Accepting it, by its link, makes a member of the company; the link works once. */
export interface Invitation extends Pick<Membership, 'companyId' | 'role'> {
  id: string
  /** In lower case; a company has at most one invitation for each address. */
  address: string
  /** The inviter. The invitation ends when the inviter loses the right to invite. Null: the command line. */
  inviterId: string | null
  /** The inviter's address or name at that time. */
  inviterName: string | null
  createdAt: number
  expiresAt: number
}

/** Milliseconds for which an expired invitation is kept, so that it can be renewed. */
export const INVITATION_RENEWABLE_MS = 30 * 24 * 60 * 60 * 1_000

/** The author of a change. */
export interface Actor {
  kind: 'person' | 'key' | 'command-line' | 'service'
  /** Id of the person or the key; null for others. */
  id: string | null
  /** The name at that time: a person's address, the name of a key, the user of the machine. */
  name: string
}

/** The companies that may see the person's sign-ins: those whose membership the person has confirmed. */
export function confirmedCompanies({ memberships }: Pick<Person, 'memberships'>): string[] {
  return memberships.flatMap(({ companyId, unconfirmed }) => (unconfirmed ? [] : [companyId]))
}

/** The subject of an entry: a change of settings, or how and when people sign in. */
export const AUDIT_TOPICS = ['change', 'session'] as const
export type AuditTopic = (typeof AUDIT_TOPICS)[number]

/** One change of settings, one sign-in or sign-out, or one change of a second factor. */
export interface AuditEntry {
  /** Rises with time. */
  number: number
  at: number
  /** Null: the entry concerns the installation. */
  companyId: string | null
  actor: Actor
  topic: AuditTopic
  /** The verb, e.g. `createKey`. */
  action: string
  /** The target of the action, for people: a name or an address. */
  target: string
  /** The given values, without secrets. */
  detail: Record<string, unknown>
  /** False: the action was begun, and it is not known whether it was carried out. */
  done: boolean
}

/** Added before its action, or in one commit with it. */
export type NewAuditEntry = Omit<AuditEntry, 'number' | 'done'>

/** The name for a person who has not given one yet. */
export function personName({ address, name }: Pick<Person, 'address' | 'name'>): string {
  return address ?? (name || 'the first operator')
}
