/** The listeners for submission and for returned mail. */
import type { SmtpListener } from '../values.ts'
import { listItems } from './list.ts'
import { parseHostPort } from './network.ts'
import { SettingValueError } from './value-error.ts'
import { option } from './word.ts'

/** `auto`, `off`, or `smtps://host:port[?...]` and `smtp://host:port[?...]`, separated by commas. */
export function parseSubmission(text: string): SmtpListener[] | 'auto' {
  const word = text.toLowerCase()
  if (word === 'auto') return word
  if (word === 'off') return []
  return listItems(text).map((item) => {
    const { scheme, place, digits, options } = smtpPlace(
      item,
      SUBMISSION_OPTIONS,
      `"${item}" must be smtps://host:port (TLS from the start) or smtp://host:port (STARTTLS), like smtps://0.0.0.0:465`,
    )
    const implicitTls = scheme === 'smtps'
    const tls = option('tls', options.get('tls') ?? 'required', ['required', 'opportunistic'])
    if (implicitTls && tls === 'opportunistic') {
      throw new SettingValueError('smtps:// is always encrypted; "?tls=opportunistic" goes with smtp://')
    }
    const proxied = option('proxy', options.get('proxy') ?? 'off', ['on', 'off']) === 'on'
    const withoutLogin = option('login', options.get('login') ?? 'on', ['on', 'off']) === 'off'
    if (withoutLogin && (implicitTls || options.has('tls'))) {
      throw new SettingValueError('"?login=off" goes with smtp:// and without "?tls=": there is no TLS')
    }
    const at = parseHostPort(`${place}:${digits ?? (implicitTls ? 465 : 587)}`)
    return {
      ...at,
      implicitTls,
      clearLogin: tls === 'opportunistic',
      proxied,
      withoutLogin,
      optional: false,
    }
  })
}

const SUBMISSION_OPTIONS = ['tls', 'proxy', 'login']

/** Listeners for returned mail; empty: off. */
export function parseBounceListen(text: string): SmtpListener[] {
  if (text.toLowerCase() === 'off') return []
  return listItems(text).map((item) => {
    const wrong = `"${item}" must be smtp://host:port, like smtp://0.0.0.0:25`
    const { scheme, place, digits, options } = smtpPlace(item, ['proxy'], wrong)
    if (scheme !== 'smtp') throw new SettingValueError(wrong)
    const proxied = option('proxy', options.get('proxy') ?? 'off', ['on', 'off']) === 'on'
    const at = parseHostPort(`${place}:${digits ?? 25}`)
    return { ...at, implicitTls: false, clearLogin: false, proxied, withoutLogin: false, optional: false }
  })
}

/** `smtp://host:port?option=word`; the scheme in lower case. */
function smtpPlace(
  item: string,
  known: readonly string[],
  wrong: string,
): { scheme: string; place: string; digits: string | undefined; options: URLSearchParams } {
  const [, scheme, place, digits, query = ''] =
    /^(smtps?):\/\/(\[[^\]]*\]|[^:/?]*)(?::(\d{1,5}))?\/?(?:\?(.*))?$/i.exec(item) ?? []
  if (scheme === undefined || place === undefined) throw new SettingValueError(wrong)
  const options = new URLSearchParams(query)
  const unknown = [...options.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const names = known.map((name) => `"?${name}="`)
    const all =
      names.length === 1 ? `${names[0]} is` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are`
    throw new SettingValueError(`"?${unknown}=" is not an option; ${all}`)
  }
  return { scheme: scheme.toLowerCase(), place, digits, options }
}
