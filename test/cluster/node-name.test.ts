import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { NameClaim } from '../../src/cluster/name-claim.ts'
import { nameNode } from '../../src/cluster/node-name.ts'
import { temporaryDirectory } from '../store/directory.ts'

const HOST = hostname()

function place(t: TestContext) {
  return { directory: temporaryDirectory(t), database: 'postgres://a/b' }
}

test('nodes of one host get different names, and the name of a node that has left is used again', (t) => {
  const where = place(t)
  const nodes = [0, 1, 2].map(() => nameNode(null, where))
  t.after(() => nodes.map(({ claim }) => claim!.release()))
  assert.deepEqual(
    nodes.map(({ name }) => name),
    [HOST, `${HOST}-2`, `${HOST}-3`],
  )
  nodes[1]!.claim!.release()
  nodes[1] = nameNode(null, where)
  assert.equal(nodes[1].name, `${HOST}-2`)
})

test('the name of a killed node is used before a new one', (t) => {
  const where = place(t)
  const killed = new NameClaim({ ...where, name: `${HOST}-7` })
  killed.take()
  const [file] = readdirSync(where.directory).filter((name) => name.endsWith('.node'))
  const path = join(where.directory, file!)
  copyFileSync(path, `${path}.left`)
  killed.release()
  renameSync(`${path}.left`, path)
  const { name, claim } = nameNode(null, where)
  t.after(() => claim!.release())
  assert.equal(name, `${HOST}-7`)
})

test('a name that is set is kept, and one node alone claims none', (t) => {
  const { name, claim } = nameNode('delivery-2', place(t))
  assert.equal(name, 'delivery-2')
  assert.notEqual(claim, null)
  assert.deepEqual(nameNode(null, null), { name: HOST, claim: null })
})

test('without a place for a file, the process gives the name', (t) => {
  const where = place(t)
  const file = join(where.directory, 'file')
  writeFileSync(file, '')
  const named = nameNode(null, { ...where, directory: join(file, 'nodes') })
  assert.deepEqual(named, { name: `${HOST}:${process.pid}`, claim: null })
})
