/** People who use the console: what they prove who they are with, what they belong to, and what they have changed. */

import { randomUUIDv7 } from 'node:crypto'

/**
 * What somebody may do in a company.
 * - `viewer`: sees what became of its mail, and what it has set up.
 * - `developer`: also sends, and changes what the company has: domains, keys, webhooks, suppressions.
 * - `owner`: also says who belongs to it.
 */
export const ROLES = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export interface Membership {
  companyId: string
  role: Role
  /**
   * It was accepted before anybody had proved to hold the account's address, so perhaps by another than its holder,
   * who has not confirmed it since.
   */
  unconfirmed?: true
}

export interface Person {
  id: string
  /** With which he signs in, in lower case; no two have the same. Null: the first operator, who has not said yet. */
  address: string | null
  /** As others see him; '' where he has not said. */
  name: string
  /** Sees and changes everything of the installation. */
  operator: boolean
  createdAt: number
  /** Raised by every change of what stands here. */
  version: number
  credentials: Credentials
  /** In the order of companies' ids. */
  memberships: Membership[]
}

/** With what somebody proves who he is. Kept as one value, that changes as a whole: a code that is used is gone. */
export interface Credentials {
  /** Hash in PHC string format (password.ts); null: none is set. */
  password: string | null
  totp: TotpSecret | null
  /** Base64 of SHA-256 of those that are not used yet. */
  recoveryCodes: string[]
  passkeys: Passkey[]
  identities: Identity[]
}

/** An account elsewhere (OpenID Connect Core 2: `iss` and `sub`). */
export interface Identity {
  issuer: string
  subject: string
  /** As the provider had verified it when it was connected; for its owner to tell it by. */
  address?: string | null
  /** When it was connected. */
  createdAt?: number
}

export interface TotpSecret {
  /** Sealed (accounts/seal.ts), in base64. */
  sealed: string
  /** Step of the last code that was taken, so that none counts twice (RFC 6238 5.2); 0: none yet. */
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
  /** What its owner calls it. */
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

/** Whether somebody has proved to hold the account's address: the provider has verified it. */
export function isProved({
  address,
  credentials: { identities },
}: Pick<Person, 'address' | 'credentials'>): boolean {
  return address !== null && identities.some((identity) => identity.address?.toLowerCase() === address)
}

/**
 * Whether the account makes room for the holder of its address: nobody has proved to hold it, and the account opens
 * nothing. Otherwise whoever opens an invitation meant for another would keep the address from its holder for ever.
 */
export function givesWay(
  person: Pick<Person, 'address' | 'credentials' | 'operator' | 'memberships'>,
): boolean {
  return !person.operator && person.memberships.length === 0 && !isProved(person)
}

/** Somebody who has nothing yet but an id, and what is given. */
export function newPerson(createdAt: number, given: Partial<Person> = {}): Person {
  return {
    ...{ id: randomUUIDv7(), address: null, name: '', operator: false, createdAt, version: 0 },
    ...{ credentials: NO_CREDENTIALS, memberships: [] },
    ...given,
  }
}

/** How a session began. */
export type SignInWay = 'link' | 'password' | 'passkey' | 'oidc'

export interface Session {
  /** Shown to its person. The token in the cookie is another, and only its hash is kept. */
  id: string
  personId: string
  way: SignInWay
  /** IP address and browser as they were when it began. */
  address: string
  userAgent: string
  /** Unix ms, as below. */
  createdAt: number
  /** When it was used last, give or take some minutes. */
  seenAt: number
  expiresAt: number
}

/** A link that signs somebody in, once. */
export interface SignInLink {
  personId: string
  createdAt: number
  expiresAt: number
}

/** An invitation to a company. Whoever accepts it, by its link, belongs to the company; the link works once. */
export interface Invitation extends Pick<Membership, 'companyId' | 'role'> {
  id: string
  /** In lower case; a company has one invitation of each address. */
  address: string
  /** The inviter. The invitation ends when the inviter may not invite any more. Null: the command line. */
  inviterId: string | null
  /** The inviter's address or name, as it was then. */
  inviterName: string | null
  createdAt: number
  expiresAt: number
}

/** Who changed something. */
export interface Actor {
  kind: 'person' | 'key' | 'command-line' | 'service'
  /** Of the person or the key; null for others. */
  id: string | null
  /** As it was then: a person's address, the name of a key, the user of the machine. */
  name: string
}

/** What an entry is of: a change of settings, or somebody who signs in or out. */
export const AUDIT_TOPICS = ['change', 'session'] as const
export type AuditTopic = (typeof AUDIT_TOPICS)[number]

/** One change of settings, or of who has signed in. */
export interface AuditEntry {
  /** Rises with time. */
  number: number
  at: number
  /** Null: it concerns the installation. */
  companyId: string | null
  actor: Actor
  topic: AuditTopic
  /** The verb, e.g. `createKey`. */
  action: string
  /** What it was done to, for people: a name or an address. */
  target: string
  /** What was given, without secrets. */
  detail: Record<string, unknown>
  /** False: it was begun, and whether it was done is not known. */
  done: boolean
}

/** Before it is done, or in one commit with it. */
export type NewAuditEntry = Omit<AuditEntry, 'number' | 'done'>

/** Who has not said yet how others are to see him. */
export function personName({ address, name }: Pick<Person, 'address' | 'name'>): string {
  return address ?? (name || 'the first operator')
}
