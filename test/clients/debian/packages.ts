/** Clients that come as Debian packages, unpacked by test/peers/fetch.sh, and run as they are. */
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FETCH = 'test/peers/fetch.sh'
const run = promisify(execFile)

export type Client = 'symfony' | 'anymail'

function unpacked(client: Client): string {
  const checkout = fileURLToPath(new URL('../../../', import.meta.url))
  return resolve(checkout, process.env.POSTROAD_TEST_PEERS ?? '.cache/peers', client)
}

function hindrance(client: Client): string | null {
  const root = unpacked(client)
  if (!existsSync(root)) return `there is no ${client}: run ${FETCH}`
  if (client === 'anymail')
    return existsSync('/usr/bin/python3') ? null : "there is no /usr/bin/python3, Debian's"
  return phpOf(root) === undefined ? 'there is no PHP' : null
}

/** False, or the reason to skip tests with this client, which is also printed. In CI no test is skipped: a missing client fails it. */
export function missing(client: Client): string | false {
  const why = process.env.CI ? null : hindrance(client)
  if (why === null) return false
  process.stderr.write(`NOT TESTED with ${client}: ${why}\n`)
  return why
}

/** Where packages of the system are used when it has them: then they were not downloaded. */
const first = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern)).at(0)
const phpOf = (root: string) => first(join(root, 'usr/bin/php[0-9]*'), '/usr/bin/php[0-9]*')

export interface Runtime {
  command: string
  /** Before the program. */
  args: string[]
  env: Record<string, string>
}

/** PHP with the client on its include path. Throws where it cannot be had. */
export function phpRuntime(): Runtime {
  const why = hindrance('symfony')
  if (why !== null) throw new Error(why)
  const root = unpacked('symfony')
  const extensions = first(join(root, 'usr/lib/php/2*'), '/usr/lib/php/2*')!
  const needed = ['ctype', 'tokenizer', 'mbstring', 'iconv', 'intl', 'fileinfo']
  const settings = [
    `extension_dir=${extensions}`,
    ...needed.map((name) => `extension=${name}`),
    `include_path=${join(root, 'usr/share/php')}:/usr/share/php`,
    'display_errors=stderr',
    'error_reporting=E_ALL & ~E_DEPRECATED',
  ].flatMap((setting) => ['-d', setting])
  return { command: phpOf(root)!, args: ['-n', ...settings], env: libraries(root) }
}

/** Python with the client, Django and requests. Throws where it cannot be had. */
export function pythonRuntime(): Runtime {
  const why = hindrance('anymail')
  if (why !== null) throw new Error(why)
  const root = unpacked('anymail')
  const env = { PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'), PYTHONDONTWRITEBYTECODE: '1' }
  return { command: '/usr/bin/python3', args: [], env: { ...libraries(root), ...env } }
}

/** What the program prints as JSON, given `input` as JSON. Throws with what it says when it fails. */
export function runPhp(program: string, input: object): Promise<Record<string, unknown>> {
  return talk(phpRuntime(), program, input)
}

/** The same in Python. */
export function runPython(program: string, input: object): Promise<Record<string, unknown>> {
  return talk(pythonRuntime(), program, input)
}

/** Libraries that came with the packages. */
function libraries(root: string): Record<string, string> {
  return { LD_LIBRARY_PATH: globSync(join(root, 'usr/lib/*-linux-gnu*')).join(':') }
}

async function talk({ command, args, env }: Runtime, program: string, input: object) {
  const called = run(command, [...args, program], { env: { ...process.env, ...env }, timeout: 60_000 })
  called.child.stdin!.end(JSON.stringify(input))
  const { stdout } = await called
  return JSON.parse(stdout) as Record<string, unknown>
}
