/** The directory of one run, with a file system of its own beneath the database where that is possible, and nothing left of either. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

const PREFIX = 'postroad-chaos-'

/** Largest size of the disk image; sparse, so that it takes what is written. */
const IMAGE_BYTES = 40 * 1024 ** 3

export class Place {
  readonly directory: string
  /** Where the database lies. */
  readonly data: string
  /** The database has a file system of its own, which can be filled. */
  readonly mounted: boolean
  #removed = false

  constructor(wantsDisk: boolean) {
    this.directory = mkdtempSync(join(os.tmpdir(), `${PREFIX}${process.pid}-`))
    this.data = join(this.directory, 'data')
    mkdirSync(this.data)
    this.mounted = wantsDisk && mountImage(join(this.directory, 'disk.img'), this.data)
    // The first start writes a lost+found on some file systems; nobody else's files may lie there.
    process.once('exit', () => this.remove())
  }

  remove(): void {
    if (this.#removed) return
    this.#removed = true
    clear(this.directory)
  }
}

/** Removes what runs left behind that were killed outright. */
export function removeLeftovers(): void {
  for (const name of readdirSync(os.tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]) : Number.NaN
    if (Number.isNaN(pid) || existsSync(`/proc/${pid}`)) continue
    clear(join(os.tmpdir(), name))
  }
}

function clear(directory: string): void {
  const data = join(directory, 'data')
  try {
    // Fails when nothing is mounted, which is as good.
    execFileSync('umount', ['--lazy', data], { stdio: 'ignore' })
  } catch {}
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}

function mayMount(): boolean {
  return process.getuid?.() === 0 && existsSync('/dev/loop-control')
}

/** An ext4 image on a loop device: a real file system with a real fsync, that can be full. False where it cannot be had. */
function mountImage(image: string, at: string): boolean {
  if (!mayMount()) return false
  try {
    writeFileSync(image, '')
    truncateSync(image, IMAGE_BYTES)
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'loop', image, at], { stdio: 'ignore' })
    return true
  } catch {
    rmSync(image, { force: true })
    return false
  }
}
