/**
 * The main thread's part in the webhooks of this node: taking them, unsealing their secrets, and writing to the store.
 */
import { type Seal, SealError } from '../../accounts/seal.ts'
import { LogThrottle } from '../../common/log-throttle.ts'
import type { Log } from '../../common/logging.ts'
import type { AssignedWebhook, Store, WebhookProgress } from '../../store/store.ts'
import { SupervisedThread } from '../../threads/supervised-thread.ts'
import type { WebhooksInState } from './dispatcher.ts'
import type { OpenWebhook, WebhookState } from './endpoint.ts'
import type { FromWebhookThread, ToWebhookThread, WebhookThreadData } from './protocol.ts'
import { hasOwnSecret, openSigningKey, openWebhookSecret, signingSecrets } from './secrets.ts'

interface WebhooksParts {
  store: Store
  seal: Seal
  /** The token of this node; null while it is not in service. */
  token(): number | null
  /** The base URL of the service, for the URLs in payloads. */
  base(): string
  thread: WebhookThreadData
  metrics: {
    webhookAttempts: { inc(labels: { outcome: string }, by: number): void }
    webhooksDisabled: { inc(): void }
    storeFaults: { inc(): void }
  }
  log: Log
  /**
   * Milliseconds between two looks for webhooks to take, because another node may be gone or the thread may have died.
   * There is also a look after each change that the store announces.
   */
  lookMs?: number
}

const LOOK_MS = 1_000
/** Milliseconds in which the thread may end by itself. */
const CLOSE_MS = 2_000
const TELL_MS = 10_000
/** The successes and failures kept for each webhook, and the ms for which failures are kept. */
const SUCCESSES_KEPT = 1_000
const FAILURES_KEPT = 10_000
const FAILURES_MS = 30 * 24 * 3_600_000
/** Milliseconds between two removals of old attempts of idle webhooks. */
const PRUNE_MS = 3_600_000

export class Webhooks {
  readonly #parts: WebhooksParts
  readonly #thread: SupervisedThread<ToWebhookThread, FromWebhookThread>
  readonly #faults = new LogThrottle(TELL_MS)
  readonly #closed = Promise.withResolvers<void>()
  /** The states of this node's webhooks. */
  #states: ReadonlyMap<WebhookState, WebhooksInState> = new Map()
  #prunedAt = Date.now()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | null = null
  /** Whether something has changed since the present look began. */
  #lookAgain = false
  #unwatch: () => void = () => {}
  #token: number | null = null
  #running = false
  #stopped = false

  constructor(parts: WebhooksParts) {
    this.#parts = parts
    this.#thread = new SupervisedThread(
      { module: new URL('./thread.ts', import.meta.url), name: 'webhooks', workerData: parts.thread },
      {
        message: (said, answer) => this.#hear(said, answer),
        ended: (cause, code) => {
          this.#running = false
          this.#states = new Map()
          this.#closed.resolve()
          if (this.#stopped) return
          parts.log.error({ err: cause, code }, 'The webhook thread crashed; a new thread replaces it')
        },
      },
    )
  }

