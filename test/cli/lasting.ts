/** A command that goes on until it is interrupted, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { bin, type Ran, type Workplace } from './postroad.ts'

export class Lasting {
  readonly #ended: Promise<Ran>
  readonly #child: ChildProcess
  readonly #ran: Ran = { code: null, stdout: '', stderr: '' }
  #heard = Promise.withResolvers<void>()

  constructor(place: Workplace, ...args: string[]) {
    const child = spawn(bin, args, { cwd: place.folder, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    place.serving.add(child)
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        this.#ran[stream] += text
        this.#heard.resolve()
        this.#heard = Promise.withResolvers()
      })
    }
    this.#ended = new Promise((resolve) => {
      child.on('close', (code) => {
        place.serving.delete(child)
        resolve({ ...this.#ran, code })
      })
    })
  }

  /** Its output so far, as soon as this holds. */
  async said(isSo: (ran: Ran) => boolean): Promise<Ran> {
    for (;;) {
      const { promise } = this.#heard
      if (isSo(this.#ran)) return { ...this.#ran }
      await Promise.race([promise, this.#failed()])
    }
  }

  /** Its output with `--json`, as soon as this holds. */
  async until<Line>(isSo: (lines: Line[]) => boolean): Promise<Line[]> {
    const { stdout } = await this.said((ran) => isSo(linesOf(ran)))
    return linesOf({ stdout })
  }

  async #failed(): Promise<never> {
    const { code, stderr } = await this.#ended
    throw new Error(`it ended with ${code}: ${stderr}`)
  }

  interrupt(): Promise<Ran> {
    this.#child.kill('SIGINT')
    return this.#ended
  }
}

/** What was printed with `--json`, one value a line. */
export function linesOf<Line>({ stdout }: Pick<Ran, 'stdout'>): Line[] {
  const lines = stdout.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Line)
}
