/** The open elements, found by kind or name without looking at those in between. */
import { type Kind, KNOWN } from './elements.ts'

export interface OpenElement {
  readonly kind: Kind
  readonly name: string
}

const NONE: readonly number[] = new Array(KNOWN).fill(-1)

export class OpenElements<E extends OpenElement> {
  readonly #elements: E[] = []
  /** For each open element the place of the next outer one of the same name, or -1. */
  readonly #outwards: number[] = []
  /** The place of the innermost element of each kind, or -1; elements without a kind are kept by name. */
  readonly #innermost = NONE.slice()
  #named: Map<string, number> | undefined

  get depth(): number {
    return this.#elements.length
  }

  get top(): E | undefined {
    return this.#elements[this.#elements.length - 1]
  }

  push(element: E): void {
    const { kind, name } = element
    const place = this.#elements.length
    this.#outwards.push(this.innermost(kind, name))
    if (kind.id >= 0) this.#innermost[kind.id] = place
    else {
      this.#named ??= new Map()
      this.#named.set(name, place)
    }
    this.#elements.push(element)
  }

  pop(): E {
    const element = this.#elements.pop()!
    const outwards = this.#outwards.pop()!
    if (element.kind.id >= 0) this.#innermost[element.kind.id] = outwards
    else if (outwards >= 0) this.#named!.set(element.name, outwards)
    else this.#named!.delete(element.name)
    return element
  }

  /** The place of the innermost element of that kind and name, or -1. */
  innermost(kind: Kind, name: string): number {
    return kind.id >= 0 ? this.#innermost[kind.id]! : (this.#named?.get(name) ?? -1)
  }

  /** The place of the innermost element of that kind, or -1. */
  innermostOf(id: number): number {
    return this.#innermost[id]!
  }

  /** The place of the innermost element of any of the kinds, or -1. */
  innermostOfAny(ids: readonly number[]): number {
    let found = -1
    for (const id of ids) {
      const place = this.#innermost[id]!
      if (place > found) found = place
    }
    return found
  }
}
