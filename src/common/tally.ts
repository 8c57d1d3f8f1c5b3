/** Amounts by name. A name without an amount takes no room. */
export class Tally {
  readonly #amounts = new Map<string, number>()

  of(name: string): number {
    return this.#amounts.get(name) ?? 0
  }

  /** `more` may be negative. */
  add(name: string, more: number): void {
    const amount = this.of(name) + more
    if (amount === 0) this.#amounts.delete(name)
    else this.#amounts.set(name, amount)
  }

  /** The names with this amount or more. */
  from(amount: number): string[] {
    return [...this.#amounts].flatMap(([name, each]) => (each >= amount ? [name] : []))
  }
}
