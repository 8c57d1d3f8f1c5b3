import { isUtf8 } from 'node:buffer'
import { readUrlencoded } from '../../src/http/form/urlencoded.ts'
import { Fault } from '../../src/ingress/fault.ts'
import { assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

/** What is taken means what the URL functions of Node.js take it to mean. */
export const urlencoded: FuzzTarget = {
  name: 'urlencoded',
  about: 'application/x-www-form-urlencoded bodies',
  seeds: [
    'to=a%40x.test&from=b%40x.test&text=a+b%0D%0A',
    'a&b=&=c&&d=%C3%A4',
    'to[]=a&h%3AX=y%26z',
    'a=%e4',
    'o:tag=1&o:tag=2',
  ],
  tokens: words('& = % + %25 %00 %C3 %A4 %F0%9F%98%80 %ff %g to= ä \xff \0 =='),
  run(input) {
    const read = unlessRefused(() => readUrlencoded(input, 5_000), Fault)
    if (read === undefined || !isUtf8(input)) return
    assertSame('the fields are not those of URLSearchParams', read.fields, [
      ...new URLSearchParams(input.toString('utf8').replace(/^\?/, '%3F')),
    ])
  },
}
