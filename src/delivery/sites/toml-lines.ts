/** The line on which a key of a sites file stands: the TOML library gives the place of a syntax error only. */

/** `[default]`, or the `[[site]]` of this index. */
export type SitesTable = 'default' | number

/** Returns the line of the key, of the table's head when the key is not there, or 1 when there is no such table. */
export function lineOf(text: string, wanted: SitesTable | null, key: string): number {
  let table: SitesTable | null = null
  let sites = -1
  let head = 1
  for (const [index, line] of text.split('\n').entries()) {
    const [, single, double] =
      /^\s*(?:\[\s*([^[\]]+?)\s*\]|\[\[\s*([^[\]]+?)\s*\]\])\s*(?:#.*)?$/.exec(line) ?? []
    const name = single ?? double
    if (name !== undefined) {
      if (double === 'site') sites++
      table = double === 'site' ? sites : name === 'default' ? 'default' : null
      if (wanted === null && unquoted(name) === key) return index + 1
      if (table === wanted && table !== null) head = index + 1
    } else if (table === wanted) {
      const [, found] = /^\s*("[^"]*"|'[^']*'|[\w-]+)\s*(?:\.|=)/.exec(line) ?? []
      if (found !== undefined && unquoted(found) === key) return index + 1
    }
  }
  return head
}

function unquoted(name: string): string {
  return name.replace(/^["']|["']$/g, '')
}
