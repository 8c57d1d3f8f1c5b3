import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type AccountsSnapshot,
  type ApiKey,
  DOMAIN_SETTINGS,
  NO_LIMITS,
  type Principal,
  type Scope,
  type SendingDomain,
} from '../../src/accounts/account.ts'
import { AccountDirectory } from '../../src/accounts/directory.ts'
import { mayRead } from '../../src/accounts/reading.ts'
import { checkSending } from '../../src/accounts/sending.ts'
import { hashToken, isToken, newToken } from '../../src/accounts/token.ts'
import { TOKEN_IN_TEXT } from '../../src/log.ts'

const acme = { id: 'c-acme', name: 'Acme', createdAt: 2, limits: NO_LIMITS }
const other = { id: 'c-other', name: 'Other', createdAt: 1, limits: NO_LIMITS }

const READY = { returnPathHost: null, lostSince: null }

function domainOf(companyId: string, name: string, sending: SendingDomain['sending']): SendingDomain {
  const facts = { status: 'pending', createdAt: 1, settings: DOMAIN_SETTINGS, seen: {} } as const
  return { id: `d-${name}`, companyId, name, sending, ...facts, speaksFor: [], dkim: [], ...READY }
}

function keyOf(id: string, token: string, change: Partial<ApiKey> = {}): ApiKey {
  const scopes: Scope[] = ['sending', 'reading']
  return {
    id,
    companyId: acme.id,
    name: id,
    tokenHash: hashToken(token),
    tokenStart: null,
    password: null,
    scopes,
    domainId: null,
    createdAt: 1,
    networks: [],
    expiresAt: null,
    revokedAt: null,
    ...change,
  }
}

function directoryWith(keys: ApiKey[]): AccountDirectory {
  const snapshot: AccountsSnapshot = {
    companies: [acme, other],
    domains: [
      domainOf(acme.id, 'acme.test', 'active'),
      domainOf(acme.id, 'new.test', 'inactive'),
      domainOf(acme.id, 'stopped.test', 'suspended'),
      domainOf(other.id, 'other.test', 'active'),
    ],
    removedDomains: [],
    keys,
    routes: [],
    pools: [],
  }
  const directory = new AccountDirectory()
  directory.replace(snapshot)
  return directory
}

describe('a token', () => {
  test('is never the same twice and fits its own shape', () => {
    const tokens = Array.from({ length: 1000 }, () => newToken().token)
    assert.equal(new Set(tokens).size, 1000)
    for (const token of tokens) {
      assert.ok(isToken(token), token)
      assert.equal(`see ${token}!`.replace(TOKEN_IN_TEXT, '-'), 'see -!')
    }
  })

  test('uses every letter of its alphabet about equally often', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 2000; i++) {
      for (const letter of newToken().token.slice(3)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    assert.equal(counts.size, 62)
    // 64,000 letters, 1,032 expected of each, standard deviation 32: ten of them apart is not chance.
    for (const [letter, count] of counts) assert.ok(Math.abs(count - 1032) < 320, `${letter}: ${count}`)
  })

  test('has the hash that is kept', () => {
    const { token, hash } = newToken()
    assert.deepEqual(hashToken(token), hash)
    assert.equal(hash.length, 32)
  })
})

