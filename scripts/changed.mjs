// npm test -- --changed[=COMMIT]: what a change since the commit (HEAD) touches, the nearest tests first, for three quarters of a minute.
import { execFileSync } from 'node:child_process'
import { distance } from './imports.mjs'
import { root } from './installed.mjs'

/** Ms after which no more tests are begun. */
const BUDGET = 45_000
/** Test files that are begun together. */
const AT_ONCE = 6

function changedSince(commit) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  const known = git('diff', '--name-only', '-z', '--relative', commit)
  return [...known, ...git('ls-files', '--others', '--exclude-standard', '-z')]
}

/** `run` gets files and resolves with an exit code. */
export async function runChanged(commit, tests, run) {
  const changed = changedSince(commit)
  const near = tests
    .map((test) => ({ test, steps: distance(test, changed) }))
    .filter(({ steps }) => steps < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.steps - b.steps)
    .map(({ test }) => test)
  process.stdout.write(`${changed.length} changed files; ${near.length} test files reach one.\n`)
  const began = performance.now()
  let code = 0
  while (near.length > 0 && performance.now() - began < BUDGET) {
    code = Math.max(code, await run(near.splice(0, AT_ONCE)))
  }
  if (near.length > 0) {
    process.stdout.write(
      `\nNot run, further from the change: ${near.length} files. npm test runs everything.\n`,
    )
  }
  return code
}
