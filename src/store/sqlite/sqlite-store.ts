import { CompanyPlaces } from '../../common/company-places.ts'
import type { Happened } from '../../email/lifecycle.ts'
import type { Suppression } from '../../email/suppression.ts'
import type { Told } from '../../email/told-event.ts'
import { toldOf } from '../email-rows.ts'
import { addRetried, NOTHING_RETRIED } from '../retried.ts'
import type * as types from '../store.ts'
import { StoreDamaged } from '../store.ts'
import { lockExclusively } from './lock.ts'
import { packAccept, packAcceptAll, packRecord, type WriteCall } from './parcels.ts'
import { findPlace, type Place } from './place.ts'
import {
  type Call,
  type Changed,
  type HeldChunk,
  type HeldPlace,
  kindsOf,
  type Reads,
  type RetryChunk,
  type RetryPlace,
  type Writes,
} from './protocol.ts'
import { storageOf } from './storage.ts'
import { StoreThread } from './thread.ts'
import { toldRow } from './told-rows.ts'

/** Bounds of one transaction: operations, and octets, which only the first operation may exceed. */
const MAX_OPERATIONS = 500
const MAX_OCTETS = 16 * 1024 * 1024
/** How long results of deliveries may wait to share a commit, counted from the last one. Milliseconds. */
const PATIENCE = 5
/** Reads answered together at most. */
const MAX_READS = 16
/** Reports recorded in one operation, so that a long list does not hold up commits. */
const MAX_REPORTS = 500
/** Weight of an operation beside its content, in octets. */
const BASE_WEIGHT = 1_000

const ANOTHER_SERVICE =
  'another Postroad service. Stop that one first, or give this one a database of its own; the command line may be used ' +
  'beside a running service'

export interface SqliteOptions {
  exclusive: boolean
  /** Called when damage in the database was met and worked around: once for each damaged thing. */
  onFault?: (error: Error) => void
}

/** Lists of suppressions written at once: two of one company, and one is kept for another. */
const LISTS = { size: 3, kept: 1, timesFree: 2 }

/**
 * The store in one SQLite file: one thread writes (group commit), another reads beside it. Other processes may open the
 * same file at the same time, but only one with `exclusive`.
 */
export class SqliteStore implements types.Store {
  readonly shared = false
  readonly #writer: StoreThread<WriteCall>
  readonly #reader: StoreThread<Call<Reads>>
  readonly #watchers = new Set<(change: types.StoreChange) => void>()
  readonly #exclusive: boolean
  readonly #path: string
  readonly #lists = new CompanyPlaces(LISTS)
  #unlock: (() => void) | null

  readonly beat = this.#writes('beat')
  readonly giveUp = this.#writes('giveUp')
  readonly leave = this.#writes('leave')
  readonly claim = this.#writes('claim')
  readonly cancel = this.#writes('cancel')
  readonly quarantine = this.#writes('quarantine')
  readonly cancelScheduled = this.#writes('cancelScheduled')
  readonly reschedule = this.#writes('reschedule')
  readonly removeUnsubscribedTag = this.#writes('removeUnsubscribedTag')
  readonly addAllowed = this.#writes('addAllowed')
  readonly noteTag = this.#writes('noteTag')
  readonly pause = this.#writes('pause')
  readonly resume = this.#writes('resume')
  readonly addCompany = this.#writes('addCompany')
  readonly updateCompany = this.#writes('updateCompany')
  readonly addDomain = this.#writes('addDomain')
  readonly updateDomain = this.#writes('updateDomain')
  readonly removeDomain = this.#writes('removeDomain')
  readonly addDkimKey = this.#writes('addDkimKey')
  readonly updateDkimKey = this.#writes('updateDkimKey')
  readonly removeDkimKey = this.#writes('removeDkimKey')
  readonly forgetAccounts = this.#writes('forgetAccounts')
  readonly renameKey = this.#writes('renameKey')
  readonly addKey = this.#writes('addKey')
  readonly revokeKey = this.#writes('revokeKey')
  readonly setRoute = this.#writes('setRoute')
  readonly removeRoute = this.#writes('removeRoute')
  readonly takeFollower = this.#writes('takeFollower')
  readonly advanceFollower = this.#writes('advanceFollower')
  readonly trimDigest = this.#writes('trimDigest')
  readonly addWebhook = this.#writes('addWebhook')
  readonly updateWebhook = this.#writes('updateWebhook')
  readonly removeWebhook = this.#writes('removeWebhook')
  readonly retellWebhook = this.#writes('retellWebhook')
  readonly setSigningKey = this.#writes('setSigningKey')
  readonly takeWebhooks = this.#writes('takeWebhooks')
  readonly leaveWebhooks = this.#writes('leaveWebhooks')
  readonly progressWebhook = this.#writes('progressWebhook')
  readonly pruneWebhookAttempts = this.#writes('pruneWebhookAttempts')
  readonly addPerson = this.#writes('addPerson')
  readonly updatePerson = this.#writes('updatePerson')
  readonly removePerson = this.#writes('removePerson')
  readonly setMembership = this.#writes('setMembership')
  readonly confirmMembership = this.#writes('confirmMembership')
  readonly addSession = this.#writes('addSession')
  readonly touchSession = this.#writes('touchSession')
  readonly endSessions = this.#writes('endSessions')
  readonly addLink = this.#writes('addLink')
  readonly takeLink = this.#writes('takeLink')
  readonly forgetExpired = this.#writes('forgetExpired')
  readonly addInvitation = this.#writes('addInvitation')
  readonly takeInvitation = this.#writes('takeInvitation')
  readonly acceptInvitation = this.#writes('acceptInvitation')
  readonly removeInvitation = this.#writes('removeInvitation')
  readonly beginAttempt = this.#writes('beginAttempt')
  readonly takeBackAttempt = this.#writes('takeBackAttempt')
  readonly addAudit = this.#writes('addAudit')
  readonly settleAudit = this.#writes('settleAudit')

