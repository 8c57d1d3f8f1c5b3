import { AddressError, formatMailbox, parseAddressList } from '../../src/mail/address/address.ts'
import { MAX_ADDRESS, MAX_LOCAL } from '../../src/mail/address/mailbox.ts'
import { assert, assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

/** What we write of an address is read as the same address again, by us at least. */
export const address: FuzzTarget = {
  name: 'address',
  about: 'lists of mailboxes, as in to, cc, from',
  seeds: [
    'a@x.test',
    '"Doe, Jane" <jane@x.test>, b@y.test',
    'Team: a@x.test, B <b@x.test>;',
    '(c (n)) a (x) @ (y) x.test (z)',
    '"quoted \\" local"@x.test',
    'Jörg <jörg@exämple.test>',
    '<@r.test,@s.test:a@x.test>',
    'a@[192.0.2.1]',
    'a@x.test; b@x.test',
    '=?utf-8?q?J=C3=B6rg?= <a@x.test>',
  ],
  tokens: [
    ...words('< > ( ) " \\ , ; : @ . \t [ ] =?utf-8?q? ?= a@x.test ä \u00a0 \u3000 \u202e \0 \r\n xn-- %'),
    ' ',
  ],
  run(input) {
    const text = input.toString('utf8')
    const mailboxes = unlessRefused(() => parseAddressList(text, 2_000), AddressError)
    for (const mailbox of mailboxes ?? []) {
      const { local, domain, address: spec, name } = mailbox
      assert(
        Buffer.byteLength(local) <= MAX_LOCAL && Buffer.byteLength(spec) <= MAX_ADDRESS,
        'an address is too long',
      )
      assert(!/[\x00-\x1f\x7f]/.test(`${name}${spec}`), 'a control character was let through')
      assert(
        /^[a-z0-9._-]+$/.test(domain) || domain.startsWith('['),
        `a domain that is no A-label: ${domain}`,
      )
      const [again, ...more] = parseAddressList(formatMailbox(mailbox))
      assert(more.length === 0, 'one mailbox, written, became several')
      assertSame(
        'a mailbox changed when it was written and read',
        [again?.name, again?.address],
        [name, spec],
      )
    }
  },
}