describe('the directory', () => {
  test('knows the holder of a valid key, and refuses revoked, unknown and malformed keys', () => {
    const good = newToken().token
    const revoked = newToken().token
    const directory = directoryWith([keyOf('k1', good), keyOf('k2', revoked, { revokedAt: 5 })])
    assert.deepEqual(directory.authenticate(good, '192.0.2.1'), {
      keyId: 'k1',
      companyId: acme.id,
      scopes: new Set(['sending', 'reading']),
      domainId: null,
      address: '192.0.2.1',
    })
    for (const token of [
      revoked,
      newToken().token,
      '',
      'pr_',
      `${good}x`,
      ` ${good}`,
      good.toLowerCase(),
      '\0'.repeat(35),
    ]) {
      assert.deepEqual(directory.authenticate(token, '192.0.2.1'), { denied: 'unknown' }, token)
    }
  })

  test('forgets objects that the next snapshot does not contain', () => {
    const { token } = newToken()
    const directory = directoryWith([keyOf('k1', token)])
    directory.replace({
      companies: [other],
      domains: [],
      removedDomains: [],
      keys: [],
      routes: [],
      pools: [],
    })
    assert.deepEqual(directory.authenticate(token, '192.0.2.1'), { denied: 'unknown' })
    assert.equal(directory.domainNamed('acme.test', acme.id), undefined)
    assert.equal(directory.domain('d-acme.test'), undefined)
    assert.deepEqual(directory.companies(), [other])
  })

  test('checks the expiry and the networks of a key at each request', () => {
    const { token } = newToken()
    const ended = directoryWith([keyOf('k', token, { expiresAt: Date.now() })])
    assert.deepEqual(ended.authenticate(token, '192.0.2.1'), { denied: 'expired' })
    const bound = directoryWith([
      keyOf('k', token, { expiresAt: Date.now() + 60_000, networks: ['192.0.2.0/24', '2001:db8::/32'] }),
    ])
    for (const address of ['192.0.2.1', '::ffff:192.0.2.255', '2001:db8:1::1']) {
      const caller = bound.authenticate(token, address)
      assert.ok(!('denied' in caller), address)
      assert.deepEqual(bound.current(caller), caller)
      assert.deepEqual(directoryWith([]).current(caller), { denied: 'unknown' })
      assert.deepEqual(ended.current(caller), { denied: 'expired' })
    }
    for (const [from, address] of [
      ['192.0.3.1', '192.0.3.1'],
      ['::ffff:192.0.3.1', '192.0.3.1'],
      ['::192.0.2.1', '::c000:201'],
      ['::1', '::1'],
      ['', ''],
      ['nonsense', ''],
      ['3221225985', ''],
    ] as const) {
      assert.deepEqual(bound.authenticate(token, from), { denied: 'elsewhere', keyId: 'k', address })
    }
  })

  test('refuses a key whose networks cannot be read, and still accepts other keys', () => {
    const [odd, good] = [newToken().token, newToken().token]
    const directory = directoryWith([keyOf('odd', odd, { networks: ['nonsense'] }), keyOf('good', good)])
    assert.deepEqual(directory.authenticate(odd, '::1'), {
      denied: 'elsewhere',
      keyId: 'odd',
      address: '::1',
    })
    assert.ok(!('denied' in directory.authenticate(good, '::1')))
  })

  test('finds a login by name: in the domain of the name, for the company that holds it, the newest of two', () => {
    const login = (id: string, name: string, change: Partial<ApiKey> = {}) =>
      keyOf(id, newToken().token, { name, password: 'phc', domainId: 'd-acme.test', ...change })
    const keys = [
      login('k1', 'ann@acme.test'),
      login('k2', 'ann@acme.test', { createdAt: 2 }),
      login('k3', 'ben@acme.test', { password: null }),
      login('k4', 'cay@acme.test', { revokedAt: 3 }),
      login('k5', 'dan@other.test'),
      login('k6', 'eve@acme.test', { domainId: null }),
    ]
    const directory = directoryWith(keys)
    const found = (name: string) => directory.loginNamed(name)?.id
    assert.equal(found('ann@acme.test'), 'k2')
    for (const name of ['ben', 'cay', 'eve', 'dan']) assert.equal(found(`${name}@acme.test`), undefined)
    assert.equal(found('dan@other.test'), undefined)
    assert.deepEqual(
      ['acme.test', 'other.test', 'new.test'].map((name) => directory.hasLogins(name)),
      [true, true, false],
    )
    const domains = [
      { ...domainOf(other.id, 'acme.test', 'inactive'), id: 'd-asked' },
      { ...domainOf(acme.id, 'acme.test', 'active') },
    ]
    const asked = login('k7', 'ann@acme.test', { companyId: other.id, domainId: 'd-asked', createdAt: 9 })
    const none = { version: 2, companies: [], removedDomains: [], routes: null, pools: null }
    directory.apply({ ...none, ids: ['k2', 'k7', 'd-asked', 'd-acme.test'], domains, keys: [asked] })
    assert.equal(found('ann@acme.test'), 'k1')
    directory.apply({ ...none, ids: keys.map(({ id }) => id), domains: [], keys: [] })
    assert.equal(found('ann@acme.test'), 'k7')
    directory.replace({ companies: [], domains: [], removedDomains: [], keys: [], routes: [], pools: [] })
    assert.ok(!directory.hasLogins('acme.test'))
  })

  test('lists companies in order of creation', () => {
    assert.deepEqual(directoryWith([]).companies(), [other, acme])
  })
})

