/** People of the console, their sessions, links and invitations, and the audit list. */
import type { AttemptLane } from '../people/attempts.ts'
import type {
  AuditEntry,
  AuditTopic,
  ConsoleSession,
  Credentials,
  Invitation,
  NewAuditEntry,
  Person,
  Role,
  SignInLink,
} from '../people/person.ts'

/** An absent field stays as it is. */
export interface PersonChange extends Partial<Pick<Person, 'address' | 'alerts' | 'name' | 'operator'>> {
  credentials?: Credentials
  /** All memberships become unconfirmed. */
  doubtMemberships?: true
}

/** The person who accepts an invitation: a new one, or the holder of an account. */
export type Invitee = { newPerson: Person } | { personId: string }

export interface AuditFilter {
  /** Null: entries of all companies, and of the installation. */
  companyId: string | null
  /** Only entries with a lower number. */
  before?: number | undefined
  /** Only entries with a higher number. */
  after?: number | undefined
  /** The actor, by name as it was then. */
  actor?: string | undefined
  action?: string | undefined
  topic?: AuditTopic | undefined
  /** Unix ms: not before this. */
  from?: number | undefined
  /** Unix ms: before this. */
  to?: number | undefined
  limit: number
}

export interface PeopleStore {
  /**
   * Adds a person with memberships. An account that has the address and gives way (people/person.ts) is removed in the
   * same commit. StoreConflict when another account has the address or the identity at a provider, or when a company is
   * unknown.
   */
  addPerson(person: Person): Promise<void>
  /** Null when there is none. */
  findPerson(by: { id: string } | { address: string }): Promise<Person | null>
  /** Finds a person by the `iss` and `sub` of an identity at a provider. */
  findPersonByIdentity(issuer: string, subject: string): Promise<Person | null>
  /** The people of a company, or all; the oldest first. */
  people(companyId: string | null): Promise<Person[]>
  /**
   * Changes the person if the version is still the same, and raises the version. False: the person was changed since,
   * or no longer exists. StoreConflict when another account has the address and does not give way, when another account
   * has the identity, and when the last operator would lose that role. Invitations by somebody who is no longer an
   * operator end in the same commit, which also adds `noted`.
   */
  updatePerson(
    id: string,
    version: number,
    change: PersonChange,
    noted?: readonly NewAuditEntry[],
  ): Promise<boolean>
  /**
   * Removes the person with sessions, links, memberships and the invitations that the person made. False when there is
   * none. StoreConflict for the last operator.
   */
  removePerson(id: string): Promise<boolean>
  /**
   * Sets a person's role in a company; null ends the membership. False when there is no such person or company. Raises
   * the person's version. `keepOwner`: StoreConflict when the company would be left without an owner. Invitations by
   * somebody who is no longer an owner of the company, and no operator, end in the same commit.
   */
  setMembership(
    personId: string,
    companyId: string,
    role: Role | null,
    options?: { keepOwner: boolean },
  ): Promise<boolean>

  /**
   * Confirms a membership at the person's request. False when there is no such membership. Raises the person's version.
   */
  confirmMembership(personId: string, companyId: string): Promise<boolean>

  /** StoreConflict when there is no such person. `noted`: entries for the audit list, added in the same commit. */
  addSession(session: ConsoleSession, tokenHash: Uint8Array, noted?: readonly NewAuditEntry[]): Promise<void>
  /** The session, with its person as of now. Null: there is none, or it has expired. */
  findSession(tokenHash: Uint8Array, now: number): Promise<{ session: ConsoleSession; person: Person } | null>
  /** Records that the session is in use, so that it does not end before `expiresAt`. */
  touchSession(id: string, seenAt: number, expiresAt: number): Promise<void>
  /** Sessions that have not expired, the most recently used first. */
  sessions(personId: string, now: number): Promise<ConsoleSession[]>
  /**
   * Ends one of the person's sessions, or all but `except`; the latter also removes the person's sign-in links. Returns
   * the number of sessions ended. If there was one, `noted` is added in the same commit.
   */
  endSessions(
    personId: string,
    which: { id: string } | { except: string | null },
    noted?: readonly NewAuditEntry[],
  ): Promise<number>

  /** StoreConflict when there is no such person. */
  addLink(link: SignInLink, tokenHash: Uint8Array): Promise<void>
  /** The person of the link. Null: there is none, it was used, or has expired. */
  findLink(tokenHash: Uint8Array, now: number): Promise<string | null>
  /**
   * Takes the link and returns its person. Null: there is none, it was used, or has expired. Of several callers, one
   * gets it.
   */
  takeLink(tokenHash: Uint8Array, now: number): Promise<string | null>
  /**
   * Replaces the address's earlier invitation to this company. StoreConflict when there is no such company, or the
   * inviter is neither an operator nor an owner of it.
   */
  addInvitation(invitation: Invitation, tokenHash: Uint8Array): Promise<void>
  /** Invitations to a company, or to all, that expire after this time; the oldest first. */
  invitations(companyId: string | null, after: number): Promise<Invitation[]>
  /** Null: there is none, it was used, its inviter has lost the right, or it has expired. */
  findInvitation(tokenHash: Uint8Array, now: number): Promise<Invitation | null>
  /** Takes the invitation. Null as for `findInvitation`. Of several callers, one gets it. */
  takeInvitation(tokenHash: Uint8Array, now: number): Promise<Invitation | null>
  /**
   * Takes the invitation and, in the same commit, makes the accepter a member of its company. A new person is added as
   * by addPerson, with the same conflicts; after a conflict the invitation stays.
   */
  acceptInvitation(tokenHash: Uint8Array, now: number, accepter: Invitee): Promise<Invitation | null>
  /** False when the company has no such invitation. */
  removeInvitation(companyId: string, id: string): Promise<boolean>

  /**
   * Counts an attempt in all of these lanes, in one commit and for all nodes together. Returns the ms that the attempt
   * has to wait. If it is more than `longest`, the attempt is refused and not counted. `now`: Unix ms.
   */
  beginAttempt(lanes: readonly AttemptLane[], now: number, longest: number): Promise<number>
  /** Takes back the count of an attempt in these lanes. */
  takeBackAttempt(lanes: readonly AttemptLane[]): Promise<void>

  /**
   * Removes expired sessions, links, invitations, lanes of attempts and policies of MTA-STS, at most `limit` of each.
   * Returns the number removed.
   */
  forgetExpired(now: number, limit: number): Promise<number>

  /**
   * Adds an entry before its action is carried out. Returns its number; numbers rise. The newest ten thousand entries
   * of each topic are kept for each company, and for the installation. StoreConflict when there is no such company.
   */
  addAudit(entry: NewAuditEntry): Promise<number>
  /**
   * Completes the entry of an action that was carried out. Null: the action was not carried out, and the entry is
   * removed.
   */
  settleAudit(number: number, done: Pick<AuditEntry, 'target' | 'detail' | 'companyId'> | null): Promise<void>
  /** The newest first. */
  audit(filter: AuditFilter): Promise<AuditEntry[]>
}
