/** A process for tests to kill: `child-program.ts <what> <database>`. */
import { writeSync } from 'node:fs'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { acme, attempt, email, node, result } from './samples.ts'

const [what, path] = process.argv.slice(2)

/** Straight into the pipe: what is printed must not be lost with the process. A full pipe is waited for. */
function print(line: string): void {
  let left = Buffer.from(`${line}\n`)
  while (left.byteLength > 0) {
    try {
      left = left.subarray(writeSync(1, left))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

/** Accepts without end, eight at a time, and prints each id once it is acknowledged; delivers every other. */
async function acceptForever(store: Store): Promise<void> {
  const owner = await acme(store)
  print('ready')
  const token = await store.join(node('child'))
  const stream = async (): Promise<never> => {
    for (let n = 0; ; n++) {
      const value = email(owner, ['a@x.test'], { size: 20_000 })
      value.content.html = 'x'.repeat(20_000)
      await store.accept(value, { token })
      print(`accepted ${value.id}`)
      if (n % 2 === 1) continue
      await store.record(attempt(value, token, [result(0)]))
      print(`delivered ${value.id}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, stream))
}

const store = await openStore({ engine: 'sqlite', path: path! }, { exclusive: true })
if (what === 'accept') {
  await acceptForever(store)
} else {
  print('held')
  setInterval(() => {}, 60_000)
}
