/** The dialogue with the remote server, as Sendmail and others repeat it in their text. */
import { type ReportedStage, stageOfCommand } from './stage.ts'

const MAX_LINES = 4_000
const MAX_REPLY_LINES = 12

interface TranscriptLine {
  line: string
  stage: ReportedStage | null
}

export class Transcript {
  /** The lines of the remote server. */
  readonly #said: TranscriptLine[] = []
  /** Where each line occurs first. */
  readonly #places = new Map<string, number>()

  constructor(text: string) {
    let stage: ReportedStage | null = null
    for (const each of text.split('\n', MAX_LINES)) {
      const [, sign, line] = /^[ \t]*(>>>|<<<) (.*)$/.exec(each) ?? []
      if (line === undefined) continue
      if (sign === '>>>') stage = stageOfCommand(line)
      else if (/^[245]\d\d/.test(line)) {
        if (!this.#places.has(line)) this.#places.set(line, this.#said.length)
        this.#said.push({ line, stage })
      }
    }
  }

  /** All replies that refuse, '' when there are none. */
  get refusals(): string {
    const refusing = this.#said.filter(({ line }) => /^[45]/.test(line))
    return refusing
      .map(({ line }) => line)
      .slice(0, 10)
      .join('\n')
  }

  /** The command that was answered by a reply that begins like this; null when the dialogue does not have it. */
  stageOf(diagnostic: string): ReportedStage | null {
    const place = this.#places.get(diagnostic)
    return place === undefined ? null : this.#said[place]!.stage
  }

  /**
   * The whole reply whose first line is the diagnostic: Sendmail writes only that line into Diagnostic-Code. Any other
   * text is returned as it is.
   */
  whole(diagnostic: string): string {
    const first = /^\d{3}-/.test(diagnostic) ? this.#places.get(diagnostic) : undefined
    if (first === undefined) return diagnostic
    const rest: string[] = []
    for (const { line } of this.#said.slice(first + 1, first + MAX_REPLY_LINES)) {
      const [, sign, words] = /^\d{3}([ -]?)(?:\d\.\d{1,3}\.\d{1,3} ?)?(.*)$/.exec(line)!
      rest.push(words!)
      if (sign !== '-') break
    }
    return [diagnostic, ...rest].join(' ')
  }
}
