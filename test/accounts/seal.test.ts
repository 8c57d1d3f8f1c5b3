import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { Preload } from '../../harness/preload/preload.ts'
import type { CustomRoute, SendingDomain } from '../../src/accounts/account.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { sealCredentials } from '../../src/accounts/routes.ts'
import { openPrivateKey, Seal, SealError } from '../../src/accounts/seal.ts'
import { loadSecretKey, openSeal, SecretKeyError } from '../../src/accounts/secret-key.ts'
import { dkimPublicKey } from '../../src/mail/dkim/key.ts'

const octets = fc.uint8Array({ maxLength: 500 })

describe('a seal', () => {
  const seal = new Seal(randomBytes(32))

  test('opens what it sealed, and seals the same octets differently each time', () => {
    fc.assert(
      fc.property(octets, fc.string(), (plain, context) => {
        const one = seal.seal(plain, context)
        const two = seal.seal(plain, context)
        assert.notDeepEqual(one, two)
        assert.deepEqual(seal.open(one, context), Buffer.from(plain))
      }),
    )
  })

  test('does not open when any bit was changed or anything cut off', () => {
    const sealed = Buffer.from(seal.seal(Buffer.from('a secret'), 'here'))
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed)
      altered[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => seal.open(altered, 'here'), SealError, `bit ${bit}`)
    }
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => seal.open(sealed.subarray(0, length), 'here'), SealError, `length ${length}`)
    }
  })

  test('does not open in another context or with another key', () => {
    const sealed = seal.seal(Buffer.from('a secret'), 'dkim:1')
    assert.throws(() => seal.open(sealed, 'dkim:2'), SealError)
    assert.throws(() => new Seal(randomBytes(32)).open(sealed, 'dkim:1'), SealError)
  })

  test('takes a key of 32 octets only', () => {
    assert.throws(() => new Seal(randomBytes(16)), /32 octets/)
  })
})

