/**
 * Reads the bounce mailbox for as long as the service runs, one node at a time. A message is marked as read only after
 * the commit of what it reports: a crash in between brings it again, and the report counts once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { ArrivedMail, ReceivedMail } from '../inbound/arrived-mail.ts'
import type { FollowerStore } from '../store/store.ts'
import { WorkersBusy } from '../workers/error.ts'
import { FailedMessages } from './failed-messages.ts'
import { LastRead } from './last-read.ts'
import { PutOffMessages } from './put-off-messages.ts'
import { ASIDE, loadClient, type MailboxMessage, MailboxSession, type SessionOptions } from './session.ts'

/** Messages that are fetched, received and marked together: they share a commit. */
const BATCH = 16
/** How often a fault is logged while it lasts. */
const TELL_MS = 10 * 60_000
const LONGEST_WAIT_MS = 60_000
/** Faults in a row after which another node may try: perhaps it is this node alone that cannot reach the server. */
const MAX_FAULTS = 3

/** Ms. */
const WAITS = {
  /** Between two looks, if the server reports no new messages. */
  poll: 60_000,
  /** Between two attempts to take over from a node that is gone. */
  take: 2_000,
  /** After the first fault; each further one doubles the wait. */
  fault: 1_000,
}

export interface BounceMailboxParts {
  session: SessionOptions
  store: FollowerStore
  /** The token of this node; null while it has none. */
  token: () => number | null
  /** Header fields name the recipient, because IMAP tells no envelope. */
  receive: (mail: ArrivedMail) => Promise<Pick<ReceivedMail, 'outcome' | 'putOff'>>
  /** Rejects while the store takes no commits. */
  probe: () => Promise<void>
  /** Ms. Older messages are left alone: the emails that they report on are no longer kept. */
  retention: number
  onMessage: (result: 'read' | 'unreadable') => void
  log: Log
  /** Monotonic ms. */
  now?: () => number
  waits?: Partial<typeof WAITS>
}

/** Resolves when the next message may be received; rejects when `gone` is aborted before. */
export type MailTurn = (gone: AbortSignal) => Promise<void>

export class BounceMailbox {
  readonly #parts: BounceMailboxParts
  readonly #waits: typeof WAITS
  /** The mailbox's name for people, without the user, whose name may be part of a login. */
  readonly #name: string
  readonly #lastRead: LastRead
  readonly #failed = new FailedMessages()
  readonly #putOff: PutOffMessages
  readonly #throttle = new LogThrottle(TELL_MS)
  readonly #ending = new AbortController()
  #running: Promise<void> | null = null
  #session: MailboxSession | null = null
  #turn: MailTurn = async () => {}
  #isHeld = false
  /** Faults since the mailbox was last read to its end. */
  #faults = 0

  /** Resolves once everything is loaded, so that reading does not begin with a stall. */
  static async open(parts: BounceMailboxParts): Promise<BounceMailbox> {
    await loadClient()
    return new BounceMailbox(parts)
  }

  private constructor(parts: BounceMailboxParts) {
    const { host, folder } = parts.session.mailbox
    this.#parts = parts
    this.#putOff = new PutOffMessages(parts.now ?? (() => performance.now()))
    this.#waits = { ...WAITS, ...parts.waits }
    this.#name = `${folder} at ${host}`
    this.#lastRead = new LastRead(parts.store)
  }

  /** `failing`: this node should read it, and cannot; `elsewhere`: another node reads it. */
  get state(): 'reading' | 'failing' | 'elsewhere' {
    if (!this.#isHeld) return 'elsewhere'
    return this.#faults > 0 ? 'failing' : 'reading'
  }

  start(turn: MailTurn): void {
    this.#turn = turn
    this.#running ??= this.#run()
  }

  /** Waits for the messages under way, for at most `ms`; not for a server that has not opened the mailbox yet. */
  async stop(ms: number): Promise<void> {
    this.#ending.abort()
    const timer = setTimeout(() => void this.#session?.[Symbol.asyncDispose](), ms)
    await this.#running
    clearTimeout(timer)
  }

  get #stopped(): boolean {
    return this.#ending.signal.aborted
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (await this.#isMine()) await this.#read()
        await this.#pause(this.#waits.take)
      } catch (error) {
        if (this.#stopped) return
        this.#faults++
        this.#tell(error)
        await this.#giveUp()
        await this.#pause(Math.min(this.#waits.fault * 2 ** (this.#faults - 1), LONGEST_WAIT_MS))
      }
    }
  }

  async #isMine(): Promise<boolean> {
    this.#isHeld = await this.#lastRead.take(this.#parts.token())
    return this.#isHeld
  }

  /** Leaves the mailbox to other nodes during the pause after a fault. */
  async #giveUp(): Promise<void> {
    if (!this.#isHeld || this.#faults < MAX_FAULTS) return
    // The store may be what fails: then the node itself is given up.
    await this.#lastRead.giveUp().catch(() => {})
  }

