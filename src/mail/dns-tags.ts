/** TXT records of `tag=value` pairs: those of DMARC (RFC 9989 4.8), BIMI, MTA-STS and TLS reports. */

/** The records of this version among TXT values. The version is the first tag of a record. */
export function recordsOfVersion(version: string, texts: readonly string[]): string[] {
  return texts.filter((text) => {
    const [first = ''] = text.split(';', 1)
    return first.trimEnd() === `v=${version}`
  })
}

/** Values by the name of their tag in lower case; of a repeated tag the last counts. */
export function tagsOf(record: string): Map<string, string> {
  const tags = record.split(';').map((tag): [name: string, value: string] => {
    const [name] = tag.split('=', 1) as [string]
    return [name.trim().toLowerCase(), tag.slice(name.length + 1).trim()]
  })
  return new Map(tags)
}
