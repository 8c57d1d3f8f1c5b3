/** Notes the last use of each key. Uses are written in batches, after the answers. */
import type { KeyUse, Principal } from '../accounts/account.ts'
import { clip } from '../common/clip.ts'
import type { AccountStore } from '../store/store.ts'
import type { Visitor } from './admission/visit.ts'

/** Ms between two batches. */
const EVERY = 60_000
/** The most keys of a batch. The uses of further keys are not noted until the next batch. */
const MAX = 5_000
/** The most characters of a client's name. */
const MAX_OF_CLIENT = 200

interface KeyUsesParts {
  store: Pick<AccountStore, 'noteKeyUses'>
  onFault(error: unknown): void
}

export class KeyUses {
  readonly #parts: KeyUsesParts
  #uses = new Map<string, KeyUse>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: KeyUsesParts) {
    this.#parts = parts
  }

  /** Does not wait for the store, because every request is noted. */
  note({ method, headers }: Visitor, { keyId, address }: Principal): void {
    if (this.#uses.size >= MAX && !this.#uses.has(keyId)) return
    const agent = headers?.['user-agent'] ?? null
    const client = method === 'SMTP' ? method : agent && clip(agent, MAX_OF_CLIENT)
    this.#uses.set(keyId, { keyId, at: Date.now(), address, client })
    this.#timer ??= setTimeout(() => this.#flush(), EVERY).unref()
  }

  /** Resolves when every noted use is written. */
  async stop(): Promise<void> {
    if (this.#uses.size > 0) this.#flush()
    await this.#writing
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const uses = [...this.#uses.values()]
    this.#uses = new Map()
    const { store, onFault } = this.#parts
    this.#writing = this.#writing.then(() => store.noteKeyUses(uses)).catch(onFault)
  }
}
