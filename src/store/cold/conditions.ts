/** The conditions of a query that follows from a filter, and the values behind their placeholders. */
type FilterValue = string | number | boolean

export class Conditions {
  /** In the order of their placeholders. */
  readonly values: FilterValue[] = []
  readonly #conditions: string[] = []

  /** A field that the filter leaves out (null or undefined) has no condition. `condition` gets the placeholder. */
  where(value: FilterValue | null | undefined, condition: (place: string) => string): void {
    if (value !== undefined && value !== null) this.#conditions.push(condition(this.place(value)))
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
