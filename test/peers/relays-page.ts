/** The files of docs/compatibility.md, "Relays", as they are written for one relay of a test. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DOMAIN } from '../submission/rig.ts'

const PAGE = new URL('../../docs/compatibility.md', import.meta.url)

/** The path that the page names for the certificates of trusted authorities. */
export const AUTHORITIES = 'etc/ssl/certs/ca-certificates.crt'

export interface RelayTarget {
  /** Where Postroad listens, at localhost. */
  port: number
  password: string
}

/** By path. `name`: the heading. */
export function relayFiles(name: string, { port, password }: RelayTarget): Map<string, string> {
  const files = new Map<string, string>()
  for (const [, path, content] of partOf(name).matchAll(
    /`(\/etc\/[^`]+)`[^`]*:\n\n```\w*\n([\s\S]*?\n)```\n/g,
  )) {
    const written = content!
      .replaceAll('mail.example.net', 'localhost')
      .replaceAll('587', String(port))
      .replaceAll('example.com', DOMAIN)
      .replaceAll('API_KEY', password)
    files.set(path!, written)
  }
  assert.ok(files.size > 0, `the page has no files for ${name}`)
  return files
}

/** The commands to run once the files are there. */
export function relayCommands(name: string): string[] {
  return [...partOf(name).matchAll(/```sh\n([\s\S]*?\n)```\n/g)].map(([, commands]) => commands!)
}

function partOf(name: string): string {
  const [, section] = readFileSync(PAGE, 'utf8').split('\n## Relays\n')
  const [, part] = section!.split(/\n## /)[0]!.split(`\n### ${name}\n`)
  return part?.split('\n### ')[0] ?? assert.fail(`the page has nothing about ${name}`)
}
