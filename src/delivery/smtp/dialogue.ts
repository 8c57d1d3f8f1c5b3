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
  #head: string[] = []
  #headSize = 0
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
    const lines = this.#dropped > 0 ? [...this.#head, `  … ${this.#dropped} lines left out …`] : this.#head
    return [...lines, ...this.#tail].join('\n')
  }

  #add(mark: string, text: string): void {
    const shown = text.length > lineLimit ? `${text.slice(0, lineLimit)}…` : text
    const line = `${Math.round(performance.now() - this.#start)} ${mark} ${shown}`
    if (this.#headSize < headLimit) {
      this.#head.push(line)
      this.#headSize += line.length + 1
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
