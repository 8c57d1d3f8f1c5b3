/** Tells from a header whether a mail system wrote the mail, or a person or a list. */
import { decodeText } from '../raw/decode.ts'
import type { RawField } from '../raw/header.ts'
import { fieldValue } from './open-report.ts'

/** Local parts by which mail systems write. `poostmaster`: the sign of a Sendmail that was set up in a hurry. */
const LOCAL =
  /(?:^|[<\s"])(?:mailer-?daemon|mail-?daemon|poo?st[-_]?master|mail-?admin(?:istrator)?|mdaemon|mail-?system|mail-?router|sysadmin|dsn|ndr|mta)(?:@|>|$|\s*\()/i

/** Names by which they write. */
const NAME =
  /\bmail(?:er)? ?(?:delivery|deliver|administrator|system|transport|daemon|router|server|gateway)\b|\b(?:system|e-?mail) (?:administrator|service|attendant)\b|\bpostmaster\b|\bdelivery (?:sub)?system\b|\bmessaging system\b|\bspam firewall\b/i

/** How the subjects of their reports begin. */
const SUBJECTS: readonly RegExp[] = [
  /^\W*(?:(?:un|non[- ]?)deliver|(?:e-?mail )?bounce\b|returned (?:mail|to sender)|return(?:ed)? |failure (?:notice|delivery)|failed|status notification|postmaster notify|sorry, your message)/i,
  /^\W*(?:(?:permanent |temporary )?(?:(?:mail|message|e-?mail)? ?deliver|(?:mail|message|dispatch) (?:fail|status|delay|error|problem|notif|report|warn|system error)))/i,
  /^\W*(?:mail (?:could not|failure)|could not (?:send|deliver)|(?:there was an )?error (?:send|in|message)|warning\b.{0,30}\b(?:mail|message|send))/i,
  /^\W*(?:your )?(?:mail|message|e-?mail)\b.{0,60}\b(?:could not|not (?:be )?delivered|undeliver|blocked|reject|failed|delayed|error|returned)/i,
  // German, French, Spanish, Italian, Dutch.
  /^\W*(?:unzustellbar|nicht zustellbar|zustellung|nachricht\b.{0,60}\bnicht|non remis|échec|echec|avis de non|notification d|no se (?:puede|pudo)|mensaje no|no entregado|error de|mancato recapito|non recapitabile|impossibile|onbestelbaar)/i,
  // Russian, Japanese, Chinese.
  /^\W*(?:недоставл|не удалось|配信|送信|エラー|メール|退信|系统退信)/i,
]

export interface ReportSender {
  /** The author has the name or the address of a mail system. */
  system: boolean
  /** The reverse path is empty, as for reports (RFC 5321 4.5.5), or that of a mail system. */
  silent: boolean
  /** The subject is one of a report on delivery. */
  subject: boolean
  /** Mail of a list, or an answer by a person: it may quote reports. */
  talk: boolean
}

export function senderOf(fields: readonly RawField[]): ReportSender {
  const from = decodeText(fieldValue(fields, 'from').slice(0, 500))
  const path = fields.find(({ lower }) => lower === 'return-path')?.value.trim()
  const subject = decodeText(fieldValue(fields, 'subject').slice(0, 500)).trim()
  const system = from === '' || from.includes('<>') || LOCAL.test(from) || NAME.test(from)
  const list =
    /^list\b/i.test(fieldValue(fields, 'precedence').trim()) ||
    fields.some(({ lower }) => lower === 'list-id' || lower === 'list-post')
  return {
    system,
    silent: path !== undefined && (path === '' || path === '<>' || LOCAL.test(path)),
    subject: SUBJECTS.some((pattern) => pattern.test(subject)),
    talk: /^(?:re|aw|sv|fwd?|wg|tr|antw|rif|vs)\s*:/i.test(subject) || (list && !system),
  }
}
