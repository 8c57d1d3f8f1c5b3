/**
 * A TLS 1.3 client that makes its records one by one, with a single octet or with a new key each (RFC 8446 5, 7.2),
 * which no library does. It has one cipher, TLS_AES_128_GCM_SHA256.
 */
import { createCipheriv, createHmac } from 'node:crypto'
import { connect as connectPlain, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

const HASH = 'sha256'
const CIPHER = 'aes-128-gcm'
const KEY_OCTETS = 16
const IV_OCTETS = 12
const TAG_OCTETS = 16
const SECRET_OCTETS = 32

/** RFC 8446 5.1. */
const HANDSHAKE = 22
const APPLICATION_DATA = 23
/** RFC 8446 4.6.3. */
const KEY_UPDATE = 24

export class TlsRecords {
  readonly socket: Socket
  #secret: Buffer
  #key!: Buffer
  #iv!: Buffer
  #sequence = 0n

  /** `secret`: client_application_traffic_secret_0 of a connection on which the client has not sent any data yet. */
  private constructor(socket: Socket, secret: Buffer) {
    this.socket = socket
    this.#secret = secret
    this.#renewKeys()
  }

  /** Connects and makes the handshake, or only the handshake on a given `socket`. The server's answers arrive on it, encrypted. */
  static async connect(port: number, socket = connectPlain({ port, host: '127.0.0.1', noDelay: true })) {
    socket.on('error', () => {})
    const wire = new Duplex({
      read() {},
      write(octets, _encoding, done) {
        socket.write(octets)
        done()
      },
    })
    const forward = (octets: Buffer) => void wire.push(octets)
    socket.on('data', forward)
    const secure = connectTls({
      socket: wire,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
      ciphers: 'TLS_AES_128_GCM_SHA256',
    })
    secure.on('error', () => {})
    let secret = Buffer.alloc(0)
    secure.on('keylog', (line: Buffer) => {
      const [name, , value] = line.toString().trim().split(' ')
      if (name === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(value!, 'hex')
    })
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', resolve)
      socket.once('close', () => reject(new Error('the server has ended the connection')))
    })
    // `secure` is of no use from here on: it does not know which records this class sends.
    socket.off('data', forward)
    socket.resume()
    return new TlsRecords(socket, secret)
  }

  /** `text` in records of `size` octets each. */
  data(text: string, size = text.length): Buffer {
    const octets = Buffer.from(text, 'latin1')
    const records: Buffer[] = []
    for (let start = 0; start < octets.length; start += size)
      records.push(this.#record(APPLICATION_DATA, octets.subarray(start, start + size)))
    return Buffer.concat(records)
  }

  /** KeyUpdate records: each renews the client's keys, and requests that the server renew its own. */
  keyUpdates(count: number): Buffer {
    const updates = Array.from({ length: count }, () => {
      const record = this.#record(HANDSHAKE, Buffer.from([KEY_UPDATE, 0, 0, 1, 1]))
      this.#secret = expandLabel(this.#secret, 'traffic upd', SECRET_OCTETS)
      this.#renewKeys()
      return record
    })
    return Buffer.concat(updates)
  }

  /** RFC 8446 7.3. */
  #renewKeys(): void {
    this.#key = expandLabel(this.#secret, 'key', KEY_OCTETS)
    this.#iv = expandLabel(this.#secret, 'iv', IV_OCTETS)
    this.#sequence = 0n
  }

  /** RFC 8446 5.2, 5.3. */
  #record(type: number, content: Uint8Array): Buffer {
    const inner = Buffer.concat([content, Buffer.from([type])])
    const length = inner.length + TAG_OCTETS
    const head = Buffer.from([APPLICATION_DATA, 3, 3, length >> 8, length & 255])
    const nonce = Buffer.from(this.#iv)
    const low = nonce.readBigUInt64BE(IV_OCTETS - 8)
    nonce.writeBigUInt64BE(low ^ this.#sequence++, IV_OCTETS - 8)
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(head)
    return Buffer.concat([head, cipher.update(inner), cipher.final(), cipher.getAuthTag()])
  }
}

/** HKDF-Expand-Label with an empty context (RFC 8446 7.1). `length`: at most that of the hash. */
function expandLabel(secret: Buffer, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`)
  const info = Buffer.concat([Buffer.from([0, length, label.length]), label, Buffer.from([0, 1])])
  return createHmac(HASH, secret).update(info).digest().subarray(0, length)
}
