const headLimit = 12 * 1024
const tailLimit = 4 * 1024
const lineLimit = 1000

/**
 * The record of a conversation, one line a step: `<ms> > MAIL FROM:<a@x.test>`, `<ms> < 250 2.1.0 Ok`.
 * Milliseconds count from the first moment of this record. Bounded at 16 KB: the beginning and the end are
 * kept, since the end tells why. Credentials and message bodies are never handed to it.
 */
export class Dialogue {
  #start = performance.now()
  /** Every line with its line break: adding to it copies nothing. */
  #head = ''
  #tail: string[] = []
  #tailSize = 0
  #dropped = 0

  /** Something we did or saw that is neither a command nor a reply. */
  note(line: string): void {
    this.#add('*', line)
  }

  /** One command, without CRLF. */
  sent(line: string): void {
    this.#add('>', line)
  }

  /** One line of a reply, without CRLF. */
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
