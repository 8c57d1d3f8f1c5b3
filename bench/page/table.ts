/** Tables in Markdown. */

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The newest of each group, in the order in which groups first appear. `results` are oldest first. */
export function newestOfEach<Result>(results: Result[], group: (result: Result) => string): Result[] {
  const newest = new Map<string, Result>()
  for (const result of results) newest.set(group(result), result)
  return [...newest.values()]
}

export function day(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

export function megabytes(octets: number): string {
  return (octets / 1_048_576).toFixed(0)
}
