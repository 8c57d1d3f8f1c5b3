import { Refusal } from '../../intake/refusal.ts'
import type { ControlField } from '../../mail/raw/control.ts'
import { type Controls, isControl, readControls, strongest } from './control.ts'
import { type Form, fieldName } from './form.ts'
import type { OptionField } from './options.ts'
import type { FieldName } from './schemas.ts'

/** Octets of all option fields together, names and values. */
const MAX_OPTIONS = 16 * 1024

/** The fields of one form by kind. Names and prefixes are case-insensitive. */
export class Fields {
  readonly #plain = new Map<string, string[]>()
  readonly #options: OptionField[] = []
  readonly #variables: [name: string, value: string][] = []
  readonly #controls: Controls[]
  /** The `h:` fields that are header fields. */
  readonly headers: [name: string, value: string][] = []

  /**
   * `inMessage`: the control fields of a ready message; form fields take precedence over them. Throws a Refusal or a
   * Fault for control fields that cannot be read, and for options over the limit.
   */
  constructor(fields: Form['fields'], inMessage: readonly ControlField[] = []) {
    const beside: ControlField[] = []
    let octets = 0
    for (const [name, value] of fields) {
      const prefix = name.slice(0, 2).toLowerCase()
      if (prefix === 'o:' || prefix === 'h:' || prefix === 'v:' || prefix === 't:') {
        octets += Buffer.byteLength(name) + Buffer.byteLength(value)
      }
      const rest = name.slice(2)
      if (prefix === 'h:') {
        if (isControl(rest)) beside.push({ name: rest, value })
        else this.headers.push([rest, value])
      } else if (prefix === 'v:') this.#variables.push([rest, value])
      else if (prefix === 'o:') {
        const option = fieldName(name)
        this.#options.push({ name: option, value, shown: option })
      } else if (prefix !== 't:') {
        const plain = fieldName(name)
        const values = this.#plain.get(plain)
        if (values) values.push(value)
        else this.#plain.set(plain, [value])
      }
    }
    const within = readControls(inMessage)
    if (octets + within.octets > MAX_OPTIONS) {
      throw new Refusal({ code: 'options_too_large', max: MAX_OPTIONS })
    }
    this.#controls = [readControls(beside, 'h:'), within]
  }

  /** The values that are not empty. */
  all(name: FieldName): string[] {
    return this.#plain.get(name)?.filter((value) => value !== '') ?? []
  }

  /** The first value that is not empty. */
  first(name: FieldName): string | undefined {
    return this.all(name)[0]
  }

  /** The input of `readOptions`. */
  get options(): OptionField[] {
    return strongest([this.#options, ...this.#controls.map(({ options }) => options)])
  }

  get variables(): Record<string, string> {
    const weakestFirst = [this.#variables, ...this.#controls.map(({ variables }) => variables)].reverse()
    // fromEntries defines own properties, so that `__proto__` is a name like any other.
    return Object.fromEntries(weakestFirst.flat())
  }

  /** Recipient variables of control fields. */
  get controlledRecipients(): Record<string, Record<string, string>> | undefined {
    return this.#controls.find((controls) => controls.recipientVariables)?.recipientVariables
  }

  /** The client's name of the field that names a template; undefined when there is none. */
  get template(): string | undefined {
    if (this.first('template') !== undefined) return 'template'
    return this.#controls.find((controls) => controls.template)?.template
  }
}
