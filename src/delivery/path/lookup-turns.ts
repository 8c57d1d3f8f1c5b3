import { CompanyTurns } from '../../common/company-turns.ts'
import { SharedPool } from '../../common/shared-pool.ts'
import { Tally } from '../../common/tally.ts'

/** Look-ups under way at once. Each holds a query of the DNS client, for seconds when a name server is silent. */
const AT_ONCE = 64
/** Places kept for companies that have no look-up under way. */
const KEPT = 8

interface PendingLookup<Answer> {
  name: string
  answer: PromiseWithResolvers<Answer>
  /** Companies that wait for it: it is asked in the turn of any of them. */
  companies: Set<string>
  asked: boolean
}

/**
 * Runs a few slow look-ups at once: companies take turns, and a company whose look-ups find no answer leaves room for
 * the others. Callers that ask for the same name share the answer.
 */
export class LookupTurns<Answer> {
  readonly #ask: (name: string) => Promise<Answer>
  readonly #open = new Map<string, PendingLookup<Answer>>()
  readonly #turns = new CompanyTurns<{ question: PendingLookup<Answer>; company: string }>()
  readonly #places = new SharedPool({ size: AT_ONCE, kept: KEPT, timesFree: 3 })
  /** Look-ups under way, by company. */
  readonly #underWay = new Tally()

  /** `ask` never rejects. */
  constructor(ask: (name: string) => Promise<Answer>) {
    this.#ask = ask
  }

  lookUp(name: string, company: string): Promise<Answer> {
    let question = this.#open.get(name)
    if (question === undefined) {
      question = { name, answer: Promise.withResolvers(), companies: new Set(), asked: false }
      this.#open.set(name, question)
    }
    if (!question.asked && !question.companies.has(company)) {
      question.companies.add(company)
      this.#turns.push(company, { question, company })
      this.#next()
    }
    return question.answer.promise
  }

  #next(): void {
    while (!this.#places.exhausted) {
      const turn = this.#turns.take((company) => this.#places.allows(this.#underWay.of(company)))
      if (turn === null) return
      if (!turn.question.asked) void this.#begin(turn.question, turn.company)
    }
  }

  async #begin(question: PendingLookup<Answer>, company: string): Promise<void> {
    question.asked = true
    this.#places.take(1)
    this.#underWay.add(company, 1)
    const answer = await this.#ask(question.name)
    this.#places.give(1)
    this.#underWay.add(company, -1)
    this.#open.delete(question.name)
    question.answer.resolve(answer)
    this.#next()
  }
}
