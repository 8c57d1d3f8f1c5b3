/** The answers of browsers that create a passkey: attestations are refused, and nothing is fetched for them. */
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { type Service, startService } from '../../support/service.ts'
import { call, type Reply } from '../requests.ts'
import { Visitor } from './visitor.ts'

interface Asked {
  options: { challenge: string; attestation: string; rp: { id: string } }
}

describe('a new passkey', () => {
  let service: Service
  let visitor: Visitor
  before(async () => {
    service = await startService()
    const company = await service.company()
    visitor = await Visitor.signIn(service, [{ companyId: company.id, role: 'viewer' }])
  })
  after(() => service.close())

  const ask = (path: string, cookie: string, body: object): Promise<Reply> =>
    call(`${service.url}/console/api${path}`, {
      method: 'POST',
      headers: { cookie, 'x-postroad-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** As a browser makes one, with this attestation. */
  async function add(format: string, statement: Map<string, unknown>, more: object = {}): Promise<Reply> {
    const asked = await ask('/account/passkeys/options', visitor.cookie, {})
    assert.equal(asked.status, 200, asked.text)
    const { options } = asked.body as object as Asked
    assert.equal(options.attestation, 'none')
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x, y } = publicKey.export({ format: 'jwk' })
    const point = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
    const key = isoCBOR.encode(
      new Map<number, unknown>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        [-2, point(x!)],
        [-3, point(y!)],
      ]) as never,
    )
    const id = Buffer.from(`passkey-${format}`)
    const authData = Buffer.concat([
      createHash('sha256').update(options.rp.id).digest(),
      // User present and verified, and a credential with it.
      Buffer.from([0x45, 0, 0, 0, 0]),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      key,
    ])
    const attestation = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', new Uint8Array(authData)],
      ]) as never,
    )
    const clientData = {
      type: 'webauthn.create',
      challenge: options.challenge,
      origin: new URL(service.url).origin,
    }
    const encoded = (octets: Uint8Array | string) => Buffer.from(octets).toString('base64url')
    const ticket = asked.headers.getSetCookie()[0]!.split(';')[0]!
    return await ask('/account/passkeys', `${visitor.cookie}; ${ticket}`, {
      name: 'Key',
      response: {
        ...{ id: encoded(id), rawId: encoded(id), type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: encoded(JSON.stringify(clientData)),
          attestationObject: encoded(attestation),
          ...more,
        },
      },
    })
  }

  test('without attestation is added', async () => {
    const reply = await add('none', new Map())
    assert.equal(reply.status, 200, reply.text)
  })

  test('with an attestation is refused with a reason, and no list of certificates is fetched', async () => {
    const real = globalThis.fetch
    const fetched: string[] = []
    globalThis.fetch = (input, init) => {
      const url = String(input instanceof Request ? input.url : input)
      if (!url.startsWith(service.url)) fetched.push(url)
      return real(input, init)
    }
    try {
      for (const format of [
        'packed',
        'tpm',
        'android-key',
        'android-safetynet',
        'apple',
        'fido-u2f',
        'other',
      ]) {
        const statement = new Map<string, unknown>([
          ['alg', -7],
          ['sig', new Uint8Array(70)],
          ['x5c', [new Uint8Array(500), new Uint8Array(500)]],
        ])
        const reply = await add(format, statement)
        assert.equal(reply.status, 422, `${format}: ${reply.text}`)
        assert.match(reply.text, /includes an attestation/)
      }
    } finally {
      globalThis.fetch = real
    }
    assert.deepEqual(fetched, [])
  })

  test('with malformed or too large fields is refused with a reason', async () => {
    const nested = (octets: number) => Buffer.alloc(octets, 0x81).toString('base64url')
    for (const [attestationObject, words] of [
      [nested(12_000), /was not created for/],
      [nested(40_000), /was not created for/],
      [nested(100_000), /must have 65536 characters or less/],
      ['', /was not created for/],
      [7, /must be a string/],
    ] as const) {
      const reply = await add('none', new Map(), { attestationObject })
      assert.equal(reply.status, 422, reply.text)
      assert.match(reply.text, words)
    }
  })
})
