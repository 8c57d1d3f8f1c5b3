/** The library that nodes preload (preload.c): it is compiled for a run, and mapped files tell it which faults to cause in which node. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('./preload.c', import.meta.url))

/** The same order as in preload.c; 64-bit numbers. */
const FIELDS = [
  'clockOffset',
  'failingSyncs',
  'failingWrites',
  'syncDelay',
  'clockReads',
  'failed',
  'delayed',
  'full',
] as const
type Field = (typeof FIELDS)[number]
const WIDTH = 8

/** The faults that the library causes in one node, and how often it has caused them. Outlives the node's processes. */
export class PreloadControl {
  readonly path: string
  readonly #fd: number

  constructor(path: string) {
    this.path = path
    writeFileSync(path, Buffer.alloc(FIELDS.length * WIDTH))
    this.#fd = openSync(path, 'r+')
  }

  /** Ms added to the wall clock. */
  set clockOffset(ms: number) {
    this.#set('clockOffset', Math.round(ms * 1e6))
  }

  get clockOffset(): number {
    return this.#get('clockOffset') / 1e6
  }

  /** Share of the fsyncs that fail. */
  set failingSyncs(share: number) {
    this.#set('failingSyncs', Math.round(share * 1_000))
  }

  /** Share of the writes that fail. */
  set failingWrites(share: number) {
    this.#set('failingWrites', Math.round(share * 1_000))
  }

  /** Ms that every fsync waits. */
  set syncDelay(ms: number) {
    this.#set('syncDelay', Math.round(ms * 1_000))
  }

  /** How often the clock was read while it was wrong. */
  get clockReads(): number {
    return this.#get('clockReads')
  }

  /** Calls that were made to fail. */
  get failed(): number {
    return this.#get('failed')
  }

  get delayed(): number {
    return this.#get('delayed')
  }

  /** Writes that failed because the disk was full. */
  get full(): number {
    return this.#get('full')
  }

  close(): void {
    closeSync(this.#fd)
  }

  #set(field: Field, value: number): void {
    const octets = Buffer.alloc(WIDTH)
    octets.writeBigInt64LE(BigInt(value))
    writeSync(this.#fd, octets, 0, WIDTH, FIELDS.indexOf(field) * WIDTH)
  }

  #get(field: Field): number {
    const octets = Buffer.alloc(WIDTH)
    readSync(this.#fd, octets, 0, WIDTH, FIELDS.indexOf(field) * WIDTH)
    return Number(octets.readBigInt64LE())
  }
}

export class Preload {
  readonly #library: string
  readonly #directory: string
  readonly #concerned: string
  readonly #controls = new Map<string, PreloadControl>()

  private constructor(library: string, directory: string, concerned: string) {
    this.#library = library
    this.#directory = directory
    this.#concerned = concerned
  }

  /** Compiles the library into `directory`. `concerned`: the folder whose files can have failing writes. Returns a sentence if this machine cannot compile it. */
  static compile(directory: string, concerned: string): Preload | string {
    const library = join(directory, 'preload.so')
    try {
      const args = ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, SOURCE, '-ldl']
      execFileSync('cc', args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
    } catch (error) {
      const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string }
      if (code === 'ENOENT')
        return 'there is no C compiler (Debian: apt-get install gcc libc6-dev) for the library that does it'
      return `the library that does it cannot be compiled: ${stderr ?? code}`
    }
    return new Preload(library, directory, concerned)
  }

  /** The control of a node, by the node's name. */
  of(node: string): PreloadControl {
    let control = this.#controls.get(node)
    if (control === undefined) {
      control = new PreloadControl(join(this.#directory, `${node}.control`))
      this.#controls.set(node, control)
    }
    return control
  }

  /** The environment with which a process lists the paths that it syncs, in order, and a function that reads the list. */
  listing(name: string): { environment: Record<string, string>; synced: () => string[] } {
    const list = join(this.#directory, `${name}.synced`)
    writeFileSync(list, '')
    return {
      environment: { LD_PRELOAD: this.#library, CHAOS_PRELOAD_SYNCED: list },
      synced: () => readFileSync(list, 'utf8').split('\n').slice(0, -1),
    }
  }

  /** The environment with which the process of a node loads the library. */
  environment(node: string): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      CHAOS_PRELOAD_DIRECTORY: this.#concerned,
      CHAOS_PRELOAD_CONTROL: this.of(node).path,
    }
  }

  close(): void {
    for (const control of this.#controls.values()) control.close()
    this.#controls.clear()
  }
}
