/**
 * Makes the tables of endpoints in docs/compatibility.md from what is known of the two services and from
 * docs/openapi.json; with --check only says whether they are up to date.
 */
import { readFileSync } from 'node:fs'
import { MarkedPage, table } from '../harness/marked-page.ts'
import { type Known, MAILGUN, RESEND } from './compatibility-endpoints.ts'
import { keepMade } from './made-files.ts'

interface Told {
  paths: Record<string, Record<string, { summary?: string; tags?: string[] }>>
}

const PAGE = 'docs/compatibility.md'
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { paths } = JSON.parse(read('docs/openapi.json')) as Told

/** The supported endpoints, by method and path, parameters as `{}`. */
const here = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, told]) => {
      const endpoint = `${method.toUpperCase()} ${path}`
      return [endpoint.replace(/\{\w+\}/g, '{}'), { endpoint, ...told }] as const
    }),
  ),
)

function known(list: readonly Known[]): string {
  const rows = list.map(({ endpoint, because, differs }) => {
    const shown = `\`${here.get(endpoint)?.endpoint ?? endpoint.replaceAll('{}', '{...}')}\``
    if (here.has(endpoint)) return [shown, differs === undefined ? 'works' : `works; ${differs}`]
    return [shown, `not supported: ${because}`]
  })
  return table(['Endpoint', ''], rows)
}

/** Endpoints of the dialects that the original services lack. */
function beyond(): string {
  const originals = new Set([...RESEND, ...MAILGUN].map(({ endpoint }) => endpoint))
  const rows = [...here].filter(([endpoint]) => !originals.has(endpoint))
  return table(
    ['Endpoint', ''],
    rows.map(([, { endpoint, summary = '' }]) => [`\`${endpoint}\``, summary]),
  )
}

const page = new MarkedPage(PAGE, 'scripts/compatibility.ts', {
  'endpoints of Resend': () => known(RESEND),
  'endpoints of Mailgun': () => known(MAILGUN),
  'endpoints beyond': beyond,
})
keepMade('scripts/compatibility.ts', { [PAGE]: page.madeAnew(page.read()) })
