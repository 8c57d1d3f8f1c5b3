/** Computes how much a text grows when a recipient's values are filled in, without filling them in. */
import { type Addressee, PLACEHOLDER, valueFor } from './substitute.ts'

const PREDEFINED = [undefined, 'email', 'name', 'fname', 'lname']

/** The placeholders of some texts, counted once; then each recipient costs no more than its own values. */
export class Placeholders {
  readonly #weigh: (text: string) => number
  /** Number of references, by key, and by predefined name. */
  readonly #keys = new Map<string, number>()
  readonly #predefined = new Map<string | undefined, number>()
  /** Weight of the texts as they are. */
  readonly template: number

  /** @param weigh the measure: two joined texts must weigh as much as both together */
  constructor(texts: Iterable<string>, weigh: (text: string) => number) {
    this.#weigh = weigh
    let template = 0
    for (const text of texts) {
      template += weigh(text)
      if (!text.includes('%recipient')) continue
      for (const [, key, predefined] of text.matchAll(PLACEHOLDER)) {
        if (key !== undefined) this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1)
        else this.#predefined.set(predefined, (this.#predefined.get(predefined) ?? 0) + 1)
      }
    }
    this.template = template
  }

  get none(): boolean {
    return this.#keys.size === 0 && this.#predefined.size === 0
  }

  /** Weight of the texts with this addressee's values in them. Exact. */
  filled(addressee: Addressee): number {
    let total = this.template
    for (const [key, value] of Object.entries(addressee.variables)) {
      const count = this.#keys.get(key)
      if (count !== undefined) total += count * (this.#weigh(value) - this.#weigh(`%recipient.${key}%`))
    }
    for (const name of PREDEFINED) {
      const count = this.#predefined.get(name)
      if (count === undefined) continue
      const placeholder = name === undefined ? '%recipient%' : `%recipient_${name}%`
      const value = valueFor(addressee, undefined, name) ?? ''
      total += count * (this.#weigh(value) - this.#weigh(placeholder))
    }
    return total
  }
}
