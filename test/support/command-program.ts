/**
 * Runs commands one after another in one process, as `bin/postroad` runs each in a process of its own: commands.ts starts
 * this and sends it what to run. Most of a command's processor time goes into the start of its process.
 */
import { run } from '../../src/cli/main.ts'

export interface CommandRequest {
  args: string[]
  folder: string
  env: Record<string, string>
}

export interface CommandAnswer {
  code: number
  stdout: Buffer
  stderr: Buffer
  /** Kinds of resources that would have kept a process of its own from ending. */
  leftOpen: string[]
}

/** Ms for what ends by itself after a command, such as connections on their way down. */
const GRACE = 10_000

/** What keeps the process from ending, by kind. Immediates are our own. */
function openResources(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate')
}

function moreThan(baseline: readonly string[]): string[] {
  const known = [...baseline]
  return openResources().filter((kind) => {
    const index = known.indexOf(kind)
    if (index >= 0) known.splice(index, 1)
    return index < 0
  })
}

async function leftOpenAfter(baseline: readonly string[]): Promise<string[]> {
  const giveUp = performance.now() + GRACE
  for (;;) {
    const left = moreThan(baseline)
    if (left.length === 0 || performance.now() > giveUp) return left
    await new Promise(setImmediate)
  }
}

function become({ folder, env }: CommandRequest): void {
  process.chdir(folder)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** Keeps what is written to the stream; `end` gives it back and lets the stream write again. */
function captured(stream: NodeJS.WriteStream) {
  const written: Buffer[] = []
  const { write } = stream
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    written.push(Buffer.from(chunk as Uint8Array))
    const done = rest.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
  return {
    end() {
      stream.write = write
      return Buffer.concat(written)
    },
  }
}

async function answer(request: CommandRequest): Promise<CommandAnswer> {
  become(request)
  process.exitCode = undefined
  const listeners = process.stdout.listeners('error')
  const baseline = openResources()
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)]
  try {
    await run(request.args)
  } finally {
    for (const each of process.stdout.listeners('error')) {
      if (!listeners.includes(each)) process.stdout.off('error', each as () => void)
    }
  }
  const leftOpen = await leftOpenAfter(baseline)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return { code, stdout: stdout.end(), stderr: stderr.end(), leftOpen }
}

// The streams are made when they are first named: not within a command, where they would count as left open.
void [process.stdout, process.stderr]
process.on('message', (request: CommandRequest) => {
  void answer(request).then((done) => process.send!(done))
})
process.on('disconnect', () => process.exit(0))
