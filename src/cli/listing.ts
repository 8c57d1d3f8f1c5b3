/** Prints the result of a listing verb: as one JSON array, or as a table. */
import type { Operation } from '../operate/verb.ts'
import type { JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { type Cell, printJson, printTable } from './print.ts'

interface Listing<Wanted, Item> {
  verb(op: Operation, wanted: Wanted): Promise<Item[]>
  json(item: Item, op: Operation): unknown
  titles: string[]
  /** The cells under the titles. */
  row(item: Item, op: Operation): Cell[]
  /** Printed instead of a table without rows. */
  nothing: string
}

/** Makes an action whose options are the verb's input. */
export function listing<Wanted, Item>({ verb, json, titles, row, nothing }: Listing<Wanted, Item>) {
  return async ({ json: asJson, ...wanted }: JsonOption & Wanted): Promise<void> => {
    await withOperation(async (op) => {
      const items = await verb(op, wanted as Wanted)
      if (asJson) return printJson(items.map((item) => json(item, op)))
      const rows = items.map((item) => row(item, op))
      printTable(titles, rows, nothing)
    })
  }
}
