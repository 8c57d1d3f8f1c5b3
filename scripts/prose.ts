/**
 * Wraps what people read at 120 columns: paragraphs and list items of the pages, and comments of the code. With --check changes nothing,
 * and says what is wider, and which paragraphs of the pages are longer than five lines: those somebody has to break up.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const WIDTH = 120
const LONGEST = 5

/** `docs/configuration.md` is made from the schema of settings. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/architecture.md',
  'docs/compatibility.md',
  'docs/console.md',
  'docs/known-issues.md',
]
  .concat('docs/operations.md', 'docs/performance.md', 'docs/reliability.md')
  .concat(globSync('docs/architecture/*.md').toSorted())
const CODE = ['src/**/*.ts']

/** Words to lines; every line but the first begins with `indent`. A word that would begin a list or heading stays with the one before. */
export function wrapped(text: string, first: string, indent: string): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const begins = /^(?:[-+*>#|]+|\d+[.)])$/.test(word)
    if (!empty && !begins && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = indent + word
    } else {
      line = empty ? line + word : `${line} ${word}`
    }
    empty = false
  }
  lines.push(line)
  return lines
}

/** A line of a list item: its indentation, and its mark with the space behind it. */
const ITEM = /^(\s*)([-*+]|\d+[.)])(\s+)(?=\S)/

interface Passage {
  /** Index of its first line. */
  from: number
  lines: string[]
}

/** Paragraphs and list items of a page, one by one; neither headings, tables, code nor what a program made. */
function passages(page: string[]): Passage[] {
  const found: Passage[] = []
  let current: Passage | null = null
  let fence = false
  let made = false
  for (const [from, line] of page.entries()) {
    const fenced = /^\s*(```|~~~)/.test(line)
    if (line.startsWith('<!-- begin ')) made = true
    const prose = !fence && !fenced && !made && line.trim() !== '' && !/^\s*(?:#|\||<|>)/.test(line)
    if (fenced) fence = !fence
    if (line.startsWith('<!-- end ')) made = false
    if (!prose) {
      current = null
    } else if (current === null || ITEM.test(line)) {
      current = { from, lines: [line] }
      found.push(current)
    } else {
      current.lines.push(line)
    }
  }
  return found
}

function wrappedPassage({ lines }: Passage): string[] {
  const item = ITEM.exec(lines[0]!)
  const lead = item ? item[0] : /^\s*/.exec(lines[0]!)![0]
  const indent = item ? ' '.repeat(lead.length) : lead
  return wrapped([lines[0]!.slice(lead.length), ...lines.slice(1)].join(' '), lead, indent)
}

const tooWide = (lines: string[]) => lines.some((line) => line.length > WIDTH)

export function wrappedPage(text: string): string {
  const page = text.split('\n')
  for (const passage of passages(page).toReversed()) {
    if (tooWide(passage.lines)) page.splice(passage.from, passage.lines.length, ...wrappedPassage(passage))
  }
  return page.join('\n')
}

/** Where paragraphs stand (line numbers from 1) that are longer than one can take in at once. */
export function longPassages(text: string): number[] {
  return passages(text.split('\n'))
    .filter((passage) => wrappedPassage(passage).length > LONGEST)
    .map(({ from }) => from + 1)
}

/** The comments of a file, wrapped where a line of theirs is too wide. What stands behind code is left alone. */
export function wrappedComments(text: string): string {
  const lines = text.split('\n')
  const result: string[] = []
  for (let at = 0; at < lines.length; ) {
    const comment = commentAt(lines, at)
    if (comment === null) {
      result.push(lines[at]!)
      at++
    } else {
      result.push(...(tooWide(comment.lines) ? comment.wrapped() : comment.lines))
      at += comment.lines.length
    }
  }
  return result.join('\n')
}

function commentAt(lines: string[], at: number): { lines: string[]; wrapped(): string[] } | null {
  const indent = /^\s*/.exec(lines[at]!)![0]
  const first = lines[at]!.slice(indent.length)
  if (first.startsWith('// ')) {
    const end = lines.findIndex((line, index) => index > at && !line.startsWith(`${indent}// `))
    const found = lines.slice(at, end === -1 ? lines.length : end)
    const inner = found.map((line) => line.slice(indent.length + 3))
    return { lines: found, wrapped: () => wrappedParts(inner, `${indent}// `) }
  }
  if (!first.startsWith('/**')) return null
  const end = lines.findIndex((line, index) => index >= at && line.trimEnd().endsWith('*/'))
  if (end === -1) return null
  const found = lines.slice(at, end + 1)
  const inner = found
    .map((line) =>
      line
        .trim()
        .replace(/^\/\*\*|\*\/$/g, '')
        .replace(/\*\/$/, ''),
    )
    .map((line, index) => (index === 0 ? line.trim() : line.replace(/^\* ?/, '').trimEnd()))
  const body = inner.filter((line, index) => line !== '' || (index > 0 && index < inner.length - 1))
  return {
    lines: found,
    wrapped: () => [`${indent}/**`, ...wrappedParts(body, `${indent} * `), `${indent} */`],
  }
}

/** Each paragraph, list item and `@tag` of a comment for itself. Indented code stays as it is. */
function wrappedParts(inner: string[], lead: string): string[] {
  const parts: string[][] = []
  for (const line of inner) {
    const before = parts.at(-1)
    const starts = before === undefined || line.trim() === '' || before[0]!.trim() === ''
    if (starts || ITEM.test(line) || line.startsWith('@') || /^ {4}/.test(line)) parts.push([line])
    else before.push(line)
  }
  return parts.flatMap((part) => {
    const whole = part.map((line) => lead + line)
    if (!tooWide(whole)) return whole.map((line) => line.trimEnd())
    const item = ITEM.exec(part[0]!)?.[0] ?? ''
    const text = part.join(' ').slice(item.length)
    return wrapped(text, lead + item, lead + ' '.repeat(item.length))
  })
}

function main(): void {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const check = process.argv.includes('--check')
  const complain = (sentence: string) => {
    process.stderr.write(`${sentence}\n`)
    process.exitCode = 1
  }
  const files: [name: string, wrap: (text: string) => string][] = [
    ...PAGES.map((name): [string, (text: string) => string] => [name, wrappedPage]),
    ...globSync(CODE, { cwd: root }).map((name): [string, (text: string) => string] => [
      name,
      wrappedComments,
    ]),
  ]
  for (const [name, wrap] of files) {
    const text = readFileSync(root + name, 'utf8')
    const wanted = wrap(text)
    if (text !== wanted) {
      if (check) complain(`${name} has lines of more than ${WIDTH} columns: run node scripts/prose.ts`)
      else writeFileSync(root + name, wanted)
    }
    if (!name.endsWith('.md')) continue
    for (const line of longPassages(wanted)) {
      complain(`${name}:${line}: a paragraph of more than ${LONGEST} lines: break it up`)
    }
  }
}

if (import.meta.main) main()
