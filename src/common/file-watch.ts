import { type StatsListener, unwatchFile, watchFile } from 'node:fs'

/** Milliseconds between looks at the files. Unlike file notifications, polling also sees renames and replaced links. */
const LOOK_EVERY = 1_000
/** Milliseconds from a change until it is reported: files that belong together are written one after the other. */
const SETTLE = 200

/** Reports changes of files. */
export class FileWatch {
  readonly #paths: readonly string[]
  readonly #onChange: StatsListener
  #timer: NodeJS.Timeout | undefined

  constructor(paths: readonly string[], onChange: () => void) {
    this.#paths = paths
    this.#onChange = () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(onChange, SETTLE).unref()
    }
    for (const path of paths) watchFile(path, { interval: LOOK_EVERY, persistent: false }, this.#onChange)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const path of this.#paths) unwatchFile(path, this.#onChange)
  }
}
