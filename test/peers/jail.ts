/**
 * A mail server of Debian's in a root directory of its own (chroot): its configuration, queue, mailboxes and users are all in there, and
 * go with it. So servers whose packages exclude each other run side by side, and nothing of the system's own is touched.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FETCH = 'test/peers/fetch.sh'
/** Ms a server has to listen, and to end by itself. */
const PATIENCE = 20_000
const GRACE = 5_000
/** Ms after which it is there, or has ended. */
const STARTED = 1_500

export type ServerName =
  | 'postfix'
  | 'exim'
  | 'opensmtpd'
  | 'sendmail'
  | 'dovecot'
  | 'chasquid'
  | 'haproxy'
  | 'microsocks'

/** Users and groups of all servers, as numbers that mean nothing outside. */
const USERS = {
  root: 0,
  postfix: 40_001,
  'Debian-exim': 40_002,
  opensmtpd: 40_003,
  opensmtpq: 40_004,
  vmail: 40_005,
  nobody: 40_007,
  smmsp: 40_008,
  mail: 40_009,
  dovecot: 40_010,
  dovenull: 40_011,
}
const GROUPS = { ...USERS, postdrop: 40_006, mail: 8 }

/** A module of Cyrus SASL, by which servers log in elsewhere. */
export const SASL_PLAIN = `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/sasl2/libplain.so`

/** Who the mailboxes belong to. */
export const VMAIL = USERS.vmail

function unpacked(server: ServerName): string {
  const checkout = fileURLToPath(new URL('../../', import.meta.url))
  return resolve(checkout, process.env.POSTROAD_TEST_PEERS ?? '.cache/peers', server)
}

/** Why the server cannot be started here, in a sentence; null when it can. */
function hindrance(server: ServerName): string | null {
  if (!existsSync(unpacked(server))) return `there is no ${server}: run ${FETCH}`
  return process.getuid?.() === 0 ? null : 'mail servers are started as root only'
}

/** The reason to skip tests with this server; null to run them. In CI no test is skipped: a missing server fails it. */
export function missing(server: ServerName): string | null {
  return process.env.CI ? null : hindrance(server)
}

export interface User {
  uid: number
  gid: number
}

export function user(name: keyof typeof USERS, group: keyof typeof GROUPS = name): User {
  return { uid: USERS[name], gid: GROUPS[group] }
}

export class Jail implements AsyncDisposable {
  readonly root: string
  readonly #server: ServerName
  #process: ChildProcess | undefined
  #output = ''

  /** `programs`: paths within the packages, or of the system, that are to run in it; their libraries come along. */
  constructor(server: ServerName, programs: readonly string[]) {
    const reason = hindrance(server)
    if (reason !== null) throw new Error(reason)
    this.#server = server
    this.root = mkdtempSync(join(tmpdir(), `postroad-${server}-`))
    try {
      this.#furnish(programs)
    } catch (error) {
      rmSync(this.root, { recursive: true, force: true })
      throw error
    }
  }

