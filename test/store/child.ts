import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

export interface Child {
  /** The next line it prints. Rejects when it ends instead. */
  line(): Promise<string>
  /** SIGKILL: it gets no chance to put anything in order. Resolves with the lines not read yet. */
  kill(): Promise<string[]>
}

/** Starts `child-program.ts` with these arguments in a process of its own; it ends with the test at the latest. */
export async function startChild(context: TestContext, ...args: string[]): Promise<Child> {
  const program = fileURLToPath(new URL('./child-program.ts', import.meta.url))
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  context.after(() => child.kill('SIGKILL'))
  const reader = createInterface({ input: child.stdout })
  const lines: string[] = []
  let waiting: { resolve(line: string): void; reject(error: Error): void } | null = null
  const closed = once(reader, 'close').then(() => waiting?.reject(new Error('The child has ended')))
  reader.on('line', (line) => {
    if (waiting === null) {
      lines.push(line)
      return
    }
    const { resolve } = waiting
    waiting = null
    resolve(line)
  })
  return {
    line() {
      const line = lines.shift()
      if (line !== undefined) return Promise.resolve(line)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
      await closed
      return lines
    },
  }
}
