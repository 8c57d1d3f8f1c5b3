/** People of the console, their sessions, links and invitations, and the list of what was changed by whom. */
import type { AttemptLane } from '../people/attempts.ts'
import type {
  AuditEntry,
  AuditTopic,
  Credentials,
  Invitation,
  NewAuditEntry,
  Person,
  Role,
  Session,
  SignInLink,
} from '../people/person.ts'

/** An absent field stays as it is. */
export interface PersonChange extends Partial<Pick<Person, 'address' | 'name' | 'operator'>> {
  credentials?: Credentials
  /** All memberships are unconfirmed from now on. */
  doubtMemberships?: true
}

/** The person who accepts an invitation: a new one, or the holder of an account. */
export type Accepter = { newPerson: Person } | { personId: string }

export interface AuditFilter {
  /** Null: of all, and of the installation. */
  companyId: string | null
  /** Only those of a lower number. */
  before?: number | undefined
  /** Only those of a higher number. */
  after?: number | undefined
  /** By whom: his name, as it was then. */
  actor?: string | undefined
  action?: string | undefined
  topic?: AuditTopic | undefined
  /** Unix ms: not before it. */
  from?: number | undefined
  /** Unix ms: before it. */
  to?: number | undefined
  limit: number
}

export interface PeopleStore {
  /**
   * With memberships. An account that has the address and gives way (people/person.ts) is removed in the same commit.
   * StoreConflict when another one has the address, or an account elsewhere, or a company is unknown.
   */
  addPerson(person: Person): Promise<void>
  /** Null: there is none. */
  findPerson(by: { id: string } | { address: string }): Promise<Person | null>
  /** By `iss` and `sub` of an account elsewhere. */
  findPersonByIdentity(issuer: string, subject: string): Promise<Person | null>
  /** Those of a company, or all; the oldest first. */
  people(companyId: string | null): Promise<Person[]>
  /**
   * Changes the person if the version is still the same, and raises it. False: the person was changed since, or is
   * gone. StoreConflict when another account has the address and does not give way, or has the account elsewhere, and
   * for the last operator, who stays one. Invitations made by somebody who is an operator no more end in the same
   * commit.
   */
  updatePerson(id: string, version: number, change: PersonChange): Promise<boolean>
  /**
   * With sessions, links, memberships and the invitations made by the person. False when there is none. StoreConflict
   * for the last operator.
   */
  removePerson(id: string): Promise<boolean>
  /**
   * Null: the person belongs to it no more. False when there is no such person or company. Raises the person's version.
   * `keepOwner`: StoreConflict where the company would be left without an owner. Invitations made by somebody who is
   * an owner of the company no more, and no operator, end in the same commit.
   */
  setMembership(
    personId: string,
    companyId: string,
    role: Role | null,
    options?: { keepOwner: boolean },
  ): Promise<boolean>

  /** By the person's own word. False when there is no such membership. Raises the person's version. */
  confirmMembership(personId: string, companyId: string): Promise<boolean>

  /** StoreConflict when there is no such person. `noted`: stands in the audit list in the same commit. */
  addSession(session: Session, tokenHash: Uint8Array, noted?: readonly NewAuditEntry[]): Promise<void>
  /** With its person as he is now. Null: there is none, or it has expired. */
  findSession(tokenHash: Uint8Array, now: number): Promise<{ session: Session; person: Person } | null>
  /** It is in use, and ends not before `expiresAt`. */
  touchSession(id: string, seenAt: number, expiresAt: number): Promise<void>
  /** Those that have not expired, used last first. */
  sessions(personId: string, now: number): Promise<Session[]>
  /**
   * One of his, or all but `except`, and with these the links that would sign him in. How many sessions they were;
   * `noted` where there was one, in the same commit.
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
   * Whose it is; it is gone then. Null: there is none, it was used, or has expired. Of several who ask, one gets it.
   */
  takeLink(tokenHash: Uint8Array, now: number): Promise<string | null>
  /**
   * In the place of the one that the address had to this company. StoreConflict when there is no such company, or the
   * inviter is neither an operator nor an owner of it.
   */
  addInvitation(invitation: Invitation, tokenHash: Uint8Array): Promise<void>
  /** Those to a company, or all, that have not expired; the oldest first. */
  invitations(companyId: string | null, now: number): Promise<Invitation[]>
  /** Null: there is none, it was used, its inviter has lost the right, or it has expired. */
  findInvitation(tokenHash: Uint8Array, now: number): Promise<Invitation | null>
  /** The same; it is gone then. Of several who ask, one gets it. */
  takeInvitation(tokenHash: Uint8Array, now: number): Promise<Invitation | null>
  /**
   * Takes it and, in the same commit, makes the accepter belong to its company. Somebody new is added as by addPerson,
   * with what addPerson conflicts with; then the invitation stays.
   */
  acceptInvitation(tokenHash: Uint8Array, now: number, accepter: Accepter): Promise<Invitation | null>
  /** False when the company has no such invitation. */
  removeInvitation(companyId: string, id: string): Promise<boolean>

  /**
   * Counts a try in all of the lanes, in one commit, on whichever node it is made. Gives the ms that it has to wait.
   * Where these are more than `longest` it is not made, and not counted. `now`: unix ms.
   */
  beginAttempt(lanes: readonly AttemptLane[], now: number, longest: number): Promise<number>
  /** The try of these lanes does not count. */
  takeBackAttempt(lanes: readonly AttemptLane[]): Promise<void>

  /**
   * Removes sessions, links, invitations and lanes of attempts that have expired, at most so many of each. How many
   * they were.
   */
  forgetExpired(now: number, limit: number): Promise<number>

  /**
   * Before it is done. Gives its number, which rises. Of each company, and of the installation, the newest ten thousand
   * entries of each topic are kept. StoreConflict when there is no such company.
   */
  addAudit(entry: NewAuditEntry): Promise<number>
  /** It was done, and this is what it was done to. Null: it was not done, and the entry is removed. */
  settleAudit(number: number, done: Pick<AuditEntry, 'target' | 'detail' | 'companyId'> | null): Promise<void>
  /** The newest first. */
  audit(filter: AuditFilter): Promise<AuditEntry[]>
}
