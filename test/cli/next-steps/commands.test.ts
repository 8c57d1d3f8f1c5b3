/** Commands that fail. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../../harness/dns.ts'
import { bin, newWorkplace, runProgram, serve, type Workplace } from '../postroad.ts'
import { refused, testEach } from './slips.ts'

describe('a command names the next step when', { concurrency: 4 }, () => {
  let place: Workplace
  let dns: FakeDns
  before(async () => {
    dns = await startDns({})
    place = newWorkplace({ POSTROAD_DNS_SERVERS: dns.address })
    await place.json('company', 'create', 'My Company')
    await place.json('company', 'create', 'Other')
    await place.json('domain', 'add', 'example.com', '--company', 'My Company')
    await place.json('domain', 'add', 'held.test', '--company', 'Other')
    await place.json('domain', 'activate', 'held.test')
  })
  after(async () => {
    place.remove()
    await dns.close()
  })

  test('on stderr, alike with --json and without', async () => {
    const wrong = ['domain', 'add', 'mg.example.org', '--company', 'My Company', '--from', 'example.org']
    assert.deepEqual(await place.run(...wrong), await place.run(...wrong, '--json'))
  })

  const of = (...args: string[]) => ({ tried: () => refused(place, ...args) })

  testEach([
    {
      slip: 'it is given in a folder without a database',
      async tried() {
        const elsewhere = newWorkplace()
        const told = await refused(elsewhere, 'email', 'list')
        elsewhere.remove()
        return told
      },
      names: /Run this command in the directory the service runs in, or set POSTROAD_DATABASE_URL/,
    },
    {
      slip: 'there is no company at all',
      async tried() {
        // A first start in capture mode would make one up.
        const fresh = newWorkplace({ POSTROAD_DELIVERY: 'direct' })
        await serve(fresh)
        const told = await refused(fresh, 'domain', 'add', 'example.com', '--company', 'My Company')
        fresh.remove()
        return told
      },
      names: /: postroad company create "My Company"$/m,
    },
    {
      slip: 'the company is left out',
      ...of('domain', 'add', 'example.com'),
      names: /To see the companies: postroad company list$/m,
    },
    {
      slip: 'the name of the company is wrong',
      ...of('key', 'create', '--company', 'Mine', '--name', 'ghost'),
      names: /no company with the name or id "Mine"; see: postroad company list$/m,
    },
    {
      slip: 'the company is there already',
      ...of('company', 'create', 'My Company'),
      names: /already a company called My Company; see: postroad company show "My Company"$/m,
    },
    {
      slip: 'a domain is to speak for one that is not there yet',
      ...of('domain', 'add', 'mg.example.org', '--company', 'My Company', '--from', 'example.org'),
      names: /"example\.org"; add it first: postroad domain add example\.org --company "My Company"$/m,
    },
    {
      slip: 'a domain is to speak for another one that is not there yet',
      ...of('domain', 'update', 'example.com', '--from', 'example.org'),
      names: /"example\.org"; add it first: postroad domain add example\.org --company "My Company"$/m,
    },
    {
      slip: 'a domain is to speak for one of another company',
      ...of('domain', 'update', 'example.com', '--from', 'held.test'),
      names: /only domains of its own company in From, not held\.test; see: postroad domain list --company /,
    },
    {
      slip: 'the domain is given as an address of a page',
      ...of('domain', 'add', 'https://www.example.org/', '--company', 'My Company'),
      names: /Did you mean www\.example\.org\?/,
    },
    {
      slip: 'the domain is given as an email address',
      ...of('domain', 'add', 'hello@example.org', '--company', 'My Company'),
      names: /Did you mean example\.org\?/,
    },
    {
      slip: 'the domain is there already',
      ...of('domain', 'add', 'example.com', '--company', 'My Company'),
      names:
        /already a sending domain of My Company, although it is not verified yet; see: postroad domain show \S+$/m,
    },
    {
      slip: 'a domain is verified before it was added',
      ...of('domain', 'verify', 'example.org'),
      names: /see: postroad domain list, or add it: postroad domain add example\.org --company NAME$/m,
    },
    {
      slip: 'a domain is verified before its records are in DNS',
      async tried() {
        const { code, stdout, stderr } = await place.run('domain', 'verify', 'example.com')
        assert.equal(code, 1)
        assert.match(stdout, /^missing +TXT .*\n.*\n +expected: v=DKIM1/m)
        return stderr
      },
      names:
        /publish the records above .*: postroad domain verify example\.com\..* postroad domain activate example\.com$/m,
    },
    {
      slip: 'DNS does not answer',
      async tried() {
        const env = { ...place.env, POSTROAD_DNS_SERVERS: '127.0.0.1:1' }
        return (await runProgram(bin, ['domain', 'verify', 'example.com'], { cwd: place.folder, env })).stderr
      },
      names: /Try again: postroad domain verify example\.com\. .* POSTROAD_DNS_SERVERS$/m,
    },
    {
      slip: 'a key is to be for a domain that is not there yet',
      ...of('key', 'create', '--company', 'My Company', '--name', 'ghost', '--domain', 'mg.example.com'),
      names: /add it first: postroad domain add mg\.example\.com --company "My Company"$/m,
    },
    {
      slip: 'a key is to be for a domain of another company',
      ...of('key', 'create', '--company', 'My Company', '--name', 'ghost', '--domain', 'held.test'),
      names: /held\.test is not a domain of My Company; see: postroad domain list --company /,
    },
    {
      slip: 'a scope is called otherwise',
      ...of('key', 'create', '--company', 'My Company', '--name', 'ghost', '--scope', 'send'),
      names: /Allowed choices are sending, reading, management\./,
    },
    {
      slip: 'a key is revoked by its name',
      ...of('key', 'revoke', 'ghost'),
      names: /no API key with the id "ghost"; see: postroad key list$/m,
    },
    {
      slip: 'an email is looked for that is not there',
      ...of('email', 'show', 'ID'),
      names: /see: postroad email list$/m,
    },
    {
      slip: 'a link for the console is wanted and nobody is there to sign in',
      ...of('user', 'link'),
      names: /: postroad user invite ADDRESS --operator$/m,
    },
    {
      slip: 'a webhook leads to a private address',
      ...of('webhook', 'add', '--company', 'My Company', '--url', 'http://10.0.0.5:3000/hook'),
      names:
        /POSTROAD_ALLOW_PRIVATE_NETWORKS=true .*: postroad listen --forward http:\/\/10\.0\.0\.5:3000\/hook$/m,
    },
    {
      slip: 'an event of a webhook is mistyped',
      ...of(
        'webhook',
        'add',
        '--company',
        'Other',
        '--url',
        'https://app.test/h',
        '--event',
        'email.deliverd',
      ),
      names: /email\.delivered/,
    },
    {
      slip: 'a command is mistyped',
      ...of('domains', 'list'),
      names: /unknown command 'domains'.*(domain|Commands:)/s,
    },
  ])
})
