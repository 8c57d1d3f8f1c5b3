/**
 * Finds which of several terms occur in a text, in one pass (Aho and Corasick, 1975). Searching a long subject for a
 * thousand terms one after the other could block the thread for seconds, if both are crafted for it.
 */
export class TermMatcher {
  /** The transitions: from a state (the term's prefix read so far) by a UTF-16 unit to the next state. */
  readonly #next = new Map<number, number>()
  /**
   * For each state, the state of its longest proper suffix that is a prefix of a term. States of shorter prefixes come
   * first.
   */
  readonly #suffix: number[] = [0]
  /** The final state of each term. */
  readonly #ends = new Map<string, number>([['', 0]])

  constructor(terms: readonly string[]) {
    let level = new Map([...new Set(terms)].map((term) => [term, 0]))
    for (let at = 0; level.size > 0; at++) {
      const longer = new Map<string, number>()
      for (const [term, state] of level) {
        if (at === term.length) this.#ends.set(term, state)
        else longer.set(term, this.#longer(state, term.charCodeAt(at)))
      }
      level = longer
    }
  }

  /** The state for a prefix one unit longer; those of all shorter prefixes exist already. */
  #longer(state: number, unit: number): number {
    const place = placeOf(state, unit)
    const known = this.#next.get(place)
    if (known !== undefined) return known
    const made = this.#suffix.length
    this.#suffix.push(state === 0 ? 0 : this.#after(this.#suffix[state]!, unit))
    this.#next.set(place, made)
    return made
  }

  #after(state: number, unit: number): number {
    for (let from = state; ; from = this.#suffix[from]!) {
      const next = this.#next.get(placeOf(from, unit))
      if (next !== undefined) return next
      if (from === 0) return 0
    }
  }

  /** Returns a function that tells whether a term occurs in one of the texts. */
  within(texts: readonly string[]): (term: string) => boolean {
    const read = new Uint8Array(this.#suffix.length)
    for (const text of texts) {
      let state = 0
      read[0] = 1
      for (let at = 0; at < text.length; at++) {
        state = this.#after(state, text.charCodeAt(at))
        read[state] = 1
      }
    }
    for (let state = read.length - 1; state > 0; state--)
      if (read[state] === 1) read[this.#suffix[state]!] = 1
    return (term) => read[this.#ends.get(term) ?? -1] === 1
  }
}

function placeOf(state: number, unit: number): number {
  return state * 0x1_0000 + unit
}