  readonly nodes = this.#reads('nodes')
  readonly cancelRequests = this.#reads('cancelRequests')
  readonly heldDomains = this.#reads('heldDomains')
  readonly quarantined = this.#reads('quarantined')
  readonly emailOrigin = this.#reads('emailOrigin')
  readonly readEmail = this.#readsAlone('readEmail')
  readonly repeated = this.#reads('repeated')
  readonly listFiles = this.#reads('listFiles')
  readonly readRaw = this.#reads('readRaw')
  readonly readFile = this.#reads('readFile')
  readonly readHistory = this.#readsAlone('readHistory')
  readonly readOutline = this.#readsAlone('readOutline')
  readonly readRecipients = this.#readsAlone('readRecipients')
  readonly readValues = this.#readsAlone('readValues')
  readonly readDialogue = this.#reads('readDialogue')
  readonly readContent = this.#readsAlone('readContent')
  readonly readCapturedCopy = this.#reads('readCapturedCopy')
  readonly readWork = this.#readsAlone('readWork')
  readonly readCaptured = this.#reads('readCaptured')
  readonly listEmails = this.#reads('listEmails')
  readonly changedEmails = this.#reads('changedEmails')
  readonly summaries = this.#reads('summaries')
  readonly recipientCounts = this.#reads('recipientCounts')
  readonly entriesAfter = this.#reads('entriesAfter')
  readonly eventsAfter = this.#reads('eventsAfter')
  readonly lastEventNumber = this.#reads('lastEventNumber')
  readonly settledEventNumber = this.#reads('settledEventNumber')
  readonly eventsUpTo = this.#reads('eventsUpTo')
  readonly eventsOf = this.#reads('eventsOf')
  readonly eventsAt = this.#reads('eventsAt')
  readonly emailAlong = this.#reads('emailAlong')
  readonly emailPlace = this.#reads('emailPlace')
  readonly walkEmails = this.#reads('walkEmails')
  readonly emailsAt = this.#reads('emailsAt')
  readonly emailsBegunAfter = this.#reads('emailsBegunAfter')
  readonly settledEmailPlace = this.#reads('settledEmailPlace')
  readonly #told = this.#reads('readTold')
  readonly digestAfter = this.#reads('digestAfter')
  readonly followerCursor = this.#reads('followerCursor')
  readonly readLists = this.#reads('readLists')
  readonly countEvents = this.#reads('countEvents')
  readonly countRanks = this.#reads('countRanks')
  readonly groupEvents = this.#reads('groupEvents')
  readonly sumEvents = this.#reads('sumEvents')
  readonly sumBusiest = this.#reads('sumBusiest')
  readonly seenTags = this.#reads('seenTags')
  readonly queue = this.#reads('queue')
  readonly backlog = this.#reads('backlog')
  readonly counts = this.#reads('counts')
  readonly nextDue = this.#reads('nextDue')
  readonly waitingEmails = this.#reads('waitingEmails')
  readonly listSuppressions = this.#reads('listSuppressions')
  readonly suppressedPage = this.#reads('suppressedPage')
  readonly findSuppression = this.#reads('findSuppression')
  readonly allowedPage = this.#reads('allowedPage')
  readonly findAllowed = this.#reads('findAllowed')
  readonly suppressionsSince = this.#reads('suppressionsSince')
  readonly pauses = this.#reads('pauses')
  readonly quotaUsed = this.#reads('quotaUsed')
  readonly tagNotes = this.#reads('tagNotes')
  readonly accounts = this.#reads('accounts')
  readonly accountsSince = this.#reads('accountsSince')
  readonly findDomain = this.#reads('findDomain')
  readonly accountsVersion = this.#reads('accountsVersion')
  readonly webhooks = this.#reads('webhooks')
  readonly signingKey = this.#reads('signingKey')
  readonly webhookRetries = this.#reads('webhookRetries')
  readonly webhookAttempts = this.#reads('webhookAttempts')
  readonly webhookEvents = this.#reads('webhookEvents')
  readonly lastEventBefore = this.#reads('lastEventBefore')
  readonly findPerson = this.#reads('findPerson')
  readonly findPersonByIdentity = this.#reads('findPersonByIdentity')
  readonly people = this.#reads('people')
  readonly findSession = this.#reads('findSession')
  readonly sessions = this.#reads('sessions')
  readonly invitations = this.#reads('invitations')
  readonly findInvitation = this.#reads('findInvitation')
  readonly findLink = this.#reads('findLink')
  readonly audit = this.#reads('audit')