  /** Reads until the service stops or another node takes over. Rejects when the connection or the store fails. */
  async #read(): Promise<void> {
    await using session = await MailboxSession.open(this.#parts.session, this.#ending.signal)
    this.#session = session
    if (this.#failed.within(session.validity)) this.#putOff.clear()
    try {
      while (!this.#stopped && (await this.#isMine())) {
        await this.#readAll(session)
        if (session.hasNews || this.#stopped) continue
        await this.#lastRead.note(Date.now())
        this.#recovered()
        await session.waitForNews(this.#waits.poll, this.#ending.signal)
      }
    } finally {
      this.#session = null
    }
  }

  /** Reads the waiting messages, newest first, so that a mailbox full of old mail does not delay today's mail. */
  async #readAll(session: MailboxSession): Promise<void> {
    const uids: number[] = []
    let highest = 0
    do {
      if (highest === 0 || session.hasNews) {
        const found = await session.unread(Date.now() - this.#parts.retention, highest)
        highest = found.at(-1) ?? highest
        for (const uid of found) {
          if (this.#failed.isHopeless(uid)) await this.#putAside(session, uid)
          else if (this.#failed.isSuspect(uid)) uids.unshift(uid)
          else if (!this.#failed.isLeft(uid) && !this.#putOff.isWaiting(uid)) uids.push(uid)
        }
      }
      if (uids.length > 0) await this.#readBatch(session, this.#nextBatch(uids))
    } while (uids.length > 0 && !this.#stopped && (await this.#isMine()))
  }

  /** Takes UIDs from the end. A message that has failed is read alone, so that its next failure is surely its own. */
  #nextBatch(uids: number[]): number[] {
    const suspect = uids.findLastIndex((uid) => this.#failed.isSuspect(uid))
    const first = Math.max(suspect + 1, uids.length - BATCH)
    return uids.splice(Math.min(first, uids.length - 1))
  }

  async #readBatch(session: MailboxSession, uids: readonly number[]): Promise<void> {
    const receiving: Promise<number | null>[] = []
    const missing = new Set(uids)
    let fault: unknown = null
    try {
      for await (const message of session.read(uids)) {
        missing.delete(message.uid)
        receiving.push(this.#receive(message))
      }
    } catch (error) {
      fault = error
      // A server sends messages in the order of their UIDs: it failed at the first one that did not come.
      const [suspect] = missing
      if (suspect !== undefined) this.#failed.add(suspect)
    }
    const results = await Promise.allSettled(receiving)
    const read = results.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []))
    if (read.length > 0 && session.isOpen) {
      await session.markRead(read)
      await this.#lastRead.noteSome(Date.now())
      // The server works: a fault after this one begins a new row of waits.
      this.#faults = Math.min(this.#faults, 1)
    }
    if (fault !== null) throw fault
    const failure = results.find((result) => result.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }

  /**
   * The UID; null for a message that is put off, for which the workers are too busy, that failed by itself, or whose
   * turn has not come before the end. Rejects when the store does not take commits.
   */
  async #receive({ uid, raw, size }: MailboxMessage): Promise<number | null> {
    const { receive, probe, onMessage, log } = this.#parts
    try {
      await this.#turn(this.#ending.signal)
    } catch (error) {
      if (this.#stopped) return null
      throw error
    }
    let received: Pick<ReceivedMail, 'outcome' | 'putOff'>
    try {
      received = await receive({ raw, size, recipient: null, source: 'mailbox', peer: this.#name })
    } catch (error) {
      // The next search for unread messages finds it again.
      if (error instanceof WorkersBusy) return null
      await probe()
      this.#failed.add(uid)
      log.warn({ mailbox: this.#name, uid, err: error }, 'A message of the bounce mailbox could not be read')
      return null
    }
    this.#failed.forget(uid)
    if (received.putOff && this.#putOff.putOff(uid, received.outcome === 'not_counted')) return null
    this.#putOff.forget(uid)
    onMessage('read')
    return uid
  }

  async #putAside(session: MailboxSession, uid: number): Promise<void> {
    const { onMessage, log } = this.#parts
    const facts = { mailbox: this.#name, uid, folder: ASIDE }
    try {
      await session.putAside(uid)
      onMessage('unreadable')
      this.#failed.forget(uid)
      log.warn(facts, 'A message of the bounce mailbox cannot be read; it was moved to a folder of its own')
    } catch (error) {
      if (!session.isOpen) throw error
      onMessage('unreadable')
      this.#failed.leave(uid)
      const { message: reason } = error as Error
      log.warn(
        { ...facts, reason },
        'A message of the bounce mailbox can neither be read nor moved; it stays where it is',
      )
    }
  }

  #tell(error: unknown): void {
    if (this.#throttle.due() === null) return
    const reason = error instanceof Error ? error.message : String(error)
    this.#parts.log.warn(
      { mailbox: this.#name, reason },
      'The bounce mailbox cannot be read; trying again, at least once a minute',
    )
  }

  #recovered(): void {
    if (this.#faults > 0) this.#parts.log.info({ mailbox: this.#name }, 'The bounce mailbox is read again')
    this.#faults = 0
    this.#throttle.reset()
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { ref: false, signal: this.#ending.signal }).catch(() => {})
  }
}
