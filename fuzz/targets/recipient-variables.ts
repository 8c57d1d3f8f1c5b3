import { Fault } from '../../src/ingress/fault.ts'
import { RecipientVariables } from '../../src/ingress/message-form/recipient-variables.ts'
import { substituteText } from '../../src/mail/batch/substitute.ts'
import { assert, assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

const TEMPLATE = 'Hello %recipient.name%, %recipient.a%%recipient_email% %recipient%'

/** What is taken is what JSON.parse takes it to be, and a filled text never holds more than its values. */
export const recipientVariables: FuzzTarget = {
  name: 'recipient-variables',
  about: 'recipient-variables of the form dialect, and what they fill',
  seeds: [
    '{"a@x.test":{"name":"A","a":1},"b@x.test":{}}',
    '[]',
    '{"a@x.test":{"a":{"b":[1,2,null]},"__proto__":"x","name":"%recipient.a%"}}',
    '{"a@x.test":{"a":"\\u00e4\\ud83d\\ude00","a":true}}',
  ],
  tokens: [
    ...words(
      '{ } [ ] " : , \\ \\u0000 \\ud800 null true 1e999 -0 "a@x.test": "__proto__": "name":',
      '"constructor": {"a": [[[[ \n %recipient.a%',
    ),
    ' ',
  ],
  run(input) {
    const text = input.toString('utf8')
    const all = new RecipientVariables()
    const read = unlessRefused(() => {
      all.add(text)
      return all.byAddress
    }, Fault)
    if (read === undefined) return
    for (const [address, values] of Object.entries(read)) {
      const parsed = JSON.parse(text)[address]
      assertSame(
        'the names are not those of the JSON',
        Object.keys(values).sort(),
        Object.keys(parsed ?? {}).sort(),
      )
      for (const value of Object.values(values))
        assert(typeof value === 'string', 'a value that is no string')
      const filled = substituteText(TEMPLATE, { address, name: '', variables: values })
      const room = Object.values(values).reduce((sum, { length }) => sum + length, 0)
      assert(
        filled.length <= TEMPLATE.length + 2 * room + 3 * address.length,
        'a filled text is longer than its values',
      )
    }
  },
}
