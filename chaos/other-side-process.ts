/** Such a process from within: the rules by which it fails, and the reports of what it saw. */
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../harness/random.ts'
import type { FromOtherSide, Rule, ToOtherSide } from './other-side.ts'

/** How often what was seen is reported, in ms. */
const REPORT_MS = 100

export interface OtherSideParts<To> {
  /** Says what was seen since it was last asked. */
  report(): void
  /** What is its own. */
  hear(message: To): void
}

export class OtherSideProcess<To extends { kind: string }, From, Strikes extends Rule, Listening> {
  readonly #parts: OtherSideParts<To>
  readonly #rules = new Map<number, Strikes>()
  readonly #hits = new Map<number, number>()
  random = new Random(0)
  /** Whatever is under way and will be reported. */
  open = 0

  constructor(parts: OtherSideParts<To>) {
    this.#parts = parts
    process.on('disconnect', () => process.exit(0))
    process.on('SIGINT', () => {})
    process.on('uncaughtException', (error) => {
      this.say({ kind: 'failed', message: error.stack ?? String(error) })
    })
  }

  /** From now on it is asked and reports. */
  listens(at: Listening): void {
    process.on('message', (message: To | ToOtherSide<Strikes>) => this.#hear(message))
    setInterval(() => this.#report(), REPORT_MS)
    this.say({ kind: 'listening', ...at })
  }

  say(message: From | FromOtherSide<Listening>): void {
    process.send?.(message)
  }

  /** The rule that strikes now, if any. */
  struck(concerns: (rule: Strikes) => boolean): Strikes | undefined {
    for (const rule of this.#rules.values()) {
      if (!concerns(rule) || !this.random.chance(rule.share)) continue
      this.#hits.set(rule.id, (this.#hits.get(rule.id) ?? 0) + 1)
      return rule
    }
    return undefined
  }

  #hear(message: To | ToOtherSide<Strikes>): void {
    const common = message as ToOtherSide<Strikes>
    switch (common.kind) {
      case 'rule':
        this.#rules.set(common.rule.id, common.rule)
        break
      case 'end-rule':
        this.#rules.delete(common.id)
        break
      case 'settle':
        void this.#settle()
        break
      default:
        this.#parts.hear(message as To)
    }
  }

  #report(): void {
    for (const [id, count] of this.#hits) this.say({ kind: 'hit', id, count })
    this.#hits.clear()
    this.#parts.report()
  }

  async #settle(): Promise<void> {
    while (this.open > 0) await pause(20)
    this.#report()
    this.say({ kind: 'settled' })
  }
}
