import type { OwedAnswer } from '../../email/owed-answer.ts'

const headLimit = 12 * 1024
const tailLimit = 4 * 1024
const lineLimit = 1000

/**
 * The record of a conversation, one line per step: `<ms> > MAIL FROM:<a@x.test>`, `<ms> < 250 2.1.0 Ok`. Milliseconds
 * count from the first moment of this record. Bounded at 16 KB: the beginning and the end are kept, because the end
 * shows why. It never receives credentials or message bodies.
 */
export class Dialogue {
  /** The connection that it takes place on; null: none now. */
  connection: { readonly owed: OwedAnswer | null } | null = null
  #start = performance.now()
  /** All lines with their line breaks, in one string: appending to it copies nothing. */
  #head = ''
  #tail: string[] = []
  #tailSize = 0
  #dropped = 0

  /** Records an event that is neither a command nor a reply. */
  note(line: string): void {
    this.#add('*', line)
  }

  /** Records a command, without CRLF. */
  sent(line: string): void {
    this.#add('>', line)
  }

  /** Records one line of a reply, without CRLF. */
  received(line: string): void {
    this.#add('<', line)
  }

  get text(): string {
    const gap = this.#dropped > 0 ? `  … ${this.#dropped} lines left out …\n` : ''
    return (this.#head + gap + this.#tail.map((line) => `${line}\n`).join('')).slice(0, -1)
  }

  #add(mark: string, text: string): void {
    const shown = text.length > lineLimit ? `${text.slice(0, lineLimit)}…` : text
    const line = `${Math.round(performance.now() - this.#start)} ${mark} ${shown}`
    if (this.#head.length < headLimit) {
      this.#head += `${line}\n`
      return
    }
    this.#tail.push(line)
    this.#tailSize += line.length + 1
    while (this.#tailSize > tailLimit) {
      this.#tailSize -= this.#tail.shift()!.length + 1
      this.#dropped++
    }
  }
}
