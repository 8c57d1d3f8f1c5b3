/** Webhooks with a real store, real HTTP, and a clock and a schedule that a test may set. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogEntry } from '../../src/email/company-event.ts'
import { entryLog } from '../../src/events/entry-log.ts'
import { NoticeReader } from '../../src/events/notice-reader.ts'
import { Dispatcher } from '../../src/events/webhooks/dispatcher.ts'
import type { WebhookSchedule } from '../../src/events/webhooks/schedule.ts'
import { newWebhookSecret } from '../../src/events/webhooks/secrets.ts'
import { Outgoing, type OutgoingRequest } from '../../src/network/outgoing.ts'
import { addressGuard } from '../../src/network/private-address.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import {
  type AssignedWebhook,
  type NewEmail,
  type Store,
  StoreUnavailable,
  type Webhook,
  type WebhookAttempt,
  type WebhookDialect,
} from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, attempt, email, result } from '../store/samples.ts'
import { Receiver } from './receiver.ts'

export const SOON: WebhookSchedule = { json: [1, 1], form: [1], longestPause: 60_000 }

export interface StageOptions {
  schedule?: WebhookSchedule
  /** The time a try may take, in place of what is asked for. */
  timeoutMs?: number
}

export class Stage {
  readonly store: Store
  readonly companyId: string
  /** Unix ms as the dispatcher reads it; null: that of the machine. */
  now: number | null = null
  /** What was asked of the network. */
  readonly asked: OutgoingRequest[] = []
  /** Octets of the events read at a time, and octets held in memory, at most. */
  mostTold = 0
  /** Awaited before the dispatcher gets the notices of events. */
  beforeTelling: (events: readonly LogEntry[]) => Promise<void> = async () => {}
  mostOctets = 0
  /** Waited for before what came of tries is written down. */
  beforeCommit: () => Promise<void> = async () => {}
  readonly #options: StageOptions
  readonly token: number
  readonly #outgoing = new Outgoing({
    guard: addressGuard({ allowPrivateNetworks: true }),
    resolve: async () => [],
    connections: 256,
  })
  #dispatcher: Dispatcher

  private constructor(store: Store, companyId: string, token: number, options: StageOptions) {
    this.store = store
    this.#options = options
    this.companyId = companyId
    this.token = token
    this.#dispatcher = this.#begin()
  }

  static async make(t: TestContext, options: StageOptions = {}): Promise<Stage> {
    const store = await SqliteStore.open(join(temporaryDirectory(t), 'postroad.db'), { exclusive: true })
    const token = await store.join({ name: 'a', roles: ['api'], timeoutMs: 1_000, since: 1, machine: null })
    const stage = new Stage(store, (await acme(store)).id, token, options)
    t.after(async () => {
      await stage.#dispatcher.close()
      await stage.#outgoing.close()
      await store.close()
    })
    return stage
  }

  /** Another node on the same store. */
  async beside(t: TestContext): Promise<Stage> {
    const token = await this.store.join({
      name: 'b',
      roles: ['api'],
      timeoutMs: 1_000,
      since: 1,
      machine: null,
    })
    const stage = new Stage(this.store, this.companyId, token, this.#options)
    t.after(async () => {
      await stage.#dispatcher.close()
      await stage.#outgoing.close()
    })
    return stage
  }

  #begin(commits = true): Dispatcher {
    const { store } = this
    const noticeReader = new NoticeReader(store)
    const ports = {
      log: entryLog(store),
      noticeReader: {
        readNotices: async (events: readonly LogEntry[]) => {
          this.mostOctets = Math.max(this.mostOctets, this.#dispatcher.octets)
          await this.beforeTelling(events)
          const notices = await noticeReader.readNotices(events)
          this.mostTold = Math.max(
            this.mostTold,
            notices.reduce((sum, each) => sum + each.octets, 0),
          )
          return notices
        },
        readParts: noticeReader.readParts.bind(noticeReader),
        readAllParts: noticeReader.readAllParts.bind(noticeReader),
      },
      base: () => 'http://mail.test',
      retries: store.webhookRetries,
      commit: async (progress: Parameters<Store['progressWebhook']>[0]) => {
        await this.beforeCommit()
        if (commits) return await store.progressWebhook(progress)
        throw new StoreUnavailable('It takes nothing now')
      },
      prune: async () => {},
      ask: (request: OutgoingRequest) => {
        this.asked.push(request)
        this.mostOctets = Math.max(this.mostOctets, this.#dispatcher.octets)
        return this.#outgoing.ask({ ...request, timeoutMs: this.#options.timeoutMs ?? request.timeoutMs })
      },
      schedule: this.#options.schedule ?? SOON,
      userAgent: 'Postroad/test',
      now: () => this.now ?? Date.now(),
      onFault: (error: unknown) => assert.ok(error instanceof StoreUnavailable, String(error)),
      onTried: () => {},
      onLeft: () => {},
    }
    return new Dispatcher(ports, () => this.token)
  }

  /** Octets that are held now. */
  get octets(): number {
    return this.#dispatcher.octets
  }

  /** Takes what there is, as a node does each second. */
  async hold(which: (webhook: AssignedWebhook) => boolean = () => true): Promise<void> {
    const webhooks = (await this.store.takeWebhooks(this.token)).filter(which)
    this.#dispatcher.hold(
      webhooks.map(({ secret, previousSecret, ...webhook }) => ({
        ...webhook,
        secrets: [newWebhookSecret()],
      })),
    )
  }

  /** As soon as nothing is held or under way. */
  async untilIdle(): Promise<void> {
    while (this.octets > 0) await nextTurn()
  }

  /** Another process takes its place. */
  async restart({ commits = true } = {}): Promise<void> {
    await this.#dispatcher.close()
    this.#dispatcher = this.#begin(commits)
    await this.hold()
  }

  async webhook(
    receiver: Receiver,
    dialect: WebhookDialect = 'json',
    types: Webhook['types'] = [],
    companyId = this.companyId,
  ): Promise<string> {
    const id = randomUUIDv7()
    await this.store.addWebhook({
      ...{
        id,
        companyId,
        domainId: null,
        dialect,
        url: receiver.url,
        types,
        status: 'enabled',
      },
      ...{ secret: Uint8Array.of(), previousSecret: null, rotatedAt: null, createdAt: 1, failingSince: null },
      ...{ disabledAt: null, disabledReason: null, cursor: await this.store.lastEventNumber() },
    })
    return id
  }

  /** Another company, that shares the node. */
  async company(name: string): Promise<string> {
    return (await acme(this.store, name)).id
  }

  /** @param change what the emails are beside the usual */
  async deliver(
    count = 1,
    change: (mail: NewEmail) => Partial<NewEmail> = () => ({}),
    companyId = this.companyId,
  ): Promise<string[]> {
    const mails = Array.from({ length: count }, () => {
      const mail = email({ id: companyId }, ['a@x.test'])
      return { ...mail, ...change(mail) }
    })
    await Promise.all(
      mails.map(async (mail) => {
        await this.store.accept(mail, { token: 1 })
        await this.store.record(attempt(mail, 1, [result(0)]))
      }),
    )
    return mails.map(({ id }) => id)
  }

  /** So many events, of emails to a thousand each. */
  async flood(events: number): Promise<void> {
    const recipients = Array.from({ length: 1_000 }, (_, n) => `r${n}@x.test`)
    for (let made = 0; made < events; made += 1_001) {
      const mail = email({ id: this.companyId }, recipients)
      await this.store.accept(mail, { token: 1 })
      await this.store.record(
        attempt(
          mail,
          1,
          recipients.map((_, place) => result(place)),
        ),
      )
    }
  }

  /** As soon as so many tries are noted of it: these, oldest first. */
  async attempts(id: string, count: number): Promise<WebhookAttempt[]> {
    for (;;) {
      const found = await this.store.webhookAttempts({ webhookId: id, limit: 1_000 })
      if (found.length >= count) return found.reverse()
      await this.hold()
    }
  }

  /** As soon as this is so of the webhook. */
  async until(id: string, isSo: (webhook: Webhook) => boolean | Promise<boolean>): Promise<Webhook> {
    for (;;) {
      const [webhook] = await this.store.webhooks({ id })
      if (await isSo(webhook!)) return webhook!
    }
  }
}

export async function receiving(t: TestContext): Promise<Receiver> {
  const receiver = await Receiver.start()
  t.after(() => receiver[Symbol.asyncDispose]())
  return receiver
}
