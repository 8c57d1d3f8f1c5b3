/** The memory of a process (proc(5)). */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Memory {
  /** Octets of its resident set now, and at most so far. */
  resident: number
  peak: number
  /** The octets of the resident set that no file backs. */
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

/** Resets the peak of a process, which then counts from now on. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Without the right to write the file, the peak stays that of the whole time.
  }
}
