/**
 * Runs the command as a person does, in a folder of its own. The commands of a workplace share a process (see
 * ../support/commands.ts); `runProgram` gives each one of its own, and so does `serve`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runShared, runsInShared } from '../support/commands.ts'
import { testDatabase } from '../support/engine.ts'

export const bin = fileURLToPath(new URL('../../bin/postroad', import.meta.url))

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface Workplace {
  folder: string
  env: NodeJS.ProcessEnv
  run(...args: string[]): Promise<Ran>
  /** Runs with `--json` and reads the answer; throws with the complaint of the command. */
  json<T>(...args: string[]): Promise<T>
  /** Services that a failed test left running; `remove` ends them. */
  serving: Set<ChildProcess>
  remove(): void
}

/** An empty folder to run in; the database is `./data/postroad.db` in it. Nothing of the outer environment's settings counts. */
export function newWorkplace(settings: Record<string, string> = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'postroad cli '))
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTROAD_'))
  const env = {
    ...Object.fromEntries(inherited),
    POSTROAD_HOSTNAME: 'mail.service.test',
    // Its default has fixed ports, and many services run at once.
    POSTROAD_SUBMISSION_LISTEN: 'off',
    ...settings,
  }
  const serving = new Set<ChildProcess>()
  const run = async (...args: string[]): Promise<Ran> => {
    if (!runsInShared(args, env)) return await runProgram(bin, args, { cwd: folder, env })
    const { code, stdout, stderr } = await runShared({
      args,
      folder,
      env: { ...env } as Record<string, string>,
    })
    return { code, stdout: stdout.toString(), stderr: stderr.toString() }
  }
  return {
    folder,
    env,
    run,
    async json(...args) {
      const { code, stdout, stderr } = await run(...args, '--json')
      if (code !== 0) throw new Error(`postroad ${args.join(' ')}: exit code ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    serving,
    remove() {
      for (const child of serving) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** As `newWorkplace`, on the database of this test run (see ../support/engine.ts). */
export async function newWorkplaceOnEngine(settings: Record<string, string> = {}): Promise<Workplace> {
  const { url, secretKey, done } = await testDatabase('./data/postroad.db')
  const key = secretKey === null ? {} : { POSTROAD_SECRET_KEY: secretKey.toString('hex') }
  const place = newWorkplace({ POSTROAD_DATABASE_URL: url, ...key, ...settings })
  const { remove } = place
  place.remove = () => {
    remove()
    done()
  }
  return place
}

export function runProgram(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...ran, code }))
  })
}

export interface Serving {
  url: string
  /** All of stdout so far. */
  stdout(): string
  /** Closes our end of its stdout. */
  closeOutput(): void
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ran & { signal: NodeJS.Signals | null }>
}

/** Runs `serve` on a free port until it says where it listens, and `until` matches what it printed. */
export async function serve(place: Workplace, args: string[] = [], until = /./): Promise<Serving> {
  const env = { POSTROAD_LISTEN: '127.0.0.1:0', ...place.env }
  const child = spawn(bin, ['serve', ...args], { cwd: place.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  place.serving.add(child)
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  const ended = new Promise<Ran & { signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      place.serving.delete(child)
      resolve({ ...ran, code, signal })
    })
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      ran.stdout += text
      const found = /\bhttps?:\/\/127\.0\.0\.1:\d+/.exec(ran.stdout)
      if (found && until.test(ran.stdout)) resolve(found[0])
    })
    void ended.then(({ code, stderr }) => reject(new Error(`serve ended with ${code}: ${stderr}`)))
  })
  return {
    url,
    stdout: () => ran.stdout,
    closeOutput: () => child.stdout.destroy(),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}
