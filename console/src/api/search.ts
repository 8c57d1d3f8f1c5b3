/** Validates the query string of each page's address, and drops parameters without a valid value. */
type RawSearch = Record<string, unknown>

export function textIn(search: RawSearch, name: string): string | undefined {
  const value = search[name]
  // The router parses digits as a number.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

export function oneOf<const Choice extends string>(
  search: RawSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name])
}

export function flagIn(search: RawSearch, name: string): true | undefined {
  return search[name] === true ? true : undefined
}

/** The validated parameters, each of which a link may leave out. */
export type Search<Checked> = { [Name in keyof Checked]?: Checked[Name] | undefined }

/** Types the `validateSearch` of a route; `check` reads the parameters. */
export function searchOf<Checked>(
  check: (given: RawSearch) => Checked,
): (given: RawSearch) => Search<Checked> {
  return check
}
