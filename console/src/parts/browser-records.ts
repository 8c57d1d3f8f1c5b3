/** Values that the browser keeps by name, for all of its tabs. */
export class BrowserRecords<Value> {
  readonly #prefix: string
  readonly #parse: (text: string | null) => Value
  readonly #known = new Map<string, Value>()
  readonly #listeners = new Set<() => void>()

  /** `parse`: of the kept text; null: nothing is kept. */
  constructor(prefix: string, parse: (text: string | null) => Value) {
    this.#prefix = prefix
    this.#parse = parse
    // Another tab has changed them.
    window.addEventListener('storage', ({ key }) => {
      if (key !== null && !key.startsWith(prefix)) return
      this.#known.clear()
      this.#tell()
    })
  }

  /** The same object until it changes. */
  read(name: string): Value {
    if (!this.#known.has(name)) this.#known.set(name, this.#parse(localStorage.getItem(this.#prefix + name)))
    return this.#known.get(name)!
  }

  /** Null: keeps nothing. */
  keep(name: string, text: string | null): void {
    if (text === null) localStorage.removeItem(this.#prefix + name)
    else localStorage.setItem(this.#prefix + name, text)
    this.#known.delete(name)
    this.#tell()
  }

  /** The `subscribe` function of `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
