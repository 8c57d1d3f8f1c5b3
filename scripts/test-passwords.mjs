// Loaded into each test process by scripts/test-process.mjs: passwords at the cost of production (people/password.ts) are hashed at a fraction
// of it. To hash one takes a third of a second of a processor, and tests sign in hundreds of times. Processes that tests start hash at the full
// cost: a password that one kind has hashed is wrong for the other.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
const isOfProduction = ({ N, r, p }) => N === 2 ** 15 && r === 8 && p === 3

crypto.scrypt = (password, salt, length, options, done) =>
  scrypt(password, salt, length, isOfProduction(options) ? { ...options, N: 2 ** 11, p: 1 } : options, done)
syncBuiltinESMExports()
