/** Waiting items by company: companies take turns, the items of one company go in order. */
export class CompanyTurns<Item> {
  /** The items of each company by its id, in the order of the companies' turns. */
  readonly #companies = new Map<string, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  waiting(company: string): number {
    return this.#companies.get(company)?.length ?? 0
  }

  push(company: string, item: Item): void {
    this.#itemsOf(company).push(item)
    this.#length++
  }

  /** Puts an item back to the front of the company's items. */
  unshift(company: string, item: Item): void {
    this.#itemsOf(company).unshift(item)
    this.#length++
  }

  /** Takes an item out of turn. */
  remove(company: string, item: Item): void {
    const items = this.#companies.get(company) ?? []
    const index = items.indexOf(item)
    if (index === -1) return
    items.splice(index, 1)
    if (items.length === 0) this.#companies.delete(company)
    this.#length--
  }

  #itemsOf(company: string): Item[] {
    let items = this.#companies.get(company)
    if (items === undefined) {
      items = []
      this.#companies.set(company, items)
    }
    return items
  }

  /** The next item of the company whose turn it is, among those that may have one. */
  take(mayHaveOne: (company: string) => boolean = () => true): Item | null {
    for (const [company, items] of this.#companies) {
      if (!mayHaveOne(company)) continue
      const item = items.shift()!
      // The company goes to the end of the line.
      this.#companies.delete(company)
      if (items.length > 0) this.#companies.set(company, items)
      this.#length--
      return item
    }
    return null
  }
}
