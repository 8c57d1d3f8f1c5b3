import { readSites, SitesError } from '../../src/delivery/sites/read-sites.ts'
import { REPLY_FINDINGS, type SiteLimits, type SiteTerms } from '../../src/delivery/sites/site-block.ts'
import { SiteTable } from '../../src/delivery/sites/site-table.ts'
import { assert, type FuzzTarget, unlessRefused, words } from '../target.ts'

/** Whatever an operator writes, a file is refused with its name and a line, or all of its limits are in bounds. */
export const sites: FuzzTarget = {
  name: 'sites',
  about: 'sites files (POSTROAD_SITES)',
  seeds: [
    '[default]\nsessions = 5\nmessages_per_minute = "unlimited"\ntls = "verified"\nsource = "ours"\n',
    '[[site]]\nname = "Big"\nmx = ["*.big.test", "mx.big.test"]\ndomains = ["big.example"]\nmessages_per_session = 20\n' +
      'messages_per_minute = 60\nmessages_per_hour = 1_000\nrecipients_per_transaction = 5\nenvelope_behind_dot = false\n',
    "[[site]]\nname = 'A'\nreplies = [\n  { pattern = '\\(s3150\\)', finding = 'path' },\n]\n",
  ],
  tokens: words(
    '[default] [[site]] name mx domains sessions messages_per_session messages_per_minute messages_per_hour',
    'recipients_per_transaction tls envelope_behind_dot replies source pattern finding busy path unlimited required',
    '= [ ] { } , . * *. "a.test" "xn--a.test" 0 1 -1 1.5 1e9 inf nan 0x10 true false 1979-05-27 __proto__ # \n \r\n """ \'\'\'',
  ),
  run(input) {
    const blocks = unlessRefused(() => {
      try {
        return readSites(input.toString(), 'sites.toml')
      } catch (error) {
        if (error instanceof SitesError)
          assert(/^sites\.toml, line \d+: \S/.test(error.message), `no line in: ${error.message}`)
        throw error
      }
    }, SitesError)
    if (blocks === undefined) return
    const all = [blocks.general, ...blocks.sites]
    for (const { limits, replies } of all) {
      for (const [name, value] of Object.entries(limits))
        assert(isInBounds(name, value), `${name} is ${value}`)
      for (const { pattern, finding } of replies) {
        assert(REPLY_FINDINGS.includes(finding), 'a finding that no reply may have')
        new RegExp(pattern)
      }
    }
    const names = blocks.sites.map(({ name }) => name.toLowerCase())
    assert(new Set(names).size === names.length, 'a site is there twice')
    const table = new SiteTable({ general: NOTHING, sites: [] }, blocks, 20)
    for (const host of blocks.sites.flatMap(({ mx }) => mx))
      assert(table.ofHost(host.replace('*', 'a')) !== null, `no site has the named host ${host}`)
  },
}

const NOTHING: SiteTerms = { limits: {}, replies: [], source: null }

function isInBounds(name: string, value: SiteLimits[keyof SiteLimits]): boolean {
  if (name === 'tls' || name === 'envelopeBehindDot') return typeof value !== 'number'
  const isRate = name === 'messagesPerMinute' || name === 'messagesPerHour'
  return value === null ? isRate : Number.isInteger(value) && Number(value) >= 1
}
