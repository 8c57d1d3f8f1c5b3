// Test files that share a process: half of the processor time of a small file is the start of its process and what it loads, and code
// that others have run before is compiled already. A group is a file that imports its members; their tests run one after another.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPure, reached } from './imports.mjs'
import { root } from './installed.mjs'

/** Folders whose files share processes with each other. */
const FOLDERS = [
  'test/accounts',
  'test/cluster',
  'test/console',
  'test/delivery',
  'test/delivery/path',
  'test/delivery/route',
  'test/delivery/smtp',
  'test/domain-reports',
  'test/events',
  'test/http',
  'test/http/console',
  'test/http/form',
  'test/http/json',
  'test/inbound',
  'test/intake',
  'test/mail',
  'test/mailbox',
  'test/nodes',
  'test/operate',
  'test/people',
  'test/queue',
  'test/running',
  'test/store',
  'test/submission',
  'test/webhooks',
]
/** Files of a group: several groups run at the same time, and each has to end within the time of one file. */
const MAX = 8
/** Where a file takes longer than elsewhere. */
const MAX_OF = { console: 4 }

/** A file that does one of these keeps its process to itself: it changes it, measures it, or starts others. */
const OWN_PROCESS =
  /from 'node:(?:child_process|cluster|inspector|v8|vm|worker_threads)'|\bprocess\.(?:on|once|exit|chdir|memoryUsage|cpuUsage|umask)\b|\bprocess\.env\.\w+ = |\bgc\(|\bmock\b/
/** Hooks outside a suite would be those of the whole group. */
const HOOKS_OF_FILE = /^(?:before|after|beforeEach|afterEach)\(/m

/** What they start ends with the test or with the test process, and they leave the test process as it is. */
const KNOWN = new Set([
  'harness/postgres-cluster.ts',
  'test/support/built-console.ts',
  'test/support/postgres.ts',
])

function sharesProcess(test) {
  if (HOOKS_OF_FILE.test(readFileSync(join(root, test), 'utf8'))) return false
  const own = [...reached(test).keys()].filter(
    (path) => /^(?:test|harness)\/.*\.ts$/.test(path) && !KNOWN.has(path),
  )
  return !own.some((path) => OWN_PROCESS.test(readFileSync(join(root, path), 'utf8')))
}

function groupOf(test) {
  if (isPure(test)) return HOOKS_OF_FILE.test(readFileSync(join(root, test), 'utf8')) ? null : 'pure'
  const folder = test.slice(0, test.lastIndexOf('/'))
  return FOLDERS.includes(folder) && sharesProcess(test)
    ? folder.slice('test/'.length).replaceAll('/', '-')
    : null
}

/** The same tests in fewer files; `remove` takes the files of the groups away. */
export function grouped(tests) {
  const parent = join(root, '.cache', 'tests')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'run-'))
  const files = []
  const groups = new Map()
  for (const test of tests) {
    const name = groupOf(test)
    if (name === null) files.push(test)
    else groups.set(name, [...(groups.get(name) ?? []), test])
  }
  for (const [name, members] of groups) {
    const count = name === 'pure' ? 1 : Math.ceil(members.length / (MAX_OF[name] ?? MAX))
    for (let index = 0; index < count; index++) {
      const some = members.filter((_, at) => at % count === index)
      if (some.length === 1) files.push(some[0])
      else files.push(write(folder, count === 1 ? name : `${name}-${index + 1}`, some))
    }
  }
  return { files, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function write(folder, name, members) {
  const path = join(folder, `${name}.test.ts`)
  const imports = members.map((test) => `import '${pathToFileURL(join(root, test)).href}'\n`)
  writeFileSync(path, imports.join(''))
  return relative(root, path)
}
