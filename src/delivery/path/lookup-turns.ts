import { CompanyPlaces } from '../../common/company-places.ts'

/** Look-ups under way at once. Each holds a query of the DNS client, for seconds when a name server is silent. */
const AT_ONCE = 64
/** Places kept for companies that have no look-up under way. */
const RESERVED_PLACES = 8

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
  readonly #places = new CompanyPlaces({ size: AT_ONCE, kept: RESERVED_PLACES, timesFree: 3 })

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
      void this.#askInTurn(question, company)
    }
    return question.answer.promise
  }

  async #askInTurn(question: PendingLookup<Answer>, company: string): Promise<void> {
    const done = this.#places.takeFree(company) ?? (await this.#places.take(company))
    if (!question.asked) {
      question.asked = true
      const answer = await this.#ask(question.name)
      this.#open.delete(question.name)
      question.answer.resolve(answer)
    }
    done()
  }
}
