/** TXT records of `tag=value` pairs: those of DMARC (RFC 9989 4.8), BIMI, MTA-STS and TLS reports. */

/** White space around `=` is allowed in DMARC (RFC 9989 4.8) and BIMI, but not by RFC 8460 3 and RFC 8461 3.1. */
const VERSIONS = {
  DMARC1: /^v[ \t]*=[ \t]*DMARC1\s*(?:;|$)/,
  BIMI1: /^v[ \t]*=[ \t]*BIMI1\s*(?:;|$)/,
  TLSRPTv1: /^v=TLSRPTv1\s*(?:;|$)/,
  STSv1: /^v=STSv1\s*(?:;|$)/,
}

/** The records of this version among TXT values. The version is the first tag of a record. */
export function recordsOfVersion(version: keyof typeof VERSIONS, texts: readonly string[]): string[] {
  return texts.filter((text) => VERSIONS[version].test(text))
}

/** Values by the name of their tag in lower case; of a repeated tag the last counts. */
export function tagsOf(record: string): Map<string, string> {
  const tags = record.split(';').map((tag): [name: string, value: string] => {
    const [name] = tag.split('=', 1) as [string]
    return [name.trim().toLowerCase(), tag.slice(name.length + 1).trim()]
  })
  return new Map(tags)
}
