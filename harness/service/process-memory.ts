/** The memory of a process (proc(5)). */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Memory {
  /** Octets of its resident set now, and at most so far. */
  resident: number
  peak: number
  /** The octets of it that belong to no file. */
  anonymous: number
}

/** NaN when the process is gone. */
export function processMemory(pid: number): Memory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1])
    return {
      resident: kilobytes('VmRSS') * 1024,
      peak: kilobytes('VmHWM') * 1024,
      anonymous: kilobytes('RssAnon') * 1024,
    }
  } catch {
    return { resident: Number.NaN, peak: Number.NaN, anonymous: Number.NaN }
  }
}

/** The peak of a process is that of the time from now on. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Not ours to write: the peak is then that of all so far.
  }
}
