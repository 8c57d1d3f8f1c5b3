/** What stands behind `?` in the addresses of pages, checked: what means nothing is left out. */
type Given = Record<string, unknown>

export function textIn(search: Given, name: string): string | undefined {
  const value = search[name]
  // A number is how a router reads digits.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

export function oneOf<const Choice extends string>(
  search: Given,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name])
}

export function flagIn(search: Given, name: string): true | undefined {
  return search[name] === true ? true : undefined
}

/** Each may be left out of a link. */
export type Search<Checked> = { [Name in keyof Checked]?: Checked[Name] | undefined }

/** For routes: `check` says what the address may hold. */
export function searchOf<Checked>(check: (given: Given) => Checked): (given: Given) => Search<Checked> {
  return check
}
