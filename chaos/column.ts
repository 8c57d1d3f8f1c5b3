/** A column of a table that grows, in few octets: hours of a run fit into memory. */
type Typed = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

export class Column<T extends Typed> {
  readonly #make: new (
    length: number,
  ) => T
  #values: T

  constructor(make: new (length: number) => T) {
    this.#make = make
    this.#values = new make(1_024)
  }

  get(index: number): number {
    return this.#values[index] ?? 0
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const larger = new this.#make(Math.max(index + 1, this.#values.length * 2))
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[index] = value
  }
}
