/** Whether the files that the pages name are there: `src/x.ts`, or the end of a path, such as `form/schemas.ts`. */
import { globSync, readFileSync } from 'node:fs'

const PAGES = globSync(['*.md', 'docs/**/*.md']).toSorted()
const CODE = ['src', 'console/src', 'test', 'harness', 'scripts', 'bench', 'chaos', 'fuzz']
/** Names with a placeholder are left out. */
const NAME = /`([\w@./-]+\.(?:ts|tsx|mjs|sql))`/g

const files = globSync([...CODE.map((folder) => `${folder}/**/*`), '*', 'console/*'])
const isThere = (name: string) => files.some((file) => file === name || file.endsWith(`/${name}`))
const missing = PAGES.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(NAME)].flatMap(([, name]) =>
    isThere(name!) ? [] : [`${page} names ${name}, which does not exist\n`],
  ),
)
process.stderr.write(missing.join(''))
if (missing.length > 0) process.exitCode = 1
