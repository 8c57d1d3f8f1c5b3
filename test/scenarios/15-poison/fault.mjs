// Loaded into the service beforehand (NODE_OPTIONS). While the file POISON_FAULT exists, whichever process or thread signs or sends a
// message that holds "poison-sign" or "poison-send" kills its process, as a fault in native code would; "poison-hang" never ends.
import crypto from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'

const file = process.env.POISON_FAULT

function strike(data, marker) {
  if (data === null || data === undefined || !Buffer.from(data).includes(marker) || !existsSync(file)) return
  appendFileSync(`${file}.deaths`, `${process.argv[1]}\n`)
  process.kill(process.pid, 'SIGSEGV')
  for (;;);
}

const { sign } = crypto
crypto.sign = (algorithm, data, ...rest) => {
  strike(data, 'poison-sign')
  // Caught in a loop.
  if (Buffer.from(data).includes('poison-hang') && existsSync(file)) for (;;);
  return sign(algorithm, data, ...rest)
}
syncBuiltinESMExports()

const { write } = Socket.prototype
Socket.prototype.write = function (data, ...rest) {
  if (this.remotePort === Number(process.env.POISON_PORT)) strike(data, 'poison-send')
  return write.call(this, data, ...rest)
}
