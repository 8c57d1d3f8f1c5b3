/** Reports the states of this node's sites. */
import type { SiteReport, SiteState, Store } from '../store/store.ts'
import { pastSites, withPast } from './past-sites.ts'

/** Milliseconds between two looks. */
const LOOK_MS = 2_000
/**
 * Milliseconds after which an unchanged report is written again, so that it does not look like that of a node that has
 * ended.
 */
const RENEW_MS = 20_000

interface SiteReporterParts {
  store: Pick<Store, 'reportSites' | 'takePastReports'>
  /** The token of this node; null: it has none now. */
  token(): number | null
  states(): SiteState[]
}

/** Writes the states of sites into the store whenever they have changed. */
export class SiteReporter {
  readonly #parts: SiteReporterParts
  /** The sites of nodes that have ended. */
  #past: SiteState[] = []
  /** Such nodes may have left reports that were not read yet. */
  #isPastNew = true
  #nodes = 0
  #timer: NodeJS.Timeout | undefined
  #written = '[]'
  #writtenAt = Number.NEGATIVE_INFINITY
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: SiteReporterParts) {
    this.#parts = parts
  }

  start(): void {
    this.#plan()
  }

  /** Must be called when nodes come or go. */
  setNodes(nodes: number): void {
    if (nodes < this.#nodes) this.#isPastNew = true
    this.#nodes = nodes
  }

  /** Resolves when nothing is being written. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
  }

  #plan(): void {
    this.#timer = setTimeout(() => {
      this.#writing = this.#look().finally(() => {
        if (this.#timer !== undefined) this.#plan()
      })
    }, LOOK_MS).unref()
  }

  async #look(): Promise<void> {
    const { store, token, states } = this.#parts
    const node = token()
    if (node === null) return
    try {
      if (this.#isPastNew) {
        this.#isPastNew = false
        this.#past = pastSites(this.#past, await store.takePastReports())
      }
      const at = Date.now()
      const sites = withPast(states(), this.#past, at)
      const text = JSON.stringify(sites)
      if (text === this.#written && (sites.length === 0 || at - this.#writtenAt < RENEW_MS)) return
      await store.reportSites({ node, at, sites } satisfies SiteReport)
      this.#written = text
      this.#writtenAt = at
    } catch {
      this.#isPastNew = true
      // Only people read these reports, so nothing fails. The next look writes again, and other writes report the
      // fault.
    }
  }
}
