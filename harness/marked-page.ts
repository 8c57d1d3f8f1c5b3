/** A page with text written by hand and generated figures between markers; and tables in Markdown. */
import { readFileSync, writeFileSync } from 'node:fs'

export class MarkedPage {
  /** From the root of the repository. */
  readonly #name: string
  /** The program that fills it, as the markers name it. */
  readonly #maker: string
  readonly #sections: Record<string, () => string>

  constructor(name: string, maker: string, sections: Record<string, () => string>) {
    this.#name = name
    this.#maker = maker
    this.#sections = sections
  }

  read(): string {
    return readFileSync(this.#path, 'utf8')
  }

  /** The page with its sections made anew. Throws when a marker is missing. */
  madeAnew(page: string): string {
    let made = page
    for (const [name, section] of Object.entries(this.#sections)) {
      const begin = `<!-- begin ${name}: made by ${this.#maker} -->\n`
      const end = `<!-- end ${name} -->`
      const from = made.indexOf(begin)
      const to = made.indexOf(end)
      if (from < 0 || to < from) throw new Error(`${this.#name} lacks the markers of the section "${name}"`)
      made = `${made.slice(0, from + begin.length)}\n${section()}\n\n${made.slice(to)}`
    }
    return made
  }

  write(): void {
    writeFileSync(this.#path, this.madeAnew(this.read()))
  }

  get #path(): URL {
    return new URL(`../${this.#name}`, import.meta.url)
  }
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
