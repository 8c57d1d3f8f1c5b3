/** Every input that fuzzing has found, and its first inputs, read again: fixed faults stay fixed. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { after, describe, test } from 'node:test'
import { corpusFiles } from '../../fuzz/corpus.ts'
import { octetsOf } from '../../fuzz/target.ts'
import { TARGETS } from '../../fuzz/targets/targets.ts'

for (const target of Object.values(TARGETS)) {
  describe(`inputs of the fuzz target ${target.name}`, () => {
    after(() => target.close?.())

    for (const [index, seed] of octetsOf(target, target.seeds).entries()) {
      test(`seed ${index}`, () => target.run(seed))
    }
    for (const path of corpusFiles(target.name)) {
      test(`found ${basename(path)}`, () => target.run(readFileSync(path)))
    }
  })
}
