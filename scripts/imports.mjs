// Who imports whom, read from the text: for `npm test -- --changed`, and to find the tests that need no process of their own.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { root } from './installed.mjs'

/** `from './x.ts'`, `import './x.ts'`, `import('./x.ts')` and `new URL('./x.ts', import.meta.url)`. */
const REFERENCE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(['"`])([^'"`\n]+)\1/g

/** Gone when the program runs. */
const TYPES = /^(?:import|export) type [^'"]*['"][^'"]*['"]/gm

/** References that a program makes at run time. */
const BEYOND_THE_TEXT = {
  'bin/postroad': ['src/main.ts'],
  'scripts/build-console.ts': ['console'],
  'scripts/build-program.ts': ['src'],
}

const read = new Map()

/** What a file refers to: `files` of the checkout (or folders), and `packages`. */
function references(file) {
  if (read.has(file)) return read.get(file)
  const found = { files: [...(BEYOND_THE_TEXT[file] ?? [])], packages: [], text: '' }
  read.set(file, found)
  if (!/\.[cm]?[jt]sx?$/.test(file)) return found
  found.text = readFileSync(join(root, file), 'utf8')
  for (const [, , name] of found.text.replace(TYPES, '').matchAll(REFERENCE)) {
    if (!name.startsWith('.')) found.packages.push(name)
    else {
      const path = relative(root, resolve(root, dirname(file), name))
      if (existsSync(join(root, path))) found.files.push(path)
    }
  }
  return found
}

/** Every file that a file reaches, and itself, by the number of steps. */
export function reached(file) {
  const steps = new Map([[file, 0]])
  for (const [from, distance] of steps) {
    for (const to of references(from).files) if (!steps.has(to)) steps.set(to, distance + 1)
  }
  return steps
}

/** Steps from the test to the nearest of the changed files; Infinity when it reaches none. */
export function distance(test, changed) {
  let nearest = Number.POSITIVE_INFINITY
  for (const [file, steps] of reached(test)) {
    const isChanged = changed.some((path) => path === file || path.startsWith(`${file}/`))
    if (isChanged) nearest = Math.min(nearest, steps)
  }
  return nearest
}

/** With these a test, or what it tests, reaches beyond its own memory. */
const IMPURE_PACKAGES =
  /^node:(child_process|cluster|dgram|dns|fs\/promises|http|http2|https|inspector|net|sqlite|tls|v8|vm|worker_threads)$|^(pg|undici|fastify|playwright-core|smtp-server|nodemailer|commander)\b/
const IMPURE_TEXT =
  /\bprocess\.(on|once|exit|exitCode|chdir|env|umask|memoryUsage|cpuUsage|execPath|argv)\b|\bglobalThis\b|\bgc\(|\bmock\b/

/** Whether the test can share a process with others of its kind: nothing that it reaches has state that they would see. */
export function isPure(test) {
  return [...reached(test).keys()].every((file) => {
    const { packages, text } = references(file)
    return !packages.some((name) => IMPURE_PACKAGES.test(name)) && !IMPURE_TEXT.test(text)
  })
}
