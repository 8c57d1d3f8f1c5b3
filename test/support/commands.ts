/**
 * Commands for tests that look at what a command does, not at its process: all of a test file run in one process
 * (command-program.ts). Tests of the process itself (signals, terminals, pipes, standard input) start `bin/postroad`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CommandAnswer, CommandRequest } from './command-program.ts'

const PROGRAM = fileURLToPath(new URL('./command-program.ts', import.meta.url))

/** Commands that go on until a signal, and set up their process for that. */
const LASTING = new Set(['serve', 'listen'])

/** Variables by which a process differs from its first moment on. */
const OF_THE_START = ['LD_PRELOAD', 'NODE_OPTIONS', 'TZ']

export function runsInShared([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (OF_THE_START.some((name) => env[name] !== process.env[name])) return false
  return !LASTING.has(command) && !args.includes('--follow')
}

let program: ChildProcess | null = null
/** Ends when the last command has ended. */
let last: Promise<unknown> = Promise.resolve()

after(async () => {
  await last
  if (program === null) return
  const gone = once(program, 'exit')
  program.ref()
  program.disconnect()
  await gone
})

/** Runs a command after the earlier ones. Rejects when it leaves something open that would keep its process from ending. */
export function runShared(request: CommandRequest): Promise<CommandAnswer> {
  const answer = last.then(() => ask(request))
  last = answer.catch(() => {})
  return answer
}

async function ask(request: CommandRequest): Promise<CommandAnswer> {
  program ??= start()
  const answer = await answerOf(program, request)
  if (answer.leftOpen.length > 0) {
    throw new Error(
      `postroad ${request.args.join(' ')} does not end: it leaves open ${answer.leftOpen.join(', ')}`,
    )
  }
  return answer
}

function start(): ChildProcess {
  const child = fork(PROGRAM, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.once('exit', () => {
    if (program === child) program = null
  })
  return child
}

function answerOf(child: ChildProcess, request: CommandRequest): Promise<CommandAnswer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null) =>
      reject(new Error(`postroad ${request.args.join(' ')} ended its process with ${code ?? signal}`))
    child.ref()
    child.channel!.ref()
    child.once('exit', ended)
    child.once('message', (answer: CommandAnswer) => {
      child.off('exit', ended)
      // Between commands it does not keep this process from ending, and it ends with it.
      child.unref()
      child.channel!.unref()
      resolve(answer)
    })
    child.send(request)
  })
}