  start(): void {
    this.#unwatch = this.#parts.store.watch((change) => {
      if (change === 'webhooks') this.#lookNow()
    })
    this.#lookNow()
  }

  get states(): ReadonlyMap<WebhookState, WebhooksInState> {
    return this.#states
  }

  /** Commits the progress; events under way are sent again by the next node that takes the webhook. */
  async stop(): Promise<void> {
    if (this.#stopped) return
    this.#stopped = true
    this.#unwatch()
    clearTimeout(this.#timer)
    await this.#looking
    if (this.#running) {
      this.#thread.post({ kind: 'close' })
      const late = setTimeout(this.#closed.resolve, CLOSE_MS)
      await this.#closed.promise
      clearTimeout(late)
      await this.#thread.terminate()
    }
    const token = this.#token
    if (token === null) return
    await this.#parts.store.leaveWebhooks(token).catch((error) => this.#fault(error))
  }

  #lookNow(): void {
    this.#lookAgain = true
    this.#looking ??= this.#lookWhileChanged()
  }

  async #lookWhileChanged(): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#lookAgain && !this.#stopped) {
      this.#lookAgain = false
      await this.#look().catch((error) => this.#fault(error))
    }
    this.#looking = null
    if (this.#stopped) return
    this.#timer = setTimeout(() => this.#lookNow(), this.#parts.lookMs ?? LOOK_MS)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const token = this.#parts.token()
    if (token === null) return
    const held = await this.#parts.store.takeWebhooks(token)
    // No thread is started while there are no webhooks.
    if (this.#stopped || (held.length === 0 && !this.#running)) return
    const webhooks = await this.#opened(held)
    this.#token = token
    this.#running = true
    this.#thread.post({ kind: 'held', token, base: this.#parts.base(), webhooks })
    this.#faults.reset()
    if (Date.now() < this.#prunedAt + PRUNE_MS) return
    this.#prunedAt = Date.now()
    for (const { id } of held) await this.#prune(id)
  }

  async #prune(id: string): Promise<void> {
    const kept = { succeeded: SUCCESSES_KEPT, failed: FAILURES_KEPT, failedSince: Date.now() - FAILURES_MS }
    await this.#parts.store.pruneWebhookAttempts(id, kept)
  }

  /** Leaves out the webhooks whose secrets cannot be unsealed, so that the others still work. */
  async #opened(webhooks: readonly AssignedWebhook[]): Promise<OpenWebhook[]> {
    const signingKeys = new Map<string, Uint8Array | null>()
    for (const { companyId, dialect } of webhooks) {
      if (hasOwnSecret(dialect) || signingKeys.has(companyId)) continue
      signingKeys.set(companyId, await this.#parts.store.signingKey(companyId))
    }
    const now = Date.now()
    return webhooks.flatMap(({ secret, previousSecret, ...webhook }) => {
      const sealed = signingSecrets(secret, previousSecret, webhook.rotatedAt, now)
      const secrets = this.#secretsOf(webhook, sealed, signingKeys.get(webhook.companyId) ?? null)
      return secrets.length === 0 ? [] : [{ ...webhook, secrets }]
    })
  }

  #secretsOf(
    { id, companyId, dialect }: Pick<AssignedWebhook, 'id' | 'companyId' | 'dialect'>,
    sealed: readonly Uint8Array[],
    signingKey: Uint8Array | null,
  ): string[] {
    const { seal, log } = this.#parts
    try {
      if (hasOwnSecret(dialect)) return sealed.map((each) => openWebhookSecret(seal, id, each))
      return signingKey === null ? [] : [openSigningKey(seal, companyId, signingKey)]
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      if (this.#faults.due() !== null) log.error({ err: error, webhook: id }, 'A webhook cannot be signed')
      return []
    }
  }

  #hear(said: FromWebhookThread, answer: (message: ToWebhookThread) => void): void {
    const { store, metrics } = this.#parts
    switch (said.kind) {
      case 'commit': {
        const { call } = said
        this.#commit(said.progress).then(
          (value) => answer({ kind: 'answer', call, value }),
          (error: Error) => answer({ kind: 'failed', call, message: error.message }),
        )
        break
      }
      case 'prune':
        this.#prune(said.id).catch((error) => this.#fault(error))
        break
      case 'left':
        // After a failure the message comes again, because the next look still finds the webhook on this node.
        store.leaveWebhooks(said.token, said.id).catch((error) => this.#fault(error))
        break
      case 'figures':
        this.#states = said.states
        metrics.webhookAttempts.inc({ outcome: 'succeeded' }, said.succeeded)
        metrics.webhookAttempts.inc({ outcome: 'failed' }, said.failed)
        break
      case 'fault':
        this.#fault(said.error)
        break
      case 'closed':
        this.#closed.resolve()
        break
    }
  }

  async #commit(progress: WebhookProgress): Promise<boolean> {
    const { store, metrics, log } = this.#parts
    const { id, disabled } = progress
    const kept = await store.progressWebhook(progress)
    if (!kept || disabled === null) return kept
    metrics.webhooksDisabled.inc()
    log.warn({ webhook: id }, `A webhook was disabled: ${disabled.detail.message}`)
    return kept
  }

  #fault(error: unknown): void {
    const { metrics, log } = this.#parts
    metrics.storeFaults.inc()
    if (this.#faults.due() !== null)
      log.warn({ err: error }, 'Webhooks are waiting: the database did not answer')
  }
}