  #furnish(programs: readonly string[]): void {
    // Its processes run as users that have to get in.
    chmodSync(this.root, 0o755)
    cpSync(unpacked(this.#server), this.root, { recursive: true, verbatimSymlinks: true })
    for (const [link, target] of [
      ['bin', 'usr/bin'],
      ['lib', 'usr/lib'],
      ['lib64', 'usr/lib64'],
    ] as const) {
      this.directory(target)
      if (!existsSync(join(this.root, link))) execFileSync('ln', ['-s', target, join(this.root, link)])
    }
    for (const directory of ['etc', 'dev', 'var/spool', 'var/lib', 'var/mail', 'run'])
      this.directory(directory)
    this.directory('tmp', undefined, 0o1777)
    execFileSync('ln', ['-s', '../run', join(this.root, 'var/run')])
    this.#devices()
    this.#libraries(programs)
    const users = Object.entries(USERS).map(([name, id]) => `${name}:x:${id}:${id}::/var/mail:/bin/sh`)
    this.write('etc/passwd', `${users.join('\n')}\n`)
    this.write(
      'etc/group',
      `${Object.entries(GROUPS)
        .map(([name, id]) => `${name}:x:${id}:`)
        .join('\n')}\n`,
    )
    this.write('etc/hosts', '127.0.0.1 localhost\n')
    this.write('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files\n')
    // No name server is there: every look-up fails at once.
    this.write('etc/resolv.conf', 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
    this.write('etc/services', 'smtp 25/tcp\nsmtps 465/tcp\nsubmission 587/tcp\n')
  }

  #devices(): void {
    for (const [name, minor] of [
      ['null', 3],
      ['zero', 5],
      ['random', 8],
      ['urandom', 9],
    ] as const) {
      execFileSync('mknod', ['-m', '666', join(this.root, 'dev', name), 'c', '1', String(minor)])
    }
  }

  /** Those of the packages are in there already; those of the system are linked to, or copied from another file system. */
  #libraries(programs: readonly string[]): void {
    const own = [
      'usr/lib/postfix',
      'usr/lib/dovecot',
      'usr/lib/dovecot/modules/old-stats',
      'usr/lib/x86_64-linux-gnu',
      'usr/lib/aarch64-linux-gnu',
    ].map((path) => join(this.root, path))
    const env = { ...process.env, LD_LIBRARY_PATH: own.join(':') }
    const paths = programs.map((program) => {
      const inside = join(this.root, program)
      if (!existsSync(inside)) this.#bring(`/${program}`)
      return inside
    })
    const listed = execFileSync('ldd', paths, { env, encoding: 'utf8' })
    for (const [, needed] of listed.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)) {
      if (!needed!.startsWith(this.root)) this.#bring(needed!)
    }
    const lost = /^\s*(\S+) => not found/m.exec(listed)
    if (lost) throw new Error(`${this.#server} needs ${lost[1]}, which is not there: run ${FETCH} again`)
  }

  #bring(path: string): void {
    const inside = join(this.root, path)
    if (existsSync(inside)) return
    mkdirSync(dirname(inside), { recursive: true })
    try {
      linkSync(realpathSync(path), inside)
    } catch {
      cpSync(realpathSync(path), inside)
    }
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text, { mode })
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  directory(path: string, owner: User = { uid: 0, gid: 0 }, mode = 0o755): void {
    const inside = join(this.root, path)
    mkdirSync(inside, { recursive: true })
    chownSync(inside, owner.uid, owner.gid)
    chmodSync(inside, mode)
  }

  /** Gives a program the rights of this group. */
  setGroup(path: string, { gid }: User): void {
    chownSync(join(this.root, path), 0, gid)
    chmodSync(join(this.root, path), 0o2755)
  }

  /** Starts the server, which stays in the foreground; resolves when it listens at all of these addresses. */
  async start(
    command: readonly string[],
    addresses: readonly { host: string; port: number }[],
  ): Promise<void> {
    // The shell ends it when its own standard input ends, which it does with this process, however that goes: a group of its own
    // keeps it out of what kills a whole group. Many open files would take daemons seconds to close one by one.
    const script =
      'ulimit -n 1024; chroot "$@" </dev/null & server=$!; read -r _; kill -TERM $server; wait $server; ' +
      // What is on its way out may still write something.
      'rm -rf "$1" || { sleep 1; rm -rf "$1"; }'
    this.#process = spawn('sh', ['-c', script, 'sh', this.root, ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-20_000)
      })
    }
    try {
      await Promise.all(addresses.map(({ host, port }) => this.#listening(host, port)))
    } catch (error) {
      await this[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Runs a command in it, to its end. */
  async run(command: readonly string[]): Promise<void> {
    await promisify(execFile)('chroot', [this.root, ...command], { timeout: PATIENCE })
  }

  /** Kills all its processes of this name, and returns whether there was one. */
  kill(name: string): boolean {
    const pids = this.#inhabitants().filter((pid) => nameOf(pid) === name)
    for (const pid of pids) kill(pid)
    return pids.length > 0
  }

  /** The end of its output and of its log files. */
  get log(): string {
    const folder = join(this.root, 'var/log')
    const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
    const files = entries.filter((entry) => entry.isFile())
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    return this.#output + texts.map((text) => text.slice(-20_000)).join('')
  }

  async #listening(host: string, port: number): Promise<void> {
    const begun = performance.now()
    while (!(await connects(host, port))) {
      const late = performance.now() > begun + PATIENCE
      if (late || (performance.now() > begun + STARTED && this.#inhabitants().length === 0)) {
        throw new Error(`${this.#server} does not listen on ${host}:${port}:\n${this.log}`)
      }
      await pause(20)
    }
  }

  /** Ends it, and whatever of it is left, and removes its root. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined) {
      const gone = this.#process.exitCode === null ? once(this.#process, 'exit') : null
      this.#process.stdin!.end()
      await Promise.race([gone, pause(GRACE, undefined, { ref: false })])
      this.#process.kill('SIGKILL')
    }
    for (const end = performance.now() + GRACE; this.#inhabitants().length > 0 && performance.now() < end; ) {
      for (const pid of this.#inhabitants()) kill(pid)
      await pause(20)
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Processes whose root directory it is, or lies in it. */
  #inhabitants(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        const root = rootOf(pid)
        return root === this.root || root?.startsWith(`${this.root}/`)
      })
  }
}

function rootOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/root`)
  } catch {
    return null
  }
}

function nameOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd()
  } catch {
    return null
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

async function connects(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** The messages in a maildir, as written, oldest first; none when nothing was delivered. */
export function maildir(path: string): Buffer[] {
  const folder = join(path, 'new')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => readFileSync(file))
}