  private constructor(place: Place, unlock: (() => void) | null, onFault: (error: Error) => void) {
    this.#unlock = unlock
    this.#exclusive = unlock !== null
    this.#path = place.path
    const onChanged = (changed: Changed) => this.#tell(changed)
    const onDamage = (message: string) => onFault(new StoreDamaged(message))
    this.#writer = new StoreThread({
      module: new URL('./writer.ts', import.meta.url),
      name: 'sqlite-writer',
      ...place,
      maxCalls: MAX_OPERATIONS,
      maxWeight: MAX_OCTETS,
      patience: PATIENCE,
      onChanged,
      onDamage,
    })
    this.#reader = new StoreThread({
      module: new URL('./reader.ts', import.meta.url),
      name: 'sqlite-reader',
      ...place,
      maxCalls: MAX_READS,
      // A batch holds at most one call that may return much.
      maxWeight: 1,
      patience: 0,
      onChanged,
      onDamage,
    })
  }

  /**
   * Opens the file, creates it when missing, and brings its schema up to date. Rejects with StoreUnavailable (the path
   * cannot be used) or StoreConflict (a newer schema, another program's file, a file with several names, or `exclusive`
   * while another service has it).
   */
  static async open(path: string, { exclusive, onFault }: SqliteOptions): Promise<SqliteStore> {
    const place = findPlace(path)
    const unlock = exclusive ? lockExclusively(place.path, ANOTHER_SERVICE) : null
    const store = new SqliteStore(place, unlock, onFault ?? (() => {}))
    try {
      await store.#writer.open()
      await store.#reader.open()
      return store
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** Transactions committed since the store was opened. */
  get commits(): number {
    return this.#writer.commits
  }

  join(node: types.NodeDescription): Promise<number> {
    return this.#write('join', node, this.#exclusive)
  }

  accept(email: types.NewEmail, lease: types.Lease | null): Promise<types.Accepted> {
    const moved: ArrayBuffer[] = []
    const call = packAccept(email, lease, moved)
    return this.#writer.call(call, { weight: BASE_WEIGHT + email.size, moved }) as Promise<types.Accepted>
  }

  acceptAll(together: types.NewEmails, lease: types.Lease | null): Promise<types.AcceptedAll> {
    const moved: ArrayBuffer[] = []
    const call = packAcceptAll(together, lease, moved)
    const weight = together.emails.reduce((sum, { size }) => sum + BASE_WEIGHT + size, 0)
    return this.#writer.call(call, { weight, moved }) as Promise<types.AcceptedAll>
  }

  async readTold(...asked: Parameters<Reads['readTold']>): Promise<Told[]> {
    const [wanted] = asked
    return (await this.#told(...asked)).map((row, index) => toldOf(toldRow(row), wanted[index]!.recipient))
  }

  async probe(room = 0): Promise<void> {
    await this.#write('probe')
    if (room === 0) return
    await this.#write('takeRoom', room)
    // In a commit of its own: pages that are taken and freed in one commit are never written.
    await this.#write('leaveRoom')
  }

  storage(): Promise<types.StorageUsed> {
    return storageOf(this.#path)
  }

  /** The writer commits all waiting operations together, so a company may add only few lists to a commit. */
  async addSuppressions(list: readonly Suppression[]): Promise<boolean[]> {
    const end = await this.#lists.take(list[0]?.companyId ?? '')
    try {
      return await this.#write('addSuppressions', list)
    } finally {
      end()
    }
  }

  removeSuppressions(scope: types.SuppressionScope): Promise<number> {
    return untilNone(() => this.#write('removeSuppressionsChunk', scope))
  }

  removeAllowed(scope: { companyId: string; value?: string }): Promise<number> {
    return untilNone(() => this.#write('removeAllowedChunk', scope))
  }

  record(attempt: types.AttemptRecord): Promise<types.Recorded> {
    const moved: ArrayBuffer[] = []
    const call = packRecord(attempt, moved)
    const weight = BASE_WEIGHT + (attempt.captured?.byteLength ?? 0)
    // No caller waits for it, so it may share a commit with operations of the next few milliseconds.
    return this.#writer.call(call, { weight, patient: true, moved }) as Promise<types.Recorded>
  }

  keepDigest(advance: types.Advance, digest: types.Digest): Promise<boolean> {
    const call: Call<Writes> = { name: 'keepDigest', args: [advance, digest] }
    // No caller waits for it.
    return this.#writer.call(call, { weight: BASE_WEIGHT, patient: true }) as Promise<boolean>
  }

  recover(request: { now: number; jitterMs: number }): Promise<number> {
    return untilNone(() => this.#write('recoverChunk', request))
  }

  async releaseHeld(domainId: string, release: types.HeldRelease): Promise<number> {
    let released = 0
    let place: HeldPlace | null = null
    do {
      const chunk: HeldChunk = await this.#write('releaseHeldChunk', domainId, release, place)
      released += chunk.released
      place = chunk.next
    } while (place !== null)
    return released
  }

  async retry(request: types.RetryRequest, onStep?: (sum: types.Retried) => void): Promise<types.Retried> {
    let sum = NOTHING_RETRIED
    let place: RetryPlace | null = null
    do {
      const { next, ...chunk }: RetryChunk = await this.#write('retryChunk', request, place)
      sum = addRetried(sum, chunk)
      onStep?.(sum)
      place = next
    } while (place !== null)
    return sum
  }

  releaseQuarantined(scope: types.QuarantineScope, now: number): Promise<number> {
    return untilNone(() => this.#write('releaseQuarantinedChunk', scope, now))
  }

  async happened(reports: readonly Happened[]): Promise<number> {
    let recorded = 0
    for (let from = 0; from < reports.length; from += MAX_REPORTS) {
      recorded += await this.#write('happenedChunk', reports.slice(from, from + MAX_REPORTS))
    }
    return recorded
  }

  async retain(request: types.RetentionRequest): Promise<number> {
    while (true) {
      const { touched, done } = await this.#write('retainStep', request)
      if (touched > 0 || done) return touched
    }
  }

  /**
   * `queue` is reported for new or ended waiting work and for removed suppressions; not for the effects of `claim` and
   * `record`, which their caller knows. Any write of another process counts as `queue`, `stops` and `webhooks`.
   */
  watch(onChange: (change: types.StoreChange) => void): () => void {
    if (this.#watchers.size === 0) this.#writer.watch(true)
    this.#watchers.add(onChange)
    return () => {
      if (this.#watchers.delete(onChange) && this.#watchers.size === 0) this.#writer.watch(false)
    }
  }

  async close(): Promise<void> {
    this.#watchers.clear()
    await this.#reader.close()
    await this.#writer.close()
    this.#unlock?.()
    this.#unlock = null
  }

  #tell(changed: Changed): void {
    for (const watcher of this.#watchers) {
      for (const kind of kindsOf(changed)) watcher(kind)
    }
  }

  #write<Name extends keyof Writes>(
    name: Name,
    ...args: Parameters<Writes[Name]>
  ): Promise<ReturnType<Writes[Name]>> {
    const call = { name, args } as unknown as Call<Writes>
    return this.#writer.call(call, { weight: BASE_WEIGHT }) as Promise<ReturnType<Writes[Name]>>
  }

  /** A method whose calls the writer carries out unchanged. */
  #writes<Name extends keyof Writes>(name: Name) {
    return (...args: Parameters<Writes[Name]>) => this.#write(name, ...args)
  }

  /** The same for the reader. */
  #reads<Name extends keyof Reads>(name: Name) {
    return (...args: Parameters<Reads[Name]>) =>
      this.#reader.call({ name, args } as unknown as Call<Reads>) as Promise<ReturnType<Reads[Name]>>
  }

  /**
   * A large answer comes in a batch of its own, because the main thread takes in a whole batch in one turn of the event
   * loop.
   */
  #readsAlone<Name extends keyof Reads>(name: Name) {
    return (...args: Parameters<Reads[Name]>) =>
      this.#reader.call({ name, args } as unknown as Call<Reads>, { weight: 1 }) as Promise<
        ReturnType<Reads[Name]>
      >
  }
}

/** Sums up all steps until one has nothing left to do. */
async function untilNone(step: () => Promise<number>): Promise<number> {
  let sum = 0
  while (true) {
    const done = await step()
    if (done === 0) return sum
    sum += done
  }
}
