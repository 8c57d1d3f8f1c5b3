/** The conditions of a query that follows from a filter, and the values behind their placeholders. */
type FilterValue = string | number | boolean

interface PageFilter {
  after?: string | undefined
  before?: string | undefined
  limit: number
}

export class Conditions {
  /** In the order of their placeholders. */
  readonly values: FilterValue[] = []
  readonly #conditions: string[] = []

  /** A field that the filter leaves out (null or undefined) has no condition. `condition` gets the placeholder. */
  where(value: FilterValue | null | undefined, condition: (place: string) => string): void {
    if (value !== undefined && value !== null) this.#conditions.push(condition(this.place(value)))
  }

  /** `column`: the company's number. Null: rows of all companies. */
  ofCompany(column: string, companyId: string | null): void {
    this.where(companyId, (place) => `${column} = (SELECT num FROM companies WHERE id = ${place})`)
  }

  /**
   * The end of a query for a page of a list, newest first: the page after a row, or the one before it. The latter comes
   * in reverse order. `key`: the column by which the list is ordered.
   */
  page(key: string, { after, before, limit }: PageFilter): string {
    this.where(after, (place) => `${key} < ${place}`)
    this.where(before, (place) => `${key} > ${place}`)
    const order = before === undefined ? 'DESC' : 'ASC'
    return `${this.clause} ORDER BY ${key} ${order} LIMIT ${this.place(limit)}`
  }

  /** The placeholder of a value outside of the conditions, such as a limit. */
  place(value: FilterValue): string {
    return `$${this.values.push(value)}`
  }

  /** Empty without conditions. */
  get clause(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')}`
  }
}
