// Loaded into each test process by scripts/test-process.mjs: RSA keys of 2048 bits come from a pool that is made once for a checkout. To make one
// takes some hundred ms of a processor, and tests make hundreds. No key is given out twice in a process. Processes that tests start
// make their own.
import crypto, { createPrivateKey, createPublicKey } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const POOL = join(import.meta.dirname, '..', '.cache', 'test-keys')
/** Keys in the pool. */
const ENOUGH = 32

const { generateKeyPair, generateKeyPairSync } = crypto
/** PEM of the keys that this process has not been given yet, in an order of its own. */
let left = null
let known = 0

function take() {
  left ??= readPool()
  const pem = left.pop()
  if (pem === undefined) return null
  const privateKey = createPrivateKey(pem)
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

function readPool() {
  try {
    // A line that another process is writing is left out.
    const lines = readFileSync(POOL, 'utf8').split('\n').slice(0, -1)
    known = lines.length
    return lines
      .map((line) => ({ pem: JSON.parse(line), at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ pem }) => pem)
  } catch {
    return []
  }
}

function keep(pair) {
  if (known >= ENOUGH) return pair
  known++
  mkdirSync(dirname(POOL), { recursive: true })
  appendFileSync(POOL, `${JSON.stringify(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))}\n`)
  return pair
}

/** Others are made as ever. */
const isPooled = (type, options) =>
  type === 'rsa' && Object.keys(options).join() === 'modulusLength' && options.modulusLength === 2048

const makePair = promisify(generateKeyPair)

async function pairOf(type, options) {
  if (!isPooled(type, options)) return await makePair(type, options)
  return take() ?? keep(await makePair(type, options))
}

crypto.generateKeyPairSync = (type, options) => {
  if (!isPooled(type, options ?? {})) return generateKeyPairSync(type, options)
  return take() ?? keep(generateKeyPairSync(type, options))
}
crypto.generateKeyPair = Object.assign((...args) => generateKeyPair(...args), {
  [promisify.custom]: (type, options) => pairOf(type, options ?? {}),
})
syncBuiltinESMExports()
