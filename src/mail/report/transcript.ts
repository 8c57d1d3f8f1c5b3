/** The dialogue with the remote server, as Sendmail and others repeat it in their text. */

const MAX_LINES = 4_000
const MAX_REPLY_LINES = 30

export class Transcript {
  /** What the remote server said, a line each. */
  readonly #lines: string[]
  /** Where each line occurs first. */
  readonly #places: Map<string, number>

  constructor(text: string) {
    this.#lines = text
      .split('\n', MAX_LINES)
      .map((line) => /^[ \t]*<<< ([245]\d\d.*)$/.exec(line)?.[1])
      .filter((line) => line !== undefined)
    this.#places = new Map(this.#lines.map((line, index) => [line, index] as const).toReversed())
  }

  /** All replies that refuse, '' when there are none. */
  get refusals(): string {
    return this.#lines
      .filter((line) => /^[45]/.test(line))
      .slice(0, 10)
      .join(' ')
  }

  /**
   * A reply as a whole, of which a report has the first line: Sendmail writes no more into Diagnostic-Code. Any other
   * text is given back.
   */
  whole(diagnostic: string): string {
    const first = /^\d{3}-/.test(diagnostic) ? this.#places.get(diagnostic) : undefined
    if (first === undefined) return diagnostic
    const rest: string[] = []
    for (const line of this.#lines.slice(first + 1, first + MAX_REPLY_LINES)) {
      const [, sign, words] = /^\d{3}([ -]?)(?:\d\.\d{1,3}\.\d{1,3} ?)?(.*)$/.exec(line)!
      rest.push(words!)
      if (sign !== '-') break
    }
    return [diagnostic, ...rest].join(' ')
  }
}
