/** Statements with named values, as in SQLite: `:name`, with a cast where nothing else gives the type. */
import type { Statement, Value } from './database.ts'

export type NamedStatement = (values: Readonly<Record<string, Value>>) => [Statement, Value[]]

/** `name`: the name of the prepared statement. */
export function namedStatement(name: string, text: string): NamedStatement {
  const names: string[] = []
  const numbered = text.replace(/(?<![:\w]):([a-z]\w*)/gi, (_, value: string) => {
    if (!names.includes(value)) names.push(value)
    return `$${names.indexOf(value) + 1}`
  })
  return (values) => [
    { name, text: numbered },
    names.map((value) => {
      const given = values[value]
      if (given === undefined) throw new Error(`the statement ${name} has no value for ${value}`)
      return given
    }),
  ]
}
