/** What the fuzzer needs of a parser that reads strangers' input. */

export interface FuzzTarget {
  /** Names the folder of its corpus, too. */
  readonly name: string
  /** What is fuzzed, for the list of `--help`. */
  readonly about: string
  /** Inputs to begin with: ordinary ones, and each form that the parser tells apart. */
  readonly seeds: readonly string[]
  /** Pieces that mean something to the parser; mutations put them where they may hurt. */
  readonly tokens: readonly string[]
  /** Of seeds and tokens: `latin1` where a character stands for an octet. UTF-8 otherwise. */
  readonly encoding?: 'latin1'
  /**
   * Reads the input and checks what must hold of the result. Throws when something does not, and whatever the parser throws that is
   * not its way of refusing.
   */
  run(input: Buffer): void | Promise<void>
  /** Ends what `run` has started. */
  close?(): Promise<void>
}

/** Seeds or tokens as octets. */
export function octetsOf({ encoding }: FuzzTarget, texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text, encoding))
}

/** Texts without a space, written one after the other. */
export function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

/** Throws with the sentence, and both values, when they differ as JSON. */
export function assertSame(sentence: string, one: unknown, other: unknown): void {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)]
  if (left !== right) throw new Error(`${sentence}: ${clip(left)} against ${clip(right)}`)
}

export function assert(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence)
}

/** What `work` returns; undefined when it refuses the input by one of the `refusals`. */
export function unlessRefused<Result>(
  work: () => Result,
  ...refusals: (abstract new (
    ...args: never[]
  ) => Error)[]
): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined
    throw error
  }
}

function clip(text: string | undefined): string {
  return text === undefined ? 'undefined' : text.slice(0, 300)
}
