/** People of the console, their sessions, links and invitations, and the list of what was changed by whom. */
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

/** What is absent stays as it is. */
export interface PersonChange extends Partial<Pick<Person, 'address' | 'name' | 'operator'>> {
  credentials?: Credentials
}

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
   * With memberships. StoreConflict when somebody has the address, or an account elsewhere, or a company is unknown.
   */
  addPerson(person: Person): Promise<void>
  /** Null: there is none. */
  findPerson(by: { id: string } | { address: string }): Promise<Person | null>
  /** By `iss` and `sub` of an account elsewhere. */
  findPersonByIdentity(issuer: string, subject: string): Promise<Person | null>
  /** Those of a company, or all; the oldest first. */
  people(companyId: string | null): Promise<Person[]>
  /**
   * Changes him where he is still of that version, which is raised. False when he was changed since, or is gone.
   * StoreConflict when somebody has the address, or an account elsewhere, and for the last operator, who stays one.
   */
  updatePerson(id: string, version: number, change: PersonChange): Promise<boolean>
  /** With sessions, links and memberships. False when there is none. StoreConflict for the last operator. */
  removePerson(id: string): Promise<boolean>
  /**
   * Null: he belongs to it no more. False when there is no such person or company. Raises his version.
   * `keepOwner`: StoreConflict where the company would be left without an owner.
   */
  setMembership(
    personId: string,
    companyId: string,
    role: Role | null,
    options?: { keepOwner: boolean },
  ): Promise<boolean>

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
  /**
   * Whose it is; it is gone then. Null: there is none, it was used, or has expired. Of several who ask, one gets it.
   */
  takeLink(tokenHash: Uint8Array, now: number): Promise<string | null>
  /** In the place of the one that the address had to this company. StoreConflict when there is no such company. */
  addInvitation(invitation: Invitation, tokenHash: Uint8Array): Promise<void>
  /** Those to a company, or all, that have not expired; the oldest first. */
  invitations(companyId: string | null, now: number): Promise<Invitation[]>
  /** Null: there is none, it was used, or has expired. */
  findInvitation(tokenHash: Uint8Array, now: number): Promise<Invitation | null>
  /** The same; it is gone then. Of several who ask, one gets it. */
  takeInvitation(tokenHash: Uint8Array, now: number): Promise<Invitation | null>
  /** False when the company has no such invitation. */
  removeInvitation(companyId: string, id: string): Promise<boolean>

  /** Removes sessions, links and invitations that have expired, at most so many of each. How many they were. */
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