describe('rights to send', () => {
  const token = newToken().token
  const check = (change: Partial<ApiKey>, domain: string) => {
    const directory = directoryWith([keyOf('k', token, change)])
    return checkSending(directory, directory.authenticate(token, '192.0.2.1') as Principal, domain)
  }

  test('allows a key with the scope an active domain of its company', () => {
    const result = check({}, 'acme.test')
    assert.ok(result.ok)
    assert.equal(result.domain.name, 'acme.test')
  })

  test('refuses a key without the scope, whatever the domain', () => {
    for (const domain of ['acme.test', 'other.test', 'nowhere.test']) {
      assert.deepEqual(check({ scopes: ['reading', 'management'] }, domain), {
        ok: false,
        why: 'scope',
        scope: 'sending',
      })
    }
  })

  test('refuses a key restricted to another domain, and reveals nothing about that domain', () => {
    const restricted = { domainId: 'd-acme.test' }
    assert.ok(check(restricted, 'acme.test').ok)
    for (const domain of ['new.test', 'other.test', 'nowhere.test']) {
      assert.deepEqual(check(restricted, domain), { ok: false, why: 'restricted', domain: 'acme.test' })
    }
  })

  test("refuses another company's domain in the same way as an unknown domain", () => {
    assert.deepEqual(check({}, 'other.test'), { ok: false, why: 'unknown', domain: 'other.test' })
    assert.deepEqual(check({}, 'nowhere.test'), { ok: false, why: 'unknown', domain: 'nowhere.test' })
  })

  test('refuses an inactive domain, and gives the reason', () => {
    const fresh = check({}, 'new.test')
    const stopped = check({}, 'stopped.test')
    assert.ok(!fresh.ok && fresh.why === 'inactive' && /not been verified/.test(fresh.detail))
    assert.ok(!stopped.ok && stopped.why === 'inactive' && /suspended/.test(stopped.detail))
  })
})

describe('rights to read', () => {
  const email = { companyId: acme.id, domainId: 'd1', keyId: 'k1' }
  const principal = (scopes: Scope[], domainId: string | null = null, keyId = 'k2', companyId = acme.id) => ({
    keyId,
    companyId,
    scopes: new Set(scopes),
    domainId,
    address: '192.0.2.1',
  })
  const cases: [string, ReturnType<typeof principal>, boolean][] = [
    ['reading reads all of the company', principal(['reading']), true],
    ["another company's reading reads nothing", principal(['reading'], null, 'k1', other.id), false],
    ['reading restricted to the domain', principal(['reading'], 'd1'), true],
    ['reading restricted to another domain', principal(['reading'], 'd2'), false],
    ['sending reads what it sent itself', principal(['sending'], null, 'k1'), true],
    ['sending does not read what another key sent', principal(['sending']), false],
    ['management alone reads nothing', principal(['management'], null, 'k1'), false],
  ]
  for (const [name, who, allowed] of cases) {
    test(name, () => assert.equal(mayRead(who, email), allowed))
  }
})
