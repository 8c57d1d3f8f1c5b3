import { permitsHost, policyId, readPolicy } from '../../src/delivery/mta-sts/policy.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

/** Whatever a policy host sends, a policy that is read has hosts, a bounded age, and permits nobody who is not named. */
export const mtaSts: FuzzTarget = {
  name: 'mta-sts',
  about: 'policy files and TXT records of MTA-STS',
  seeds: [
    'version: STSv1\r\nmode: enforce\r\nmx: mx.example.com\r\nmx: *.example.net\r\nmax_age: 604800\r\n',
    'version: STSv1\nmode: none\nmax_age: 0\n',
    'v=STSv1; id=20160831085700Z;',
  ],
  tokens: words('version mode mx max_age enforce testing none STSv1 : *. ; id= \n \r\n . - _'),
  run(input) {
    const text = input.toString()
    const id = policyId([text])
    assert(id === null || /^[a-z0-9]{1,32}$/i.test(id), 'an ID of other characters')
    const policy = readPolicy(text)
    if (policy === null) return
    assert(policy.mx.length > 0 || policy.mode === 'none', 'a policy without hosts')
    assert(policy.maxAge >= 0 && policy.maxAge <= 31_557_600, 'an age without bound')
    assert(!permitsHost(policy, ''), 'a host without a name')
    for (const pattern of policy.mx) {
      assert(permitsHost(policy, pattern.replace('*', 'a')), 'a named host is not permitted')
    }
  },
}