describe('the secret key', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroad-key-'))
  })
  after(() => rm(folder, { recursive: true }))
  const sqlite = (name: string) => ({
    secretKey: null,
    database: { engine: 'sqlite' as const, path: join(folder, name) },
  })
  const accountsWith = (domains: SendingDomain[], routes: CustomRoute[] = []) => ({ domains, routes })

  test('is made once, for its owner only, and found again', async () => {
    const source = sqlite('new/postroad.db')
    const made = await loadSecretKey(source)
    assert.equal(made.length, 32)
    assert.deepEqual(await loadSecretKey(source), made)
    const file = `${source.database.path}.key`
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await readFile(file, 'latin1')).trim(), made.toString('hex'))
  })

  test('is on disk before anything is sealed with it: the file, then the folder with its name', async (t) => {
    const preload = Preload.compile(folder, folder)
    if (typeof preload === 'string') return t.skip(preload)
    const { environment, synced } = preload.listing('key')
    const { database } = sqlite('synced/postroad.db')
    const program = `
      const [module, path] = process.argv.slice(1)
      const { loadSecretKey } = await import(module)
      const key = await loadSecretKey({ secretKey: null, database: { engine: 'sqlite', path } })
      process.stdout.write(key.toString('hex'))
    `
    const module = new URL('../../src/accounts/secret-key.ts', import.meta.url).href
    const options = { env: { ...process.env, ...environment }, encoding: 'utf8' } as const
    const args = ['--input-type=module', '-e', program, module, database.path]
    const key = execFileSync(process.execPath, args, options)
    const file = join(await realpath(folder), 'synced', 'postroad.db.key')
    assert.equal((await readFile(file, 'latin1')).trim(), key)
    const order = synced().map((path) => path.replace(/\.[0-9a-f-]{36}$/, ' aside'))
    assert.deepEqual(order, [`${file} aside`, join(file, '..')])
  })

  test('is one for all that start at the same moment, with nothing left lying about', async () => {
    const source = sqlite('race/postroad.db')
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey(source)))
    assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1)
    assert.deepEqual(await readdir(join(folder, 'race')), ['postroad.db.key'])
  })

  test('comes from the setting where there is one, and no file is made', async () => {
    const source = { ...sqlite('set/postroad.db'), secretKey: randomBytes(32) }
    assert.deepEqual(await loadSecretKey(source), source.secretKey)
    await assert.rejects(stat(join(folder, 'set')), { code: 'ENOENT' })
  })

  test('must be set where the database is not a file', async () => {
    const source = { secretKey: null, database: { engine: 'postgres' as const, url: 'postgres://x/y' } }
    await assert.rejects(loadSecretKey(source), /POSTROAD_SECRET_KEY is not set/)
  })

  test('in a damaged file is an error that names the file', async () => {
    const source = sqlite('damaged.db')
    await writeFile(`${source.database.path}.key`, 'half a ke')
    await assert.rejects(loadSecretKey(source), (error: unknown) => {
      return error instanceof SecretKeyError && error.message.includes('damaged.db.key')
    })
  })

  test('that is missing or wrong for a database with sealed keys stops the start', async () => {
    const right = sqlite('used/postroad.db')
    const seal = await openSeal(right, accountsWith([]))
    const domain = await newDomain({ companyId: 'c', name: 'x.test', seal, ed25519: true })
    const accounts = accountsWith([domain])
    await openSeal(right, accounts)

    await assert.rejects(
      openSeal({ ...right, secretKey: randomBytes(32) }, accounts),
      /POSTROAD_SECRET_KEY.*x\.test/,
    )
    const missing = sqlite('lost.db')
    await assert.rejects(openSeal(missing, accounts), /lost\.db\.key is missing/)
    await assert.rejects(stat(`${missing.database.path}.key`), { code: 'ENOENT' })
  })

  test('is proven on the credentials of routes, also where nothing else is sealed', async () => {
    const right = sqlite('routes/postroad.db')
    const seal = await openSeal(right, accountsWith([]))
    const owner = { companyId: 'c', domainId: null, createdAt: 1 }
    const open: CustomRoute = { id: 'r1', ...owner, url: 'smtp://open.test:25', sealed: null }
    const sealed = sealCredentials(seal, 'r2', { user: 'u', password: 'p' })
    const closed: CustomRoute = { id: 'r2', ...owner, url: 'smtp://relay.test:587', sealed }
    await openSeal(right, accountsWith([], [open, closed]))

    const wrong = { ...right, secretKey: randomBytes(32) }
    await assert.rejects(
      openSeal(wrong, accountsWith([], [open, closed])),
      (error) => error instanceof SecretKeyError && /smtp:\/\/relay\.test:587/.test(error.message),
    )
    await openSeal(wrong, accountsWith([], [open]))
    const missing = sqlite('lost-routes.db')
    await assert.rejects(openSeal(missing, accountsWith([], [closed])), /lost-routes\.db\.key is missing/)
    await assert.rejects(stat(`${missing.database.path}.key`), { code: 'ENOENT' })
  })
})

describe('a new domain', () => {
  const seal = new Seal(randomBytes(32))

  test('has DKIM keys whose private halves open with the seal and match the public halves', async () => {
    const createdAt = Date.UTC(2026, 10, 21)
    const domain = await newDomain({ companyId: 'c', name: 'Bücher.Example', seal, ed25519: true, createdAt })
    assert.equal(domain.name, 'xn--bcher-kva.example')
    assert.deepEqual(
      domain.dkim.map(({ selector, algorithm }) => [selector, algorithm]),
      [
        ['pr20261121', 'rsa-sha256'],
        ['pr20261121e', 'ed25519-sha256'],
      ],
    )
    assert.deepEqual([domain.status, domain.sending], ['pending', 'inactive'])
    for (const identity of domain.dkim) {
      const key = openPrivateKey(seal, identity)
      assert.equal(dkimPublicKey(createPublicKey(key)), identity.publicKey)
    }
    assert.throws(() => openPrivateKey(seal, { ...domain.dkim[0]!, id: domain.dkim[1]!.id }), SealError)
  })

  test('needs a domain name', async () => {
    await assert.rejects(newDomain({ companyId: 'c', name: 'not a domain', seal, ed25519: false }), {
      name: 'AddressError',
    })
  })
})
